// Worse than useless: runs that are said to be enough and are not.
#include "expected_values.h"
#include "stats/power.h"
#include "util/error.h"

#include <cmath>
#include <gtest/gtest.h>

namespace gem_upload::stats {
namespace {

Design design_of(const ExpectedLine& line) {
    return line.names[0] == "paired" ? Design::pairs : Design::two_sides;
}

// R's own noncentral t is good to about 1e-12, and its tail to less.
TEST(Power, AgreesWithR) {
    for (const ExpectedLine& line : expected_values("decisions").of_kind("power")) {
        SCOPED_TRACE(line.names[0] + " " + std::to_string(line.numbers[0]));
        EXPECT_NEAR(power_of_t_test(design_of(line), line.numbers[0], line.numbers[1], 1),
                    line.numbers[2], 1e-9);
    }
}

TEST(Power, TheSmallestDetectableChangeAgreesWithR) {
    for (const ExpectedLine& line : expected_values("decisions").of_kind("detectable")) {
        SCOPED_TRACE(line.names[0] + " " + std::to_string(line.numbers[0]));
        EXPECT_NEAR(smallest_detectable(design_of(line), line.numbers[0], 1, line.numbers[1]),
                    line.numbers[2], 1e-8 * line.numbers[2]);
    }
}

TEST(Power, IsTheSizeWithoutAChangeAndOneForAHugeOne) {
    EXPECT_DOUBLE_EQ(power_of_t_test(Design::pairs, 10, 0, 1), 0.05);
    EXPECT_DOUBLE_EQ(power_of_t_test(Design::pairs, 10, 1e6, 1), 1);
    EXPECT_DOUBLE_EQ(power_of_t_test(Design::pairs, 10, -0.8, 1),
                     power_of_t_test(Design::pairs, 10, 0.8, 1));
}

TEST(Power, OfAnEstimateIsThatOfItsDesign) {
    const Estimate pairs{.value = 0.3,
                         .standard_error = 2 / std::sqrt(10),
                         .degrees_of_freedom = 9,
                         .status = IntervalStatus::exists};
    EXPECT_NEAR(*smallest_detectable(pairs), smallest_detectable(Design::pairs, 10, 2), 1e-12);
    EXPECT_EQ(smallest_detectable(Estimate{}), std::nullopt);
    EXPECT_EQ(smallest_detectable(Estimate{.status = IntervalStatus::constant_values}), 0.0);
}

TEST(Power, TheRunsNeededAreTheFewestThatAreEnough) {
    constexpr double spread = 0.01;
    constexpr double margin = 0.01;
    for (const std::uint64_t now : {2U, 5U, 10U, 40U}) {
        const double n = static_cast<double>(now);
        const Estimate pairs{.standard_error = spread / std::sqrt(n),
                             .degrees_of_freedom = n - 1,
                             .status = IntervalStatus::exists};
        const std::uint64_t needed = *runs_needed(pairs, now, margin);
        const auto half_width = [&](double count) {
            return student_quantile(0.975, count - 1) * spread / std::sqrt(count);
        };
        EXPECT_LE(half_width(static_cast<double>(needed)), margin / 2) << now;
        EXPECT_GT(half_width(static_cast<double>(needed - 1)), margin / 2) << now;
    }
}

TEST(Power, RunsNeededHaveBounds) {
    const auto with_spread = [](double standard_error) {
        return Estimate{.standard_error = standard_error,
                        .degrees_of_freedom = 9,
                        .status = IntervalStatus::exists};
    };
    EXPECT_EQ(runs_needed(with_spread(1e-9), 10, 0.01), 2U);
    EXPECT_EQ(runs_needed(with_spread(1e9), 10, 0.01), most_runs_needed);
    EXPECT_EQ(runs_needed(Estimate{.status = IntervalStatus::constant_values}, 10, 0.01), 2U);
    EXPECT_EQ(runs_needed(Estimate{}, 1, 0.01), std::nullopt);
}

TEST(Power, WhatMakesNoSenseIsRefused) {
    EXPECT_THROW((void)power_of_t_test(Design::pairs, 1, 1, 1), Error);
    EXPECT_THROW((void)power_of_t_test(Design::pairs, 10, std::nan(""), 1), Error);
    EXPECT_THROW((void)power_of_t_test(Design::pairs, 10, 1, 0), Error);
    EXPECT_THROW((void)power_of_t_test(Design::pairs, 10, 1, 1, 1), Error);
    EXPECT_THROW((void)smallest_detectable(Design::pairs, 10, 1, 0.04), Error);
    EXPECT_THROW((void)smallest_detectable(Design::pairs, 10, 1, 1), Error);
    EXPECT_THROW((void)runs_needed(Estimate{}, 0, 0.01), Error);
    EXPECT_THROW((void)runs_needed(Estimate{}, 10, 0), Error);
}

} // namespace
} // namespace gem_upload::stats
