// Which device a --device means, and what to say when there is none.
#pragma once

#include "drm/device.h"
#include "drm/roots.h"

#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::drm {

/// What select() needs to know beside the devices to say why there is none.
struct Surroundings {
    bool search_built_in = true;      ///< the build has libdrm
    bool has_dri_folder = true;       ///< /dev/dri exists
    std::vector<std::string> unbound; ///< Intel display devices without a driver, as labels
    std::vector<std::string>
        elsewhere; ///< Intel display devices of another driver: "vfio-pci has ..."
};

[[nodiscard]] Surroundings look_around(const SystemRoots& roots = {});

/// select_device() over given devices and surroundings; a path of WHICH is compared with their
/// nodes by name, then by device number.
[[nodiscard]] Device select(const std::vector<Device>& devices, std::string_view which,
                            const Surroundings& surroundings);

/// One sentence: what was found instead of a GPU that i915 drives, and what would help.
[[nodiscard]] std::string why_no_gpu(const std::vector<Device>& devices,
                                     const Surroundings& surroundings);

} // namespace gem_upload::drm
