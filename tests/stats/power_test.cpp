// Worse than useless: runs that are said to be enough and are not.
#include "expected_values.h"
#include "stats/equivalence.h"
#include "stats/power.h"
#include "util/error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

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

// R's quadrature ends at 1e-13 an interval; the last lines are beyond the series, where the limit
// is good to 1 over the noncentrality's square.
TEST(Power, OfFewRunsGrowsSlowlyWhereTheSizeIsSmall) {
    for (const ExpectedLine& line : expected_values("decisions").of_kind("far")) {
        SCOPED_TRACE(std::to_string(line.numbers[0]) + " " + std::to_string(line.numbers[2]));
        const double n = line.numbers[0] + 1;
        EXPECT_NEAR(
            power_of_t_test(Design::pairs, n, line.numbers[2] / std::sqrt(n), 1, line.numbers[1]),
            line.numbers[3], 3e-9);
    }
}

TEST(Power, OfTheSmallestDetectableChangeIsWhatWasAskedFor) {
    for (const double n : {2.0, 3.0, 10.0}) {
        for (const double size : {0.05, 1e-3, 1e-5}) {
            for (const double power : {0.5, 0.8, 0.999}) {
                const double change = smallest_detectable(Design::pairs, n, 2, power, size);
                EXPECT_NEAR(power_of_t_test(Design::pairs, n, change, 2, size), power, 1e-9)
                    << n << ' ' << size << ' ' << power;
            }
        }
    }
}

// The figures of everyday use, as multiples of the spread.
TEST(Power, FiveToThirtyRunsDetectWhatIsSaidOfThem) {
    const auto rounded = [](Design design, double n) {
        return std::round(100 * smallest_detectable(design, n, 1)) / 100;
    };
    EXPECT_DOUBLE_EQ(rounded(Design::two_sides, 5), 2.02);
    EXPECT_DOUBLE_EQ(rounded(Design::two_sides, 10), 1.32);
    EXPECT_DOUBLE_EQ(rounded(Design::two_sides, 20), 0.91);
    EXPECT_DOUBLE_EQ(rounded(Design::two_sides, 30), 0.74);
    EXPECT_DOUBLE_EQ(rounded(Design::pairs, 10), 1.0);
    EXPECT_DOUBLE_EQ(rounded(Design::pairs, 20), 0.66);
}

TEST(Power, TheRunsThatDetectAChangeAreRsRoundedUp) {
    for (const ExpectedLine& line : expected_values("decisions").of_kind("runs")) {
        SCOPED_TRACE(line.names[0] + " " + std::to_string(line.numbers[0]));
        const auto expected = static_cast<std::uint64_t>(std::ceil(line.numbers[2]));
        EXPECT_EQ(runs_to_detect(design_of(line), 1, line.numbers[0], line.numbers[1]), expected);
        EXPECT_EQ(runs_to_detect(design_of(line), 3, -3 * line.numbers[0], line.numbers[1]),
                  expected);
    }
    EXPECT_EQ(runs_to_detect(Design::pairs, 1, 1e9), 2U);
    EXPECT_EQ(runs_to_detect(Design::pairs, 1, 1e-9), most_runs_needed);
}

TEST(Power, IsTheSizeWithoutAChangeAndOneForAHugeOne) {
    EXPECT_DOUBLE_EQ(power_of_t_test(Design::pairs, 10, 0, 1), 0.05);
    EXPECT_DOUBLE_EQ(power_of_t_test(Design::pairs, 10, 1e6, 1), 1);
    EXPECT_DOUBLE_EQ(power_of_t_test(Design::pairs, 2, std::numeric_limits<double>::max(), 1e-300),
                     1);
    EXPECT_NEAR(power_of_t_test(Design::pairs, 10, 1e-300, 1, 1e-20), 1e-20, 1e-29);
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

TEST(Power, TheRunsNeededDecideEveryVerdict) {
    constexpr double margin = 0.01;
    const Estimate now{
        .standard_error = 0.005, .degrees_of_freedom = 9, .status = IntervalStatus::exists};
    const double needed = static_cast<double>(*runs_needed(now, 10, margin));
    Estimate then{.standard_error = now.standard_error * std::sqrt(10 / needed),
                  .degrees_of_freedom = needed - 1,
                  .status = IntervalStatus::exists};
    for (then.value = -0.03; then.value < 0.03; then.value += 1e-5) {
        EXPECT_NE(verdict(then, margin), Verdict::inconclusive) << then.value;
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
    for (const double change : {0.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_THROW((void)runs_to_detect(Design::pairs, 1, change), Error);
    }
    EXPECT_THROW((void)runs_to_detect(Design::pairs, 0, 1), Error);
    EXPECT_THROW((void)runs_to_detect(Design::pairs, 1, 1, 1), Error);
    EXPECT_THROW((void)runs_to_detect(Design::pairs, 1, 1, 0.8, 0), Error);
    EXPECT_THROW((void)runs_needed(Estimate{}, 0, 0.01), Error);
    EXPECT_THROW((void)runs_needed(Estimate{}, 10, 0), Error);
}

} // namespace
} // namespace gem_upload::stats
