// The distribution's stock kernel, as a package that is fetched and unpacked, never installed.
#pragma once

#include "util/stop_signals.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

struct KernelFiles {
    std::string image;   ///< vmlinuz
    std::string modules; ///< a root with lib/modules
    std::string name;    ///< "linux-image-6.1.0-57-amd64_6.1.192-3_amd64"
};

/// From CACHE, or else fetched into it with apt-get or dnf; the newest where there are several. Two
/// at a time fetch once. SAY takes a line about what takes long. Throws failure where it cannot be
/// had, Interrupted.
[[nodiscard]] KernelFiles stock_kernel(const std::string& cache,
                                       const std::function<void(std::string_view)>& say,
                                       StopSignals& signals);

/// The packages that `apt-cache depends` names as needed, in its output.
[[nodiscard]] std::vector<std::string> needed_packages(std::string_view apt_cache_output);

} // namespace gem_upload::vm
