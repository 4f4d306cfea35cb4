// Worse than useless: a ceiling whose code skips a part of the memory, and so stands too high.
#include "bench/ceiling.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace gem_upload::bench {
namespace {

constexpr std::uint32_t before = 0xa5a5a5a5U;

class CeilingTest : public testing::Test {
protected:
    CeilingTest() : storage_((2 << 20) / 4 + 1024, before) {
        const auto misaligned = reinterpret_cast<std::uintptr_t>(storage_.data()) / 4 % 1024;
        memory_ = std::span(storage_).subspan((1024 - misaligned) % 1024, (2 << 20) / 4);
    }

    void expect_all_written(const Ceiling& ceiling) {
        EXPECT_GT(ceiling.mb_per_second, 0);
        EXPECT_FALSE(ceiling.code.empty());
        EXPECT_EQ(std::ranges::count(memory_, before), 0);
        std::ranges::fill(memory_, before);
    }

    std::vector<std::uint32_t> storage_;
    std::span<std::uint32_t> memory_;
};

TEST_F(CeilingTest, EverySweepCoversTheMemory) {
    // The features decide which code competes: baseline alone, then all that this CPU has.
    for (const CpuFeatures& features : {CpuFeatures{}, read_cpu_features()}) {
        const CeilingMeter meter(memory_, features, 1);
        expect_all_written(meter.non_temporal_fill());
        expect_all_written(meter.plain_fill());
        expect_all_written(meter.copy_from_cache());
    }
}

TEST_F(CeilingTest, CopyFillsTheOtherHalf) {
    const auto half = memory_.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
        memory_[i] = static_cast<std::uint32_t>(i) + 7;
    }
    const Ceiling ceiling = CeilingMeter(memory_, read_cpu_features(), 3).copy_in_memory();
    EXPECT_GT(ceiling.mb_per_second, 0);
    EXPECT_TRUE(std::ranges::equal(memory_.first(half), memory_.last(half)));
}

} // namespace
} // namespace gem_upload::bench
