// Worse than useless: a benchmark that measures another device than the one that was asked for, a
// guess between two GPUs, or a refusal that leaves a person without a next step.
#include "drm/select.h"

#include "drm/pci.h"
#include "temporary_tree.h"
#include "util/error.h"

#include <gtest/gtest.h>

namespace gem_upload::drm {
namespace {

Device make_device(int card, const std::string& driver, std::uint16_t device_id,
                   const std::string& address) {
    Device device;
    device.primary_node = "/dev/dri/card" + std::to_string(card);
    device.render_node = "/dev/dri/renderD" + std::to_string(128 + card);
    device.driver = driver;
    device.pci_address = address;
    device.vendor_id = intel_vendor_id;
    device.device_id = device_id;
    device.chip = find_chip(device_id);
    return device;
}

const Device g45 = make_device(0, "i915", 0x2e22, "0000:00:02.0");
const Device dg2 = make_device(1, "i915", 0x56a0, "0000:03:00.0");
const Device lnl = make_device(2, "xe", 0x64a0, "0000:00:03.0");

Device make_vgem() {
    Device device;
    device.primary_node = "/dev/dri/card3";
    device.driver = "vgem";
    return device;
}

Device make_model() {
    Device device = make_device(0, "i915", 0x2e22, "0000:00:02.0");
    device.model_chip = "g45";
    return device;
}

/// The error that select() gives, as "STATUS SENTENCE".
std::string refusal(const std::vector<Device>& devices, std::string_view which,
                    const Surroundings& surroundings = {}) {
    try {
        return "selected " + select(devices, which, surroundings).label();
    } catch (const Error& error) {
        return std::to_string(static_cast<int>(error.status())) + " " + error.what();
    }
}

/// Every part is in the text.
void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\nin: " << text;
    }
}

TEST(Select, EachFormFindsItsDevice) {
    const std::vector<Device> devices = {g45, lnl, make_vgem()};
    for (const char* which :
         {"", "i915", "pci:0000:00:02.0", "pci:00:02.0", "/dev/dri/card0", "/dev/dri/renderD128"}) {
        EXPECT_EQ(select(devices, which, {}).label(), g45.label()) << which;
    }
    EXPECT_EQ(select(devices, "xe", {}).label(), lnl.label());
    EXPECT_EQ(select(devices, "vgem", {}).label(), "vgem at /dev/dri/card3");
    EXPECT_EQ(select(devices, "/dev/dri/card3", {}).label(), "vgem at /dev/dri/card3");
}

TEST(Select, Labels) {
    EXPECT_EQ(g45.label(), "i915 8086:2e22 (g45) at 0000:00:02.0");
    EXPECT_EQ(make_model().label(), "model:g45");
    Device unknown = g45;
    unknown.device_id = 0xffff;
    unknown.chip = nullptr;
    EXPECT_EQ(unknown.label(), "i915 8086:ffff at 0000:00:02.0");
    EXPECT_EQ(g45.node(), "/dev/dri/renderD128");
    EXPECT_EQ(make_vgem().node(), "/dev/dri/card3");
}

TEST(Select, ModelOnlyWhereItIs) {
    EXPECT_EQ(select({make_model()}, "model:g45", {}).label(), "model:g45");
    EXPECT_EQ(select({make_model()}, "", {}).label(), "model:g45");
    expect_parts(refusal({g45}, "model:g45"), {"1 ", "model:g45", "not at work"});
}

TEST(Select, SeveralAreListedAndNoneIsGuessed) {
    for (const char* which : {"", "i915"}) {
        expect_parts(refusal({g45, dg2}, which),
                     {"2 2 devices are driven by i915", "8086:2e22 (g45) at 0000:00:02.0",
                      "8086:56a0 (dg2) at 0000:03:00.0", "/dev/dri/renderD129",
                      "--device pci:0000"});
    }
}

TEST(Select, OtherDriversAreNamedWhenI915IsAbsent) {
    expect_parts(refusal({lnl, make_vgem()}, ""),
                 {"77 no GPU here is driven by i915", "found: xe 8086:64a0 (lnl)", "vgem at",
                  "--methods aperture", "model:g45"});
}

