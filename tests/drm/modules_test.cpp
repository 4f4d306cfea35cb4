// Worse than useless: a driver loaded that nobody asked for (over a blacklist, over another driver,
// on a machine without an Intel GPU), or a failure to load that passes for success. Nothing here
// touches the running kernel's modules.
#include "drm/modules.h"

#include "config.h"
#include "temporary_tree.h"
#include "util/error.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <set>

namespace gem_upload::drm {
namespace {

class FakeModules : public Modules {
public:
    std::vector<std::string> claiming(const std::string& modalias) override {
        return modalias.empty() ? std::vector<std::string>{} : claims;
    }
    bool blacklisted(const std::string& module) override { return blacklist.contains(module); }
    int insert(const std::string& module) override {
        inserted.push_back(module);
        if (binds != nullptr) {
            binds->bind("0000:00:02.0", module);
        }
        return error;
    }
    int remove(const std::string& /*module*/) override { return error; }

    std::vector<std::string> claims = {"i915"};
    std::set<std::string> blacklist;
    std::vector<std::string> inserted;
    int error = 0;
    const TemporaryTree* binds = nullptr; ///< where a load makes the driver drive the device
};

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\nin: " << text;
    }
}

TEST(Modules, LoadsForAnUnboundDevice) {
    for (const bool asked : {false, true}) {
        const TemporaryTree tree;
        tree.add_gpu("0000:00:02.0", "2a42", "");
        FakeModules modules;
        modules.binds = &tree;
        expect_parts(load_driver_if_needed(asked, modules, tree.roots()),
                     {"loaded i915", "now drives 8086:2a42 (gm45) at 0000:00:02.0"});
        EXPECT_EQ(modules.inserted, std::vector<std::string>{"i915"});
    }
}

TEST(Modules, NothingToDoIsSaidOnlyWhenAsked) {
    const TemporaryTree bound;
    bound.add_gpu("0000:00:02.0", "2a42", "i915");
    const TemporaryTree without_gpu;
    FakeModules modules;
    EXPECT_EQ(load_driver_if_needed(false, modules, bound.roots()), "");
    EXPECT_EQ(load_driver_if_needed(false, modules, without_gpu.roots()), "");
    expect_parts(load_driver_if_needed(true, modules, bound.roots()), {"i915 already drives"});
    expect_parts(load_driver_if_needed(true, modules, without_gpu.roots()),
                 {"no Intel display device"});
    EXPECT_TRUE(modules.inserted.empty());
}

TEST(Modules, DeviceOfAnotherDriverIsLeftToIt) {
    const TemporaryTree tree;
    tree.add_gpu("0000:00:02.0", "46a6", "vfio-pci");
    FakeModules modules;
    EXPECT_EQ(load_driver_if_needed(false, modules, tree.roots()), "");
    expect_parts(load_driver_if_needed(true, modules, tree.roots()), {"vfio-pci already drives"});
    EXPECT_TRUE(modules.inserted.empty());
}

TEST(Modules, OtherMakersGpusAreNotOurs) {
    const TemporaryTree tree;
    tree.add_gpu("0000:01:00.0", "1234", "");
    tree.write("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
    FakeModules modules;
    EXPECT_EQ(load_driver_if_needed(false, modules, tree.roots()), "");
    EXPECT_TRUE(modules.inserted.empty());
}

TEST(Modules, BlacklistHoldsUntilAsked) {
    const TemporaryTree tree;
    tree.add_gpu("0000:00:02.0", "2a42", "");
    FakeModules modules;
    modules.binds = &tree;
    modules.blacklist = {"i915"};
    expect_parts(load_driver_if_needed(false, modules, tree.roots()),
                 {"i915 was not loaded", "blacklisted", "--load"});
    EXPECT_TRUE(modules.inserted.empty());
    expect_parts(load_driver_if_needed(true, modules, tree.roots()), {"loaded i915"});
    EXPECT_EQ(modules.inserted.size(), 1U);
}

TEST(Modules, NomodesetIsObeyedEvenWhenAsked) {
    const TemporaryTree tree;
    tree.add_gpu("0000:00:02.0", "2a42", "");
    tree.write("proc/cmdline", "quiet nomodeset\n");
    FakeModules modules;
    expect_parts(load_driver_if_needed(true, modules, tree.roots()), {"nomodeset"});
    EXPECT_TRUE(modules.inserted.empty());
}

TEST(Modules, LoadedModuleThatDoesNotBindIsNotLoadedAgain) {
    const TemporaryTree tree;
    tree.add_gpu("0000:00:02.0", "4905", "");
    tree.make_folder("sys/module/i915");
    FakeModules modules;
    expect_parts(load_driver_if_needed(true, modules, tree.roots()),
                 {"i915 is loaded and yet does not drive 8086:4905 (dg1)", "force_probe"});
    EXPECT_TRUE(modules.inserted.empty());
}

TEST(Modules, FailuresAreSaid) {
    const TemporaryTree tree;
    tree.add_gpu("0000:00:02.0", "2a42", "");
    FakeModules modules;
    modules.error = EPERM;
    expect_parts(load_driver_if_needed(true, modules, tree.roots()),
                 {"could not be loaded", "EPERM", "run as root"});
    modules.error = 0; // loads, but the device stays without a driver
    expect_parts(load_driver_if_needed(true, modules, tree.roots()),
                 {"loaded i915, but it does not drive"});
    modules.claims = {};
    expect_parts(load_driver_if_needed(true, modules, tree.roots()),
                 {"no module", "claims 8086:2a42 (gm45)"});
}

TEST(Modules, OfTwoThatClaimAChipTheUsualOneIsTaken) {
    const TemporaryTree tiger_lake;
    tiger_lake.add_gpu("0000:00:02.0", "9a49", "");
    const TemporaryTree lunar_lake;
    lunar_lake.add_gpu("0000:00:02.0", "64a0", "");
    FakeModules modules;
    modules.claims = {"xe", "i915"};
    const auto chosen = [&](const TemporaryTree& tree) {
        return decide_load(find_pci_displays(tree.roots()), false, modules, tree.roots()).module;
    };
    EXPECT_EQ(chosen(tiger_lake), "i915");
    EXPECT_EQ(chosen(lunar_lake), "xe");
}

#if !HAVE_LIBKMOD

TEST(Modules, WithoutLibkmodItIsSaid) {
    EXPECT_THROW((void)open_modules(), Error);
}

#endif

} // namespace
} // namespace gem_upload::drm
