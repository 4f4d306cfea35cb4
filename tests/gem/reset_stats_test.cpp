// Worse than useless: a hang that is counted and not told, or one told that was of another time.
#include "gem/reset_stats.h"

#include <gtest/gtest.h>

namespace gem_upload::gem {
namespace {

TEST(ResetStats, TheSameCountsAreNoHang) {
    EXPECT_EQ(describe_growth({3, 2}, {3, 2}), std::nullopt);
}

TEST(ResetStats, WhatGrewIsTold) {
    EXPECT_EQ(describe_growth({3, 2}, {4, 2}), "of this benchmark's batches i915 counts 1 that "
                                               "hung it and 0 that were caught in the reset");
    EXPECT_EQ(describe_growth({3, 2}, {3, 4}), "of this benchmark's batches i915 counts 0 that "
                                               "hung it and 2 that were caught in the reset");
}

TEST(ResetStats, WhatIsNoI915TellsNothing) {
    EXPECT_EQ(read_reset_stats(-1), std::nullopt);
}

} // namespace
} // namespace gem_upload::gem