TEST(Select, ChipOfI915DrivenByXeIsNotI915s) {
    const Device forced = make_device(0, "xe", 0x9a49, "0000:00:02.0"); // Tiger Lake
    expect_parts(refusal({forced}, ""), {"77 ", "found: xe 8086:9a49 (tgl)"});
}

TEST(Select, EachReasonForNoDeviceIsSaid) {
    Surroundings none;
    none.has_dri_folder = false;
    expect_parts(refusal({}, "", none), {"77 ", "there is no /dev/dri", "--methods aperture"});
    expect_parts(refusal({}, "", {}), {"77 ", "no DRM device in /dev/dri"});

    Surroundings unbound;
    unbound.unbound = {"8086:2e22 (g45) at 0000:00:02.0"};
    expect_parts(refusal({}, "", unbound), {"77 ", "8086:2e22 (g45)", "no driver", "--load"});
    expect_parts(refusal({}, "pci:00:02.0", unbound), {"77 ", "8086:2e22 (g45)", "--load"});

    Surroundings elsewhere;
    elsewhere.elsewhere = {"vfio-pci has 8086:46a6 (adlp) at 0000:00:02.0"};
    expect_parts(refusal({}, "", elsewhere), {"77 ", "vfio-pci has 8086:46a6"});

    Surroundings without_libdrm;
    without_libdrm.search_built_in = false;
    for (const char* which : {"", "i915", "/dev/dri/card0", "pci:0000:00:02.0"}) {
        expect_parts(refusal({}, which, without_libdrm), {"77 ", "lacks libdrm", "libdrm-dev"});
    }
}

TEST(Select, UnknownNamesAreUsageErrors) {
    expect_parts(refusal({g45}, "nouveau"), {"2 'nouveau'", "pci:", "model:CHIP", g45.label()});
    expect_parts(refusal({}, "g45"), {"2 'g45'", "there is no DRM device here"});
    for (const char* which : {"pci:", "pci:2.0", "pci:0000:00:02", "pci:hello"}) {
        expect_parts(refusal({g45}, which), {"2 ", which, "is not a PCI address"});
    }
    expect_parts(refusal({g45}, "pci:0000:00:05.0"),
                 {"2 ", "no DRM device at 0000:00:05.0", g45.label()});
}

TEST(Select, PathsThatAreNoDevice) {
    const TemporaryTree tree;
    tree.write("plain", "");
    const std::string plain = tree.path() / "plain";
    expect_parts(refusal({g45}, plain), {"2 " + plain, "is not the node of a DRM device"});
    expect_parts(refusal({g45}, "/dev/null"), {"2 /dev/null", "is not the node"});
    expect_parts(refusal({g45}, "/dev/dri/card77"), {"2 /dev/dri/card77 does not exist"});
}

TEST(Select, LinksToANodeAreFollowed) {
    const TemporaryTree tree;
    const std::string link = tree.path() / "by-path";
    std::filesystem::create_symlink("/dev/null", link);
    Device device = g45;
    device.render_node = "/dev/null"; // any device node that is there
    EXPECT_EQ(select({device}, link, {}).label(), g45.label());
}

TEST(Select, SurroundingsAreReadFromSysfs) {
    const TemporaryTree tree;
    tree.add_gpu("0000:00:02.0", "2e22", "");
    tree.add_gpu("0000:03:00.0", "56a0", "vfio-pci");
    Surroundings surroundings = look_around(tree.roots());
    EXPECT_FALSE(surroundings.has_dri_folder);
    EXPECT_EQ(surroundings.unbound, std::vector<std::string>{"8086:2e22 (g45) at 0000:00:02.0"});
    EXPECT_EQ(surroundings.elsewhere,
              std::vector<std::string>{"vfio-pci has 8086:56a0 (dg2) at 0000:03:00.0"});
    tree.make_folder("dev/dri");
    EXPECT_TRUE(look_around(tree.roots()).has_dri_folder);
}

TEST(Select, MissingNodeNamesTheCallAndTheNode) {
    Device device = g45;
    device.render_node = "/dev/dri/none";
    try {
        (void)open_device(device);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::failure);
        expect_parts(error.what(), {"/dev/dri/none", "ENOENT"});
    }
}

} // namespace
} // namespace gem_upload::drm
