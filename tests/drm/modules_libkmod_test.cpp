// Worse than useless: an alias or a blacklist that libkmod is asked for in the wrong way, so that
// the decision (modules_test.cpp) rests on nothing. The modules are a folder that depmod wrote; the
// running kernel's are not touched.
#include "drm/modules.h"

#include "temporary_tree.h"

#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>

namespace gem_upload::drm {
namespace {

/// A folder of modules as depmod leaves it, with one module that claims GM45 and Tiger Lake.
class ModuleFolder : public testing::Test {
protected:
    void SetUp() override {
        tree.make_folder("lib/modules/1.0.0/kernel");
        std::filesystem::copy_file(FAKE_I915, folder() + "/kernel/i915.ko");
        tree.write("lib/modules/1.0.0/modules.order", "kernel/i915.ko\n");
        tree.write("lib/modules/1.0.0/modules.builtin", "");
        const std::string command =
            std::string(DEPMOD) + " -b " + tree.path().string() + " 1.0.0 2>&1";
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
        tree.write("modprobe.d/empty.conf", "");
    }
    [[nodiscard]] std::string folder() const { return tree.path() / "lib/modules/1.0.0"; }
    [[nodiscard]] std::unique_ptr<Modules> open() const {
        return open_modules(folder(), {tree.path() / "modprobe.d"});
    }

    TemporaryTree tree;
};

constexpr const char* gm45_modalias = "pci:v00008086d00002A42sv00001028sd00000276bc03sc00i00";

TEST_F(ModuleFolder, AliasesNameTheModule) {
    const auto modules = open();
    EXPECT_EQ(modules->claiming(gm45_modalias), std::vector<std::string>{"i915"});
    EXPECT_TRUE(modules->claiming("pci:v00008086d0000FFFFsv0sd0bc03sc00i00").empty());
    EXPECT_TRUE(modules->claiming("").empty());
}

TEST_F(ModuleFolder, BlacklistIsReadFromTheConfiguration) {
    EXPECT_FALSE(open()->blacklisted("i915"));
    tree.write("modprobe.d/local.conf", "blacklist i915\nblacklist nouveau\n");
    const auto modules = open();
    EXPECT_TRUE(modules->blacklisted("i915"));
    EXPECT_FALSE(modules->blacklisted("xe"));
    // A blacklisted module still claims its devices: the decision needs to name it.
    EXPECT_EQ(modules->claiming(gm45_modalias), std::vector<std::string>{"i915"});
}

TEST_F(ModuleFolder, DecisionWithTheRealLibrary) {
    tree.add_gpu("0000:00:02.0", "2A42", "");
    const auto modules = open();
    const auto decision =
        decide_load(find_pci_displays(tree.roots()), false, *modules, tree.roots());
    EXPECT_EQ(decision.module, "i915");
    EXPECT_EQ(decision.sentence, "");
}

TEST_F(ModuleFolder, AbsentModuleCannotBeInserted) {
    EXPECT_EQ(open()->insert("gem_upload_absent_module"), ENOENT);
}

TEST_F(ModuleFolder, AbsentModuleCannotBeRemoved) {
    const int error = open()->remove("gem_upload_absent_module");
    // A kernel may be built without unloading, or let only root unload.
    EXPECT_TRUE(error == ENOENT || error == ENOSYS || error == EPERM) << error;
}

} // namespace
} // namespace gem_upload::drm
