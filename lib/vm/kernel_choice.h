// Which kernel is booted, from what a person has named.
#pragma once

#include "util/stop_signals.h"
#include "vm/unpacked_kernel.h"

#include <functional>
#include <string>
#include <string_view>

namespace gem_upload::vm {

struct KernelChoice {
    std::string kernel; ///< empty: the distribution's; "debian:6.12"; an image, a package, a folder
    std::string modules; ///< of an image: a folder or a package; else empty, or in place of its own
};

/// Throws usage_error where the two cannot mean anything together, or nothing is there.
void check_kernel_choice(const KernelChoice& choice);

/// Fetched into CACHE where it has to be, and unpacked into WORK where it is a package of the
/// user's. SAY takes a line about what takes long. Throws failure, Interrupted.
[[nodiscard]] KernelFiles find_kernel(const KernelChoice& choice, const std::string& cache,
                                      const std::string& work,
                                      const std::function<void(std::string_view)>& say,
                                      StopSignals& signals);

} // namespace gem_upload::vm
