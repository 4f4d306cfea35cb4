// Worse than useless: a display device that is overlooked or taken for bound, or an aperture of a
// wrong size.
#include "drm/pci.h"

#include "drm/search.h"
#include "temporary_tree.h"

#include <gtest/gtest.h>

namespace gem_upload::drm {
namespace {

// A GM45's `resource`: BAR 0 is registers (4 MiB), BAR 2 the aperture (256 MiB), BAR 4 ports.
constexpr const char* gm45_resource = "0x00000000f0000000 0x00000000f03fffff 0x0000000000140204\n"
                                      "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                                      "0x00000000d0000000 0x00000000dfffffff 0x000000000014220c\n"
                                      "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                                      "0x0000000000001800 0x0000000000001807 0x0000000000040101\n";

TEST(Pci, DisplaysAreFoundWithTheirDrivers) {
    const TemporaryTree tree;
    tree.add_gpu("0000:00:02.0", "2a42", "i915");
    tree.add_gpu("0000:03:00.0", "56a0", "");
    tree.write("sys/bus/pci/devices/0000:00:1f.0/class", "0x060100\n");
    tree.write("sys/bus/pci/devices/0000:00:1f.0/vendor", "0x8086\n");
    const auto displays = find_pci_displays(tree.roots());
    ASSERT_EQ(displays.size(), 2U);
    EXPECT_EQ(displays[0].driver, "i915");
    EXPECT_EQ(displays[0].label(), "8086:2a42 (gm45) at 0000:00:02.0");
    EXPECT_EQ(displays[1].driver, "");
    EXPECT_EQ(displays[1].device_id, 0x56a0);
    EXPECT_TRUE(displays[1].modalias.starts_with("pci:v00008086d000056a0"));
}

TEST(Pci, NoBusIsNoDisplay) {
    const TemporaryTree tree;
    EXPECT_TRUE(find_pci_displays(tree.roots()).empty());
}

TEST(Pci, BarSizes) {
    const TemporaryTree tree;
    tree.write("sys/bus/pci/devices/0000:00:02.0/resource", gm45_resource);
    EXPECT_EQ(bar_bytes("0000:00:02.0", 0, tree.roots()), std::uint64_t{4} << 20);
    EXPECT_EQ(bar_bytes("0000:00:02.0", 2, tree.roots()), std::uint64_t{256} << 20);
    EXPECT_EQ(bar_bytes("0000:00:02.0", 1, tree.roots()), std::nullopt);
    EXPECT_EQ(bar_bytes("0000:00:02.0", 9, tree.roots()), std::nullopt);
    EXPECT_EQ(bar_bytes("0000:00:03.0", 2, tree.roots()), std::nullopt);
}

Device i915_device(std::uint16_t device_id) {
    Device device;
    device.driver = "i915";
    device.pci_address = "0000:00:02.0";
    device.vendor_id = intel_vendor_id;
    device.device_id = device_id;
    device.chip = find_chip(device_id);
    return device;
}

TEST(Pci, ApertureIsTheChipsOwnRegister) {
    const TemporaryTree tree;
    tree.write("sys/bus/pci/devices/0000:00:02.0/resource", gm45_resource);
    EXPECT_EQ(aperture_of(i915_device(0x2a42), tree.roots()), std::uint64_t{256} << 20);
    EXPECT_EQ(aperture_of(i915_device(0x2572), tree.roots()), std::uint64_t{4} << 20); // 865G
    // Of a discrete part BAR 2 is local memory, of Meteor Lake stolen memory.
    EXPECT_EQ(aperture_of(i915_device(0x56a0), tree.roots()), std::nullopt);
    EXPECT_EQ(aperture_of(i915_device(0x7d55), tree.roots()), std::nullopt);
    Device other = i915_device(0x2a42);
    other.driver = "xe";
    EXPECT_EQ(aperture_of(other, tree.roots()), std::nullopt);
}

TEST(Pci, Addresses) {
    EXPECT_EQ(normalize_pci_address("0000:00:02.0"), "0000:00:02.0");
    EXPECT_EQ(normalize_pci_address("00:02.0"), "0000:00:02.0");
    EXPECT_EQ(normalize_pci_address("0001:AF:1f.7"), "0001:af:1f.7");
    for (const char* wrong : {"", "0", "0000:00:02", "0000:00:02.8", "0000:00:02.g", "0000-00:02.0",
                              "0000:00:02.00", "gggg:00:02.0", ":::::::::::::", "00000:00:02.0"}) {
        EXPECT_EQ(normalize_pci_address(wrong), std::nullopt) << wrong;
    }
}

TEST(Pci, ModelChipOfADescription) {
    EXPECT_EQ(model_chip_of("model:g45"), "g45");
    EXPECT_EQ(model_chip_of("model:bdw software GPU"), "bdw");
    EXPECT_EQ(model_chip_of("Intel Graphics"), "");
    EXPECT_EQ(model_chip_of(""), "");
}

} // namespace
} // namespace gem_upload::drm
