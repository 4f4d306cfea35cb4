// Find, open and describe DRM devices (libdrm, libpciaccess).
#pragma once

#include "drm/chips.h"
#include "util/unique_fd.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::drm {

/// Everything that is said about one DRM device; tables and JSON are views of it.
struct Device {
    std::string primary_node;   ///< "/dev/dri/card0", empty when there is none
    std::string render_node;    ///< "/dev/dri/renderD128", empty when there is none
    std::string driver;         ///< DRM driver name: "i915"
    std::string driver_version; ///< "1.6.0"
    std::string pci_address;    ///< "0000:00:02.0", empty when not on PCI
    std::uint16_t vendor_id = 0;
    std::uint16_t device_id = 0;
    std::uint8_t revision = 0;
    std::string pci_name;       ///< libpciaccess's name, empty when unknown
    const Chip* chip = nullptr; ///< nullptr when the table does not know it
    std::optional<std::uint64_t>
        aperture_bytes;     ///< CPU-visible aperture: the size of sysfs resource2
    std::string model_chip; ///< chip of the software GPU, empty for hardware

    [[nodiscard]] bool is_model() const { return !model_chip.empty(); }
    /// The node that the benchmarks open: the render node, or the primary one where there is none.
    [[nodiscard]] const std::string& node() const;
    /// How results name it: "i915 8086:2e22 (g45) at 0000:00:02.0"; "model:g45" for the model.
    [[nodiscard]] std::string label() const;
};

/// All DRM devices of this machine, in the order of their primary nodes.
[[nodiscard]] std::vector<Device> find_devices();

/// The one device that WHICH means: a node's path, "pci:0000:00:02.0", a driver's name, or empty
/// for the only Intel device there is. Throws: usage_error (unknown, or several fit: lists them),
/// cannot_measure (no device; says why and what would help). "model:CHIP" never comes here: the
/// process is re-executed under the model before (model/launch.h) and then sees one device.
[[nodiscard]] Device select_device(std::string_view which);

/// Opens node(). Throws failed_call, or cannot_measure where permission is missing.
[[nodiscard]] UniqueFd open_device(const Device& device);

} // namespace gem_upload::drm
