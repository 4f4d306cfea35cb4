// Worse than useless: a model on which a hang costs a program nothing, or more than i915 makes it
// cost, so that what it does about hangs is tried in a world that does not exist. The times and
// scores are those of i915 6.1: i915_gem_context_types.h, CONTEXT_FAST_HANG_JIFFIES ("3 hangs
// within 120s? Banned!"), and i915_file_private.h, I915_CLIENT_SCORE_*.
#include "model/front/i915/hangs.h"

#include <gtest/gtest.h>

namespace gem_upload::model::i915 {
namespace {

using std::chrono::seconds;

struct Hangs {
    HangTime start{seconds{100000}};
    ClientHangs client{start};
    ContextHangs context{start};
    ContextSwitches switches;

    void at(int second, Ring ring = Ring::blt) {
        context.count(ring, switches, client, start + seconds{second});
    }
};

TEST(Hangs, TheThirdWithinTwoMinutesBansTheContextFromTheRing) {
    Hangs hangs;
    hangs.at(1);
    hangs.at(61);
    EXPECT_FALSE(hangs.context.banned(Ring::blt));
    hangs.at(120);
    EXPECT_TRUE(hangs.context.banned(Ring::blt));
    EXPECT_FALSE(hangs.context.banned(Ring::render));
    EXPECT_EQ(hangs.context.guilty(), 3U);
}

TEST(Hangs, ThreeInMoreThanTwoMinutesBanNobody) {
    Hangs hangs;
    hangs.at(1);
    hangs.at(61);
    hangs.at(121);
    EXPECT_FALSE(hangs.context.banned(Ring::blt));
    hangs.at(180); // 119 s after the last but one
    EXPECT_TRUE(hangs.context.banned(Ring::blt));
}

TEST(Hangs, OneBansAnUnrecoverableContext) {
    Hangs hangs;
    hangs.switches.recoverable = false;
    hangs.at(1, Ring::render);
    EXPECT_TRUE(hangs.context.banned(Ring::render));
}

TEST(Hangs, AnUnbannableContextIsNeverBannedNorItsClient) {
    Hangs hangs;
    hangs.switches.bannable = false;
    hangs.switches.recoverable = false;
    for (int i = 0; i < 100; ++i) {
        hangs.at(i);
    }
    EXPECT_FALSE(hangs.context.banned(Ring::blt));
    EXPECT_FALSE(hangs.client.banned());
    EXPECT_EQ(hangs.context.guilty(), 100U);
}

TEST(Hangs, AClientIsBannedFromAScoreOfNine) {
    Hangs hangs;
    hangs.switches.recoverable = false; // 3 for each ban, and 1 for a hang in a minute
    hangs.at(1);
    hangs.at(2);
    EXPECT_FALSE(hangs.client.banned()); // 8
    hangs.at(100);                       // 3, for it comes late
    EXPECT_TRUE(hangs.client.banned());
}

TEST(Hangs, SlowHangsDoNotBanTheClient) {
    Hangs hangs;
    for (int i = 1; i < 100; ++i) {
        hangs.at(i * 60);
    }
    // 60 s apart they are not fast to the client, but every third is within 120 s: not less than.
    EXPECT_FALSE(hangs.client.banned());
    EXPECT_FALSE(hangs.context.banned(Ring::blt));
}

} // namespace
} // namespace gem_upload::model::i915
