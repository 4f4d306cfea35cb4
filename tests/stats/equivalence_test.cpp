// Worse than useless: a regression that passes for equivalent, noise that passes for a regression,
// a verdict on values that say nothing.
#include "expected_values.h"
#include "stats/equivalence.h"
#include "util/error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace gem_upload::stats {
namespace {

Estimate estimate_of(const std::string& name) {
    return mean_interval(expected_values("decisions").data.at(name));
}

Estimate estimate(double value, double standard_error, double degrees_of_freedom) {
    return {.value = value,
            .standard_error = standard_error,
            .degrees_of_freedom = degrees_of_freedom,
            .status = IntervalStatus::exists,
            .interval = std::nullopt};
}

TEST(Equivalence, PValuesAgreeWithR) {
    for (const ExpectedLine& line : expected_values("decisions").of_kind("p")) {
        SCOPED_TRACE(line.names[0]);
        const Estimate found = estimate_of(line.names[0]);
        const double margin = line.numbers[0];
        const auto close = [](double expected) { return 1e-9 * expected + 1e-15; };
        EXPECT_NEAR(p_value(found), line.numbers[1], close(line.numbers[1]));
        EXPECT_NEAR(non_inferiority_p(found, margin), line.numbers[2], close(line.numbers[2]));
        EXPECT_NEAR(equivalence_p(found, margin), line.numbers[3], close(line.numbers[3]));
    }
}

TEST(Equivalence, IntervalsAtAnotherConfidenceAreThoseMadeAtIt) {
    const auto& values = expected_values("decisions").data.at("wide");
    for (const double confidence : {0.5, 0.9, 0.99}) {
        const Interval direct = *mean_interval(values, confidence).interval;
        const Interval found = *interval_at(mean_interval(values), confidence);
        EXPECT_DOUBLE_EQ(found.low, direct.low);
        EXPECT_DOUBLE_EQ(found.high, direct.high);
    }
}

TEST(Equivalence, AVerdictIsTheTestsAtFivePercent) {
    for (double value = -0.03; value <= 0.03; value += 0.001) {
        for (const double standard_error : {0.001, 0.004, 0.02}) {
            const Estimate at = estimate(value, standard_error, 9);
            const Verdict found = verdict(at, 0.01);
            EXPECT_EQ(found == Verdict::equivalent, equivalence_p(at, 0.01) <= 0.05);
            if (found != Verdict::equivalent) {
                const Verdict other = value < 0 ? Verdict::regressed : Verdict::improved;
                EXPECT_EQ(found, p_value(at) < 0.05 ? other : Verdict::inconclusive);
            }
        }
    }
}

TEST(Equivalence, EachVerdictIsReached) {
    EXPECT_EQ(verdict(estimate(0.003, 0.001, 9), 0.01), Verdict::equivalent); // though not 0
    EXPECT_EQ(verdict(estimate(0.02, 0.004, 9), 0.01), Verdict::improved);
    EXPECT_EQ(verdict(estimate(-0.02, 0.004, 9), 0.01), Verdict::regressed);
    EXPECT_EQ(verdict(estimate(0.0, 0.02, 9), 0.01), Verdict::inconclusive);
    EXPECT_EQ(verdict_name(Verdict::equivalent), "equivalent");
    EXPECT_EQ(verdict_name(Verdict::improved), "improved");
    EXPECT_EQ(verdict_name(Verdict::regressed), "regressed");
    EXPECT_EQ(verdict_name(Verdict::inconclusive), "inconclusive");
}

TEST(Equivalence, ValuesThatDoNotVaryAreSure) {
    const auto sure = [](double value) {
        return Estimate{.value = value, .status = IntervalStatus::constant_values};
    };
    EXPECT_EQ(verdict(sure(0), 0.01), Verdict::equivalent);
    EXPECT_EQ(verdict(sure(0.02), 0.01), Verdict::improved);
    EXPECT_EQ(verdict(sure(-0.02), 0.01), Verdict::regressed);
    EXPECT_EQ(p_value(sure(0)), 1);
    EXPECT_EQ(p_value(sure(-1)), 0);
    EXPECT_EQ(equivalence_p(sure(0), 0.01), 0);
    EXPECT_EQ(equivalence_p(sure(0.02), 0.01), 1);
    EXPECT_EQ(non_inferiority_p(sure(0.02), 0.01), 0);
    for (const double at_the_margin : {-0.01, 0.01}) { // as the verdict, so its tests
        EXPECT_EQ(verdict(sure(at_the_margin), 0.01), Verdict::equivalent);
        EXPECT_EQ(equivalence_p(sure(at_the_margin), 0.01), 0);
    }
}

TEST(Equivalence, OneValueSaysNothing) {
    const Estimate one = mean_interval(std::vector<double>{0.5});
    EXPECT_EQ(verdict(one, 0.01), Verdict::inconclusive);
    EXPECT_EQ(p_value(one), 1);
    EXPECT_GT(equivalence_p(one, 0.01), 0.05);
    EXPECT_GT(non_inferiority_p(one, 0.01), 0.05);
    EXPECT_FALSE(interval_at(one, 0.9));
}

TEST(Equivalence, AConfidenceIsBetweenZeroAndOne) {
    for (const double confidence : {-0.5, 0.0, 1.0, 1.5, std::nan("")}) {
        for (const IntervalStatus status : {IntervalStatus::exists, IntervalStatus::constant_values,
                                            IntervalStatus::too_few_values}) {
            Estimate at = estimate(0, 1, 9);
            at.status = status;
            EXPECT_THROW((void)interval_at(at, confidence), Error);
        }
    }
}

TEST(Equivalence, HugeAndTinyEstimatesAreJudged) {
    EXPECT_EQ(verdict(estimate(1e300, 1e290, 9), 0.01), Verdict::improved);
    EXPECT_EQ(verdict(estimate(-1e300, 1e290, 9), 0.01), Verdict::regressed);
    EXPECT_EQ(verdict(estimate(1e-300, 1e-301, 9), 0.01), Verdict::equivalent);
    EXPECT_EQ(verdict(estimate(0, 1e300, 9), 0.01), Verdict::inconclusive);
    EXPECT_EQ(p_value(estimate(0, 1e-300, 9)), 1);
}

TEST(Equivalence, MarginsAreAboveZero) {
    for (const double margin :
         {0.0, -0.01, std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_THROW((void)verdict(estimate(0, 1, 9), margin), Error);
        EXPECT_THROW((void)equivalence_p(estimate(0, 1, 9), margin), Error);
        EXPECT_THROW((void)non_inferiority_p(estimate(0, 1, 9), margin), Error);
        EXPECT_THROW((void)log_margin(margin), Error);
    }
    EXPECT_NEAR(log_margin(0.01), std::log(1.01), 1e-15);
}

} // namespace
} // namespace gem_upload::stats
