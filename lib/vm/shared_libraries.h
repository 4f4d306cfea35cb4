// The shared libraries of a program, as the dynamic loader finds them here.
#pragma once

#include "util/stop_signals.h"

#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

/// The loader's own path and those of all libraries; empty for a static program. Throws failure
/// that names what is missing, Interrupted.
[[nodiscard]] std::vector<std::string> shared_libraries(const std::string& program,
                                                        StopSignals& signals);

/// The paths in what `ld.so --list` prints. Throws failure that names a library not found, for
/// PROGRAM.
[[nodiscard]] std::vector<std::string> listed_libraries(std::string_view list,
                                                        std::string_view program);

/// The dynamic loader of x86-64 (System V ABI, AMD64 supplement).
inline constexpr const char* dynamic_loader = "/lib64/ld-linux-x86-64.so.2";

} // namespace gem_upload::vm
