// Programs on the software GPU; where those under test lie, meson tells by environment variables.
#pragma once

#include "run_program.h"

#include <string>
#include <vector>

namespace gem_upload::test {

using testing_support::Outcome;
using testing_support::run_program;

/// The program was stopped by SIGBUS, as itself or as AddressSanitizer reports it.
[[nodiscard]] bool raised_sigbus(const Outcome& outcome);

/// The path in an environment variable; throws std::runtime_error where meson did not set it.
[[nodiscard]] std::string program(const char* variable);

/// Runs COMMAND on a modelled chip.
[[nodiscard]] Outcome run_on_model(const std::string& chip, const std::vector<std::string>& options,
                                   const std::vector<std::string>& command);

} // namespace gem_upload::test
