// Worse than useless: an interval too narrow (a benchmark that fails by chance) or one so wide, or
// so read, that nothing ever falls short.
#include "paired_ratio.h"

#include "util/error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace gem_upload::bench {
namespace {

std::vector<double> ranks(std::size_t n) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 1.0);
    std::shuffle(values.begin(), values.end(), std::mt19937{1});
    return values;
}

// Ranks and coverage from the printed tables of exact intervals for the median (binomial, 95 %).
TEST(MedianInterval, RanksAreThoseOfTheTables) {
    const struct {
        std::size_t n;
        double median, low, high, confidence;
    } table[] = {
        {6, 3.5, 1, 6, 0.9688},    {10, 5.5, 2, 9, 0.9785}, {15, 8, 4, 12, 0.9648},
        {20, 10.5, 6, 15, 0.9586}, {25, 13, 8, 18, 0.9567}, {30, 15.5, 10, 21, 0.9572},
    };
    for (const auto& row : table) {
        const MedianInterval interval = median_interval(ranks(row.n));
        EXPECT_EQ(interval.median, row.median) << row.n;
        EXPECT_EQ(interval.low, row.low) << row.n;
        EXPECT_EQ(interval.high, row.high) << row.n;
        EXPECT_NEAR(interval.confidence, row.confidence, 5e-5) << row.n;
    }
}

TEST(MedianInterval, TooFewPairsAreAFailure) {
    EXPECT_THROW((void)median_interval({}), Error);
    EXPECT_THROW((void)median_interval(ranks(5)), Error);
}

TEST(MedianInterval, FallsShortOnlyWhollyBelow) {
    const MedianInterval interval{0.9, 0.85, 0.949, 0.95};
    EXPECT_TRUE(falls_short(interval, 0.95));
    EXPECT_FALSE(falls_short(interval, 0.949));
    EXPECT_FALSE(falls_short({0.9, 0.8, 0.96, 0.95}, 0.95));
    EXPECT_NE(describe(interval, 20, 0.95).find("falls short"), std::string::npos);
}

} // namespace
} // namespace gem_upload::bench
