// Worse than useless: a mean beyond the values, an interval made of rounding.
#include "expected_values.h"
#include "stats/geometric_mean.h"
#include "util/error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace gem_upload::stats {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

TEST(GeometricMean, AgreesWithR) {
    for (const ExpectedLine& line : expected_values("decisions").of_kind("gm")) {
        SCOPED_TRACE(line.names[0]);
        const auto& values = expected_values("decisions").data.at(line.names[0]);
        const GeometricMean found = geometric_mean(values, line.numbers[0]);
        EXPECT_NEAR(found.value, line.numbers[1], tolerance(line.numbers[1]));
        ASSERT_TRUE(found.interval);
        EXPECT_NEAR(found.interval->low, line.numbers[2], tolerance(line.numbers[2]));
        EXPECT_NEAR(found.interval->high, line.numbers[3], tolerance(line.numbers[3]));
    }
}

TEST(GeometricMean, OfTheInversesIsTheInverse) {
    const std::vector<double> values{0.5, 3, 20, 7};
    std::vector<double> inverses;
    for (const double value : values) {
        inverses.push_back(1 / value);
    }
    const GeometricMean mean = geometric_mean(values);
    const GeometricMean inverse = geometric_mean(inverses);
    EXPECT_NEAR(mean.value * inverse.value, 1, 1e-14);
    EXPECT_NEAR(mean.interval->low * inverse.interval->high, 1, 1e-12);
}

TEST(GeometricMean, OneValueIsItsOwnWithoutAnInterval) {
    const GeometricMean mean = geometric_mean(std::vector<double>{7.3});
    EXPECT_EQ(mean.value, 7.3);
    EXPECT_EQ(mean.log.status, IntervalStatus::too_few_values);
    EXPECT_FALSE(mean.interval);
}

TEST(GeometricMean, OfEqualValuesIsExactlyThem) {
    for (const double value : {1.0, 7.3, 1e-300, 1e300, largest}) {
        const GeometricMean mean = geometric_mean(std::vector<double>(5, value));
        EXPECT_EQ(mean.value, value);
        EXPECT_EQ(mean.log.status, IntervalStatus::constant_values);
        EXPECT_FALSE(mean.interval);
    }
}

TEST(GeometricMean, RoundingNearOneIsNoSpread) {
    const std::vector<double> values{1, std::nextafter(1, 2), 1, std::nextafter(1, 0)};
    EXPECT_EQ(geometric_mean(values).log.status, IntervalStatus::constant_values);
}

TEST(GeometricMean, HugeAndTinyValuesStayFinite) {
    const GeometricMean mean = geometric_mean(std::vector<double>{1e-300, 1e300});
    EXPECT_NEAR(mean.value, 1, 1e-12);
    EXPECT_EQ(mean.interval->low, 0);
    EXPECT_EQ(mean.interval->high, largest);
}

TEST(GeometricMean, WhatHasNoLogIsRefused) {
    EXPECT_THROW((void)geometric_mean({}), Error);
    for (const double wrong : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_THROW((void)geometric_mean(std::vector<double>{1, wrong}), Error);
    }
    for (const double confidence : {0.0, 1.0, std::nan("")}) {
        EXPECT_THROW((void)geometric_mean(std::vector<double>{1, 2}, confidence), Error);
    }
}

} // namespace
} // namespace gem_upload::stats
