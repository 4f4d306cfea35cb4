// Worse than useless: adjusted values that belong to other comparisons, or are too small.
#include "expected_values.h"
#include "stats/multiple.h"
#include "util/error.h"

#include <cmath>
#include <gtest/gtest.h>

namespace gem_upload::stats {
namespace {

using Adjust = std::vector<double> (*)(std::span<const double>);

void expect_as_r(const std::string& kind, Adjust adjust) {
    for (const ExpectedLine& line : expected_values("decisions").of_kind(kind)) {
        SCOPED_TRACE(kind + " " + line.names[0]);
        const std::vector<double> found =
            adjust(expected_values("decisions").data.at(line.names[0]));
        ASSERT_EQ(found.size(), line.numbers.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NEAR(found[i], line.numbers[i], tolerance(line.numbers[i]));
        }
    }
}

TEST(Multiple, HolmAgreesWithR) {
    expect_as_r("holm", holm);
}

TEST(Multiple, BenjaminiAndHochbergAgreeWithR) {
    expect_as_r("bh", benjamini_hochberg);
}

TEST(Multiple, NothingStaysNothing) {
    EXPECT_TRUE(holm({}).empty());
    EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(Multiple, WhatIsNoProbabilityIsRefused) {
    for (const double wrong : {-0.1, 1.1, std::nan("")}) {
        const std::vector<double> values{0.5, wrong};
        EXPECT_THROW((void)holm(values), Error);
        EXPECT_THROW((void)benjamini_hochberg(values), Error);
    }
}

} // namespace
} // namespace gem_upload::stats
