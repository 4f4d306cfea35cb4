// What the kernel kept of a GPU's hang.
#pragma once

#include "drm/device.h"
#include "drm/roots.h"

#include <string>

namespace gem_upload::drm {

/// Where the device's error state is ("the kernel's error state is in /sys/class/drm/card0/error"),
/// or who can look; empty where there is none.
[[nodiscard]] std::string describe_error_state(const Device& device, const SystemRoots& roots = {});

} // namespace gem_upload::drm
