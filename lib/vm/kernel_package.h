// The distribution's kernels, as packages that are fetched and unpacked, never installed.
#pragma once

#include "util/stop_signals.h"
#include "vm/unpacked_kernel.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

/// From CACHE, or else fetched into it with apt-get or dnf; the newest where there are several. Two
/// at a time fetch once. SAY takes a line about what takes long. Throws failure where it cannot be
/// had, Interrupted.
[[nodiscard]] KernelFiles stock_kernel(const std::string& cache,
                                       const std::function<void(std::string_view)>& say,
                                       StopSignals& signals);

/// The newest of SERIES, "6.12", that apt knows; from CACHE, or else fetched into it. Throws
/// failure that says which series there are, Interrupted.
[[nodiscard]] KernelFiles series_kernel(const std::string& series, const std::string& cache,
                                        const std::function<void(std::string_view)>& say,
                                        StopSignals& signals);

/// The packages that `apt-cache depends` names as needed, in its output.
[[nodiscard]] std::vector<std::string> needed_packages(std::string_view apt_cache_output);

} // namespace gem_upload::vm
