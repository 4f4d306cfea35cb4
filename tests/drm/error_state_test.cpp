// Worse than useless: a sentence that sends people to an error state that is not there.
#include "drm/error_state.h"
#include "temporary_tree.h"

#include <gtest/gtest.h>

namespace gem_upload::drm {
namespace {

constexpr const char* file = "sys/class/drm/card1/error";

Device card1() {
    Device device;
    device.primary_node = "/dev/dri/card1";
    return device;
}

TEST(ErrorState, IsNamedWhereThereIsOne) {
    const TemporaryTree tree;
    tree.write(file, "GPU HANG: ecode 6:2:00000000\nKernel: 6.1.0\n");
    EXPECT_EQ(describe_error_state(card1(), tree.roots()),
              "the kernel's error state is in " + (tree.path() / file).string());
}

TEST(ErrorState, IsNotWhereNoneWasCollected) {
    const TemporaryTree tree;
    tree.write(file, "No error state collected\n");
    EXPECT_EQ(describe_error_state(card1(), tree.roots()), "");
}

TEST(ErrorState, IsNotWhereTheKernelHasNoSuchFile) {
    const TemporaryTree tree;
    EXPECT_EQ(describe_error_state(card1(), tree.roots()), "");
    EXPECT_EQ(describe_error_state(Device{}, tree.roots()), "");
}

} // namespace
} // namespace gem_upload::drm
