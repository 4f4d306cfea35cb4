// Runs programs and keeps what they say; where the programs under test lie, meson tells by
// environment variables.
#pragma once

#include <string>
#include <vector>

namespace gem_upload::test {

struct Outcome {
    int status = -1; ///< exit status, or 128 and the signal's number
    std::string out;
    std::string err;
};

/// The program was stopped by SIGBUS, as itself or as AddressSanitizer reports it.
[[nodiscard]] bool raised_sigbus(const Outcome& outcome);

[[nodiscard]] Outcome run_program(const std::vector<std::string>& argv);

/// The path in an environment variable; throws std::runtime_error where meson did not set it.
[[nodiscard]] std::string program(const char* variable);

/// Runs COMMAND on a modelled chip.
[[nodiscard]] Outcome run_on_model(const std::string& chip, const std::vector<std::string>& options,
                                   const std::vector<std::string>& command);

} // namespace gem_upload::test
