// The image that QEMU boots: the extracted vmlinux where that is possible, for it is up seconds
// sooner than the compressed one.
#pragma once

#include "util/stop_signals.h"

#include <string>

namespace gem_upload::vm {

struct BootableKernel {
    std::string image;   ///< what QEMU is given
    std::string release; ///< "6.1.0-57-amd64"
};

/// From a bzImage or an ELF vmlinux; what is extracted is kept in CACHE, the last few. Throws
/// failure in one sentence where the file is no kernel that can be booted, Interrupted.
[[nodiscard]] BootableKernel prepare_kernel(const std::string& path, const std::string& cache,
                                            StopSignals& signals);

} // namespace gem_upload::vm
