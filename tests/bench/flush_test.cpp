// Worse than useless: a flush that is named but another one runs, that the CPU lacks (SIGILL), or
// that damages what it flushes. That a line has left the cache cannot be seen from here.
#include "bench/flush.h"

#include "util/error.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace gem_upload::bench {
namespace {

CpuFeatures with(bool clflush, bool clflushopt, bool clwb) {
    CpuFeatures features;
    features.clflush = clflush;
    features.clflushopt = clflushopt;
    features.clwb = clwb;
    return features;
}

TEST(Flush, AutomaticIsWhatTheKernelWouldTake) {
    EXPECT_EQ(choose_flush(Flush::automatic, with(true, true, true)), Flush::clflushopt);
    EXPECT_EQ(choose_flush(Flush::automatic, with(true, false, true)), Flush::clflush);
}

TEST(Flush, WhatIsAskedForIsTakenAsItIs) {
    for (const Flush flush : {Flush::clflush, Flush::clflushopt, Flush::clwb, Flush::none}) {
        EXPECT_EQ(choose_flush(flush, with(true, true, true)), flush);
    }
}

TEST(Flush, WhatTheCpuLacksCannotBeMeasuredAndIsNamed) {
    for (const Flush flush : {Flush::clflush, Flush::clflushopt, Flush::clwb, Flush::automatic}) {
        try {
            (void)choose_flush(flush, with(false, false, false));
            FAIL() << flush_name(flush);
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), Exit::skipped);
            const auto name = flush == Flush::automatic ? "clflush" : flush_name(flush);
            EXPECT_NE(std::string{error.what()}.find(name), std::string::npos) << error.what();
        }
    }
    EXPECT_EQ(choose_flush(Flush::none, with(false, false, false)), Flush::none);
}

TEST(Flush, KeepsTheDataAtEveryAlignment) {
    for (const Flush flush : {Flush::clflush, Flush::clflushopt, Flush::clwb}) {
        try {
            (void)choose_flush(flush, read_cpu_features());
        } catch (const Error&) {
            continue; // not on this CPU
        }
        std::vector<unsigned> data(4096);
        std::iota(data.begin(), data.end(), 7U);
        const std::vector<unsigned> before = data;
        for (std::size_t offset = 0; offset < 20; ++offset) {
            find_flush(flush)(data.data() + offset, (data.size() - offset) * sizeof(unsigned));
            find_flush(flush)(data.data() + offset, 0);
            find_flush(flush)(data.data() + offset, 1);
        }
        EXPECT_EQ(data, before);
    }
}

TEST(Flush, NoneIsNone) {
    EXPECT_EQ(find_flush(Flush::none), nullptr);
    EXPECT_EQ(flush_fences(Flush::none), "");
}

} // namespace
} // namespace gem_upload::bench
