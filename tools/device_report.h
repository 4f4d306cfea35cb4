// What `gem-upload devices` says: gathered once, with JSON and a printed form as views of it.
#pragma once

#include "bench/method.h"
#include "drm/device.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gem_upload::tools {

struct MethodReport {
    std::string name; ///< "upload_blit_large_map"
    std::string group;
    std::optional<std::string> refusal; ///< why it cannot run, nothing if it can
};

struct DeviceReport {
    drm::Device device;
    std::vector<MethodReport> methods;
};

struct DevicesReport {
    std::vector<DeviceReport> devices;
    std::vector<MethodReport> without_gpu; ///< the methods where no device is used
    std::string no_gpu;         ///< why none of the devices can be measured, empty if one can
    std::string driver_loading; ///< what was done about a missing driver, empty if nothing
};

/// Asks every method about every device, and about none.
[[nodiscard]] DevicesReport gather_devices(const std::vector<drm::Device>& devices,
                                           std::span<const bench::Method* const> methods);

[[nodiscard]] std::string devices_text(const DevicesReport& report);
[[nodiscard]] std::string devices_json(const DevicesReport& report);

} // namespace gem_upload::tools
