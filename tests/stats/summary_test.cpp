// Worse than useless: a spread of 0 where the mean dwarfs it (ministat's own defect), a NaN that
// travels on into a table, a summary that depends on the order of the values.
#include "expected_values.h"
#include "stats/summary.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace gem_upload::stats {
namespace {

TEST(Summary, AgreesWithR) {
    for (const ExpectedLine& line : expected_values().of_kind("summary")) {
        SCOPED_TRACE(line.names.front());
        const Summary summary = summarize(expected_values().data.at(line.names.front()));
        EXPECT_EQ(summary.min, line.numbers[0]);
        EXPECT_EQ(summary.max, line.numbers[1]);
        EXPECT_NEAR(summary.median, line.numbers[2], tolerance(line.numbers[2]));
        EXPECT_NEAR(summary.mean, line.numbers[3], tolerance(line.numbers[3]));
        EXPECT_NEAR(summary.stddev.value(), line.numbers[4], tolerance(line.numbers[4]));
    }
}

TEST(Summary, QuantilesAgreeWithR) {
    for (const ExpectedLine& line : expected_values().of_kind("quantiles")) {
        SCOPED_TRACE(line.names.front());
        const std::vector<double>& values = expected_values().data.at(line.names.front());
        EXPECT_NEAR(quantile(values, 0.1), line.numbers[0], tolerance(line.numbers[0]));
        EXPECT_NEAR(quantile(values, 0.25), line.numbers[1], tolerance(line.numbers[1]));
        EXPECT_NEAR(quantile(values, 0.9), line.numbers[2], tolerance(line.numbers[2]));
        EXPECT_EQ(quantile(values, 0), *std::min_element(values.begin(), values.end()));
        EXPECT_EQ(quantile(values, 1), *std::max_element(values.begin(), values.end()));
    }
}

TEST(Summary, KeepsTheSpreadBesideALargeMean) {
    // The spread of 4, 7, 13, 16 is the square root of 30, however far they are moved.
    for (const double shift : {0.0, 1e6, 1e9, 1e12, 1e14}) {
        const std::vector<double> values = {shift + 4, shift + 7, shift + 13, shift + 16};
        EXPECT_NEAR(summarize(values).stddev.value(), std::sqrt(30.0), 1e-12) << shift;
    }
}

TEST(Summary, EqualValuesHaveExactlyNoSpread) {
    const std::vector<double> values(1000, 0.1);
    EXPECT_EQ(summarize(values).mean, 0.1);
    EXPECT_EQ(summarize(values).stddev.value(), 0.0);
}

TEST(Summary, OneValueHasNoSpread) {
    const std::vector<double> one = {5.5};
    const Summary summary = summarize(one);
    EXPECT_EQ(summary.mean, 5.5);
    EXPECT_EQ(summary.median, 5.5);
    EXPECT_FALSE(summary.stddev.has_value());
}

TEST(Summary, RefusesWhatHasNoSummary) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const std::vector<std::vector<double>> bad = {{},        {1, NAN},        {inf, 1, 2},
                                                  {1, -inf}, {1e308, -1e308}, {1.7e308, 0}};
    for (const std::vector<double>& values : bad) {
        EXPECT_THROW((void)summarize(values), Error) << values.size();
    }
    EXPECT_THROW((void)quantile(std::vector<double>{1.0}, NAN), Error);
    EXPECT_THROW((void)quantile(std::vector<double>{1.0}, 1.5), Error);
}

TEST(Summary, NamesTheValueItRefuses) {
    try {
        (void)summarize(std::vector<double>{1, 2, NAN});
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "value 3 of 3 is nan: only finite numbers can be summarised");
        EXPECT_EQ(error.status(), Exit::usage);
    }
}

} // namespace
} // namespace gem_upload::stats
