// Display devices on PCI, bound to a driver or not (sysfs, libpciaccess).
#pragma once

#include "drm/roots.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::drm {

constexpr std::uint16_t intel_vendor_id = 0x8086;

/// A PCI function of class 03xxxx (display), as sysfs shows it.
struct PciDisplay {
    std::string address; ///< "0000:00:02.0"
    std::uint16_t vendor_id = 0;
    std::uint16_t device_id = 0;
    std::string driver;   ///< the kernel driver bound to it, empty when there is none
    std::string modalias; ///< what module aliases are matched with

    [[nodiscard]] bool is_intel() const { return vendor_id == intel_vendor_id; }
    /// "8086:2e22 (g45) at 0000:00:02.0"
    [[nodiscard]] std::string label() const;
};

/// In the order of their addresses.
[[nodiscard]] std::vector<PciDisplay> find_pci_displays(const SystemRoots& roots = {});

/// The driver bound to a PCI address, empty when there is none.
[[nodiscard]] std::string bound_driver(const std::string& address, const SystemRoots& roots = {});

/// "0000:00:02.0" from it or from the short form "00:02.0"; nothing when it is neither.
[[nodiscard]] std::optional<std::string> normalize_pci_address(std::string_view text);

/// Bytes of a base address register (sysfs `resource`), nothing when it is absent or empty.
[[nodiscard]] std::optional<std::uint64_t> bar_bytes(const std::string& address, unsigned bar,
                                                     const SystemRoots& roots = {});

/// The product's name by pci.ids, empty when it is unknown or the build has no libpciaccess.
[[nodiscard]] std::string pci_product_name(const std::string& address);

/// "8086:2e22"
[[nodiscard]] std::string pci_id_text(std::uint16_t vendor_id, std::uint16_t device_id);

} // namespace gem_upload::drm
