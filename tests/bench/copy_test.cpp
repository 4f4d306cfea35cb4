// Worse than useless: a copy that misses its ends, or writes beside them.
#include "bench/copy.h"

#include "util/error.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace gem_upload::bench {
namespace {

constexpr std::uint32_t guard = 0xfeedfaceU;
constexpr std::size_t guards = 32;

void expect_copy(CopyDwords copy, std::size_t from, std::size_t to, std::size_t dwords) {
    std::vector<std::uint32_t> source(from + dwords);
    std::iota(source.begin(), source.end(), 100U);
    std::vector<std::uint32_t> destination(guards + to + dwords + guards, guard);
    std::vector<std::uint32_t> expected = destination;
    std::copy(source.begin() + static_cast<std::ptrdiff_t>(from), source.end(),
              expected.begin() + static_cast<std::ptrdiff_t>(guards + to));
    copy(destination.data() + guards + to, source.data() + from, dwords);
    store_fence();
    ASSERT_EQ(destination, expected) << from << " to " << to << ", " << dwords << " dwords";
}

TEST(Copy, NonTemporalAtEveryAlignmentAndLength) {
    for (const unsigned width : {4U, 8U, 16U, 32U, 64U}) {
        if (missing_for_store({width, StoreType::non_temporal}, read_cpu_features())) {
            continue;
        }
        for (std::size_t to = 0; to < 16; ++to) {
            for (std::size_t dwords = 0; dwords < 70; ++dwords) {
                expect_copy(find_stream_copy(width), to % 3, to, dwords);
            }
        }
    }
}

TEST(Copy, ThroughTheCacheInPieces) {
    for (const std::size_t dwords : {0U, 1U, 8191U, 8192U, 8193U, 16384U, 20000U}) {
        expect_copy(copy_through_cache, 1, 3, dwords);
    }
}

TEST(Copy, AWidthThatDoesNotExistIsAUsageError) {
    for (const unsigned width : {0U, 3U, 128U}) {
        try {
            (void)find_stream_copy(width);
            FAIL() << width;
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), Exit::usage);
        }
    }
}

} // namespace
} // namespace gem_upload::bench
