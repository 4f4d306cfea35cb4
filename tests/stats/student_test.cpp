// Worse than useless: an interval that is too narrow (false alarms), NaN where no interval exists,
// pairs that are not paired.
#include "expected_values.h"
#include "stats/student.h"
#include "stats/summary.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace gem_upload::stats {
namespace {

using Values = std::vector<double>;

const Values& data(const std::string& name) {
    return expected_values().data.at(name);
}

void expect_estimate(const Estimate& estimate, const ExpectedLine& line, double scale) {
    SCOPED_TRACE(line.kind + " " + line.names.front() + " " + line.names.back());
    ASSERT_EQ(estimate.status, IntervalStatus::exists);
    ASSERT_TRUE(estimate.interval.has_value());
    EXPECT_NEAR(estimate.value, line.numbers[0], tolerance(line.numbers[0], scale));
    EXPECT_NEAR(estimate.interval->low, line.numbers[1], tolerance(line.numbers[1], scale));
    EXPECT_NEAR(estimate.interval->high, line.numbers[2], tolerance(line.numbers[2], scale));
    EXPECT_NEAR(estimate.standard_error, line.numbers[3], tolerance(line.numbers[3], scale));
    EXPECT_NEAR(estimate.degrees_of_freedom, line.numbers[4], tolerance(line.numbers[4]));
}

using TwoSets = Estimate (*)(std::span<const double>, std::span<const double>, double);

void expect_two_sets(const std::string& kind, TwoSets compute, bool logs) {
    for (const double level : {0.9, 0.95}) {
        for (const ExpectedLine& line :
             expected_values().of_kind(kind + (level == 0.9 ? "@0.9" : "@0.95"))) {
            const Values& reference = data(line.names[0]);
            const double size = summarize(reference).max;
            expect_estimate(compute(reference, data(line.names[1]), level), line,
                            logs ? std::log(size) : size);
        }
    }
}

TEST(Student, QuantilesAgreeWithR) {
    for (const ExpectedLine& line : expected_values().of_kind("quantile_t")) {
        EXPECT_NEAR(student_quantile(line.numbers[0], line.numbers[1]), line.numbers[2],
                    tolerance(line.numbers[2]));
    }
}

TEST(Student, DistributionAgreesWithR) {
    for (const ExpectedLine& line : expected_values().of_kind("distribution_t")) {
        EXPECT_NEAR(student_distribution(line.numbers[0], line.numbers[1]), line.numbers[2],
                    tolerance(line.numbers[2]));
    }
}

TEST(Student, QuantilesAreThePublishedTable) {
    // Two-sided 95 % for 1 to 30 degrees of freedom, as statistics books and ministat table them.
    const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                            2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                            2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    double degrees_of_freedom = 0;
    for (const double tabled : table) {
        EXPECT_NEAR(student_quantile(0.975, ++degrees_of_freedom), tabled, 0.0005);
    }
}

TEST(Student, MeanIntervalAgreesWithR) {
    for (const ExpectedLine& line : expected_values().of_kind("mean@0.95")) {
        const Values& values = data(line.names[0]);
        expect_estimate(mean_interval(values), line, summarize(values).max);
    }
    for (const ExpectedLine& line : expected_values().of_kind("mean@0.9")) {
        const Values& values = data(line.names[0]);
        expect_estimate(mean_interval(values, 0.9), line, summarize(values).max);
    }
}

TEST(Student, PooledAgreesWithR) {
    expect_two_sets("pooled", pooled_difference, false);
}
TEST(Student, WelchAgreesWithR) {
    expect_two_sets("welch", welch_difference, false);
}
TEST(Student, WelchOnLogsAgreesWithR) {
    expect_two_sets("welch_log", welch_log_ratio, true);
}
TEST(Student, PairedOnLogsAgreesWithR) {
    expect_two_sets("paired_log", paired_log_ratio, true);
}

TEST(Student, PairingSeesThroughDrift) {
    // 1 % apart under a drift of 14 %: the reason for pairing by round.
    const Estimate paired = paired_log_ratio(data("drift_a"), data("drift_b"));
    const Estimate unpaired = welch_log_ratio(data("drift_a"), data("drift_b"));
    EXPECT_TRUE(paired.interval->excludes(0));
    EXPECT_FALSE(unpaired.interval->excludes(0));
}

TEST(Student, SwappingTheSidesOnlyTurnsTheSign) {
    const Estimate there = welch_log_ratio(data("pwrite"), data("gtt"));
    const Estimate back = welch_log_ratio(data("gtt"), data("pwrite"));
    EXPECT_DOUBLE_EQ(there.value, -back.value);
    EXPECT_NEAR(there.interval->low, -back.interval->high, 1e-12);
}

TEST(Student, FewValuesHaveNoInterval) {
    const Values one = {100};
    const Values other = {110};
    const Values two = {99, 101};
    for (const Estimate& estimate :
         {mean_interval(one), welch_difference(one, two), welch_log_ratio(two, one),
          paired_log_ratio(one, other), pooled_difference(one, other)}) {
        EXPECT_EQ(estimate.status, IntervalStatus::too_few_values);
        EXPECT_FALSE(estimate.interval.has_value());
        EXPECT_TRUE(std::isfinite(estimate.value));
    }
    EXPECT_NEAR(percent_change(paired_log_ratio(one, other).value), 10, 1e-12);
    EXPECT_TRUE(pooled_difference(one, two).interval.has_value()); // one spread serves both
}

TEST(Student, ConstantValuesHaveNoInterval) {
    const Values tenth(4, 0.1);
    const Values seventh(4, 0.7);
    Values ratio_only = {1000.1, 1234.5, 999.9, 1100.7};
    Values scaled = ratio_only;
    std::for_each(scaled.begin(), scaled.end(), [](double& value) { value *= 1.1; });
    for (const Estimate& estimate :
         {mean_interval(tenth), welch_difference(tenth, seventh), welch_log_ratio(tenth, seventh),
          pooled_difference(tenth, seventh), paired_log_ratio(ratio_only, scaled),
          paired_log_ratio(tenth, tenth)}) {
        EXPECT_EQ(estimate.status, IntervalStatus::constant_values);
        EXPECT_FALSE(estimate.interval.has_value());
        EXPECT_TRUE(std::isfinite(estimate.value));
    }
    // A spread on one side is enough for Welch.
    EXPECT_TRUE(welch_log_ratio(tenth, ratio_only).interval.has_value());
}

TEST(Student, TinyAndHugeSpreadsStayNumbers) {
    const Values tiny = {1e-100, 2e-100, 4e-100};
    const Values huge = {1e100, 2e100, 1e-100};
    for (const Estimate& estimate :
         {welch_difference(tiny, huge), welch_difference(tiny, tiny), welch_log_ratio(tiny, huge),
          paired_log_ratio(tiny, huge), pooled_difference(huge, tiny), mean_interval(tiny)}) {
        ASSERT_TRUE(estimate.interval.has_value());
        EXPECT_TRUE(std::isfinite(estimate.interval->low));
        EXPECT_TRUE(std::isfinite(estimate.interval->high));
        EXPECT_GE(estimate.degrees_of_freedom, 1);
    }
    const Interval percent = percent_change(*paired_log_ratio(tiny, huge).interval);
    EXPECT_TRUE(std::isfinite(percent.high));
    EXPECT_GE(percent.low, -100);
}

TEST(Student, RefusesWhatHasNoAnswer) {
    const Values good = {1, 2, 3};
    const Values zero = {1, 0, 3};
    const Values two = {1, 2};
    EXPECT_THROW((void)welch_log_ratio(good, zero), Error);
    EXPECT_THROW((void)paired_log_ratio(zero, good), Error);
    EXPECT_THROW((void)paired_log_ratio(good, two), Error);
    EXPECT_THROW((void)mean_interval(Values{}), Error);
    EXPECT_THROW((void)mean_interval(Values{1, NAN}), Error);
    EXPECT_THROW((void)mean_interval(good, 1.0), Error);
    EXPECT_THROW((void)mean_interval(good, NAN), Error);
    EXPECT_THROW((void)student_quantile(0, 3), Error);
    EXPECT_THROW((void)student_quantile(0.5, 0), Error);
    EXPECT_THROW((void)student_distribution(NAN, 3), Error);
    EXPECT_THROW((void)student_distribution(1, -1), Error);
}

TEST(Student, PercentOfALogRatio) {
    EXPECT_NEAR(percent_change(std::log(1.25)), 25, 1e-12);
    EXPECT_NEAR(percent_change(std::log(0.5)), -50, 1e-12);
    EXPECT_EQ(percent_change(0), 0);
    EXPECT_EQ(percent_change(1e6), std::numeric_limits<double>::max());
}

} // namespace
} // namespace gem_upload::stats
