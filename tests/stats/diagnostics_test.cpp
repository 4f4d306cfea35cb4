// Worse than useless: a warning on every good series, or silence where runs drift or depend on each
// other.
#include "expected_values.h"
#include "stats/diagnostics.h"
#include "util/error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace gem_upload::stats {
namespace {

using Values = std::vector<double>;
using Indices = std::vector<std::size_t>;

const ExpectedValues& expected() {
    return expected_values("diagnostics");
}
const Values& data(const std::string& name) {
    return expected().data.at(name);
}

/// `scale` is the size of the numbers that differences were made of.
void expect_estimate(const Estimate& estimate, const ExpectedLine& line, double scale) {
    SCOPED_TRACE(line.kind + " " + line.names.front());
    ASSERT_EQ(estimate.status, IntervalStatus::exists);
    EXPECT_NEAR(estimate.value, line.numbers[0], tolerance(line.numbers[0], scale));
    EXPECT_NEAR(estimate.interval->low, line.numbers[1], tolerance(line.numbers[1], scale));
    EXPECT_NEAR(estimate.interval->high, line.numbers[2], tolerance(line.numbers[2], scale));
    EXPECT_NEAR(estimate.standard_error, line.numbers[3], tolerance(line.numbers[3], scale));
    EXPECT_NEAR(estimate.degrees_of_freedom, line.numbers[4], tolerance(line.numbers[4]));
}

TEST(Outliers, AgreeWithR) {
    for (const ExpectedLine& line : expected().of_kind("outliers")) {
        SCOPED_TRACE(line.names.front());
        EXPECT_EQ(outliers(data(line.names.front())),
                  Indices(line.numbers.begin(), line.numbers.end()));
    }
    EXPECT_EQ(outliers(data("wild")), (Indices{15, 22}));
}

TEST(Outliers, TheScoreIsTheLimit) {
    const Values values = {-1, 0, 1, 2, -2, 8}; // median 0.5, MAD 1.5: 7.5 * 0.6745 / 1.5 = 3.3725
    EXPECT_EQ(outliers(values), Indices{});
    EXPECT_EQ(outliers(values, 3.37), Indices{5});
    EXPECT_EQ(outliers(values, 3.38), Indices{});
}

TEST(Outliers, WithoutMadTheMeanDeviationServes) {
    EXPECT_EQ(outliers(Values{5, 5, 5, 5, 5, 5, 5, 900}), Indices{7});
    EXPECT_EQ(outliers(Values{5, 5, 5, 5, 4, 6}), Indices{});
    EXPECT_EQ(outliers(Values(9, 0.1)), Indices{});
    EXPECT_EQ(outliers(Values{3}), Indices{});
    EXPECT_EQ(outliers(Values{1e-300, 2e-300, 3e-300, 4e-300, 1e300}), Indices{4});
}

TEST(Autocorrelation, AgreesWithR) {
    for (const ExpectedLine& line : expected().of_kind("acf")) {
        SCOPED_TRACE(line.names.front());
        const Values& values = data(line.names.front());
        const auto found = autocorrelation(values);
        ASSERT_TRUE(found.has_value());
        EXPECT_NEAR(found->lag1, line.numbers[0], 1e-9);
        EXPECT_DOUBLE_EQ(found->threshold, 1.96 / std::sqrt(static_cast<double>(values.size())));
    }
    EXPECT_TRUE(autocorrelation(data("walk"))->significant);
    EXPECT_FALSE(autocorrelation(data("still"))->significant);
}

TEST(Autocorrelation, OfTurnsIsNegativeAndOfNothingNone) {
    EXPECT_DOUBLE_EQ(autocorrelation(Values{1, -1, 1, -1, 1, -1})->lag1, -5.0 / 6);
    EXPECT_TRUE(autocorrelation(Values{1, -1, 1, -1, 1, -1})->significant);
    EXPECT_DOUBLE_EQ(autocorrelation(Values{1e-200, -1e-200, 1e-200, -1e-200})->lag1, -0.75);
    EXPECT_FALSE(autocorrelation(Values{1, 2}).has_value());
    EXPECT_FALSE(autocorrelation(Values(8, 0.1)).has_value());
}

TEST(Drift, SlopeAgreesWithR) {
    for (const double level : {0.9, 0.95}) {
        for (const ExpectedLine& line :
             expected().of_kind(level == 0.9 ? "slope@0.9" : "slope@0.95")) {
            expect_estimate(drift_slope(data(line.names.front()), level), line, 10);
        }
    }
    EXPECT_TRUE(drift_slope(data("drift")).interval->excludes(0));
    EXPECT_FALSE(drift_slope(data("still")).interval->excludes(0));
}

TEST(Drift, HalvesAgreeWithR) {
    for (const ExpectedLine& line : expected().of_kind("halves")) {
        expect_estimate(drift_of_halves(data(line.names.front())), line, 10);
    }
}

TEST(Drift, TheMiddleIsInNeitherHalf) {
    EXPECT_NEAR(drift_of_halves(Values{1, 1, 1e9, 2, 2}).value, std::log(2), 1e-12);
    EXPECT_EQ(drift_of_halves(Values{1, 2}).status, IntervalStatus::too_few_values);
}

TEST(Drift, EdgesHaveNoInterval) {
    EXPECT_EQ(drift_slope(Values{5}).status, IntervalStatus::too_few_values);
    EXPECT_EQ(drift_slope(Values{5, 6}).status, IntervalStatus::too_few_values);
    EXPECT_NEAR(drift_slope(Values{5, 6}).value, std::log(1.2), 1e-12);
    EXPECT_EQ(drift_slope(Values(5, 0.1)).status, IntervalStatus::constant_values);
    const Estimate exact = drift_slope(Values{1, 2, 4, 8, 16});
    EXPECT_EQ(exact.status, IntervalStatus::constant_values);
    EXPECT_NEAR(exact.value, std::log(2), 1e-12);
    EXPECT_TRUE(std::isfinite(drift_slope(Values{1e-300, 1e300, 1}).interval->high));
}

TEST(OrderEffect, AgreesWithR) {
    for (const ExpectedLine& line : expected().of_kind("order")) {
        expect_estimate(order_effect(data(line.names[0]), data(line.names[1])), line, 0.1);
    }
}

TEST(OrderEffect, IsOfTheSecondRunAndNotOfTheMethods) {
    // B is 10 higher than A; a second run is 1 higher than a first one.
    const Estimate effect = order_effect(Values{11.1, 10.9}, Values{9.1, 8.9});
    EXPECT_NEAR(effect.value, 1, 1e-12);
    EXPECT_EQ(order_effect(Values{1}, Values{2, 3}).status, IntervalStatus::too_few_values);
    EXPECT_EQ(order_effect(Values{1, 1}, Values{2, 2}).status, IntervalStatus::constant_values);
}

TEST(Ties, CountsDistinctAndTied) {
    const Ties some = ties(Values{3, 1, 2, 1, 3, 1});
    EXPECT_EQ(some.distinct, 3U);
    EXPECT_DOUBLE_EQ(some.tied_share, 5.0 / 6);
    EXPECT_FALSE(some.coarse); // just half
    EXPECT_TRUE(ties(Values{3, 1, 3, 1, 3}).coarse);
    EXPECT_TRUE(ties(Values(10, 0.1)).coarse);
    EXPECT_EQ(ties(Values{0.0, -0.0}).distinct, 1U);
    const Ties one = ties(Values{7});
    EXPECT_EQ(one.distinct, 1U);
    EXPECT_EQ(one.tied_share, 0);
    EXPECT_FALSE(one.coarse);
}

TEST(Diagnostics, RefuseWhatHasNoAnswer) {
    const Values none;
    const Values bad = {1, 2, NAN};
    const Values zero = {1, 0, 2};
    const Values good = {1, 2, 4};
    for (const Values& values : {none, bad}) {
        EXPECT_THROW((void)outliers(values), Error);
        EXPECT_THROW((void)autocorrelation(values), Error);
        EXPECT_THROW((void)drift_slope(values), Error);
        EXPECT_THROW((void)drift_of_halves(values), Error);
        EXPECT_THROW((void)order_effect(values, good), Error);
        EXPECT_THROW((void)order_effect(good, values), Error);
        EXPECT_THROW((void)ties(values), Error);
    }
    EXPECT_THROW((void)drift_slope(zero), Error);
    EXPECT_THROW((void)drift_of_halves(zero), Error);
    EXPECT_THROW((void)drift_of_halves(Values{1}), Error);
    EXPECT_THROW((void)outliers(good, 0), Error);
    EXPECT_THROW((void)outliers(good, NAN), Error);
    EXPECT_THROW((void)drift_slope(good, 1), Error);
}

} // namespace
} // namespace gem_upload::stats
