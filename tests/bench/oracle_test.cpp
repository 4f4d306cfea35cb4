// Worse than useless: an oracle that accepts stale or shifted pixels.
#include "bench/oracle.h"

#include <gtest/gtest.h>
#include <vector>

namespace gem_upload::bench {
namespace {

TEST(Oracle, AcceptsTheCounterAcrossItsWrap) {
    EXPECT_FALSE(find_difference(std::vector<std::uint32_t>{7, 8, 9, 10}, 2, 7));
    EXPECT_FALSE(find_difference(std::vector<std::uint32_t>{0xFFFFFFFF, 0, 1}, 3, 0xFFFFFFFF));
}

TEST(Oracle, NamesTheFirstWrongPixelAndCountsThem) {
    const std::vector<std::uint32_t> pixels{1, 2, 3, 4, 99, 6, 7, 0};
    EXPECT_EQ(find_difference(pixels, 4, 1),
              "2 of 8 pixels differ from what was uploaded; the first, at x 0 y 1, is 0x00000063 "
              "and should be 0x00000005");
}

TEST(Oracle, RejectsTheIterationBefore) {
    EXPECT_TRUE(find_difference(std::vector<std::uint32_t>{1, 2, 3}, 3, 4));
    EXPECT_TRUE(find_difference(std::vector<std::uint32_t>{1, 2, 3}, 3, 2));
}

} // namespace
} // namespace gem_upload::bench
