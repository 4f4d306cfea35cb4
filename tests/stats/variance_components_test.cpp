// Worse than useless: spread put down to the wrong level, a variance made up where none is known.
#include "expected_values.h"
#include "stats/variance_components.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace gem_upload::stats {
namespace {

/// The data of a line: "shape" holds boots, the processes of each, then the iterations of each.
NestedValues nested(const std::string& name) {
    const ExpectedValues& expected = expected_values("diagnostics");
    const std::vector<double>& shape = expected.data.at(name + ".shape");
    const std::vector<double>& flat = expected.data.at(name);
    const auto boots = static_cast<std::size_t>(shape[0]);
    std::size_t next_shape = 1 + boots;
    std::size_t next_value = 0;
    NestedValues values(boots);
    for (std::size_t boot = 0; boot < boots; ++boot) {
        for (double process = 0; process < shape[1 + boot]; ++process) {
            values[boot].emplace_back();
            for (double left = shape[next_shape]; left > 0; --left) {
                values[boot].back().push_back(flat[next_value++]);
            }
            ++next_shape;
        }
    }
    EXPECT_EQ(next_value, flat.size());
    return values;
}

void expect_component(const VarianceComponent& component, double estimate, double df) {
    EXPECT_EQ(component.degrees_of_freedom, df);
    EXPECT_EQ(component.cut_at_zero, estimate < 0);
    ASSERT_TRUE(component.variance.has_value());
    EXPECT_NEAR(*component.variance, std::max(0.0, estimate), tolerance(estimate));
}

TEST(VarianceComponents, AgreeWithR) {
    bool cut = false;
    for (const ExpectedLine& line : expected_values("diagnostics").of_kind("components")) {
        SCOPED_TRACE(line.names.front());
        const VarianceComponents found = variance_components(nested(line.names.front()));
        expect_component(found.boot, line.numbers[0], line.numbers[3]);
        expect_component(found.process, line.numbers[1], line.numbers[4]);
        expect_component(found.iteration, line.numbers[2], line.numbers[5]);
        cut = cut || found.boot.cut_at_zero || found.process.cut_at_zero;
    }
    EXPECT_TRUE(cut); // else cutting is not tested
}

TEST(VarianceComponents, ByHand) {
    // Process means 1 and 3, 5 and 7; boot means 2 and 6; no spread within a process.
    const VarianceComponents found = variance_components({{{1, 1}, {3, 3}}, {{5, 5}, {7, 7}}});
    EXPECT_EQ(found.iteration.variance, 0.0);
    EXPECT_DOUBLE_EQ(found.process.variance.value(), 2);
    EXPECT_DOUBLE_EQ(found.boot.variance.value(), 7);
}

TEST(VarianceComponents, SingleUnitsAreNotKnown) {
    const VarianceComponents one_boot = variance_components({{{1, 2}, {4, 6}}});
    EXPECT_FALSE(one_boot.boot.variance.has_value());
    EXPECT_TRUE(one_boot.process.variance.has_value());
    const VarianceComponents one_process = variance_components({{{1, 2}}, {{4, 6}}});
    EXPECT_FALSE(one_process.boot.variance.has_value());
    EXPECT_FALSE(one_process.process.variance.has_value());
    EXPECT_DOUBLE_EQ(one_process.iteration.variance.value(), 1.25);
    const VarianceComponents one_iteration = variance_components({{{1}, {2}}, {{4}, {6}}});
    EXPECT_FALSE(one_iteration.iteration.variance.has_value());
    EXPECT_FALSE(one_iteration.process.variance.has_value());
    EXPECT_EQ(one_iteration.process.degrees_of_freedom, 2);
    EXPECT_FALSE(variance_components({{{1}}}).boot.variance.has_value());
}

TEST(VarianceComponents, EqualValuesHaveNone) {
    const VarianceComponents found =
        variance_components({{{0.1, 0.1}, {0.1, 0.1, 0.1}}, {{0.1}, {0.1, 0.1}}});
    EXPECT_EQ(found.boot.variance, 0.0);
    EXPECT_EQ(found.process.variance, 0.0);
    EXPECT_EQ(found.iteration.variance, 0.0);
    EXPECT_FALSE(found.boot.cut_at_zero);
}

TEST(VarianceComponents, AFarOriginLosesNothing) {
    const double far = 1e9;
    const VarianceComponents found = variance_components(
        {{{far + 1, far + 1}, {far + 3, far + 3}}, {{far + 5, far + 5}, {far + 7, far + 7}}});
    EXPECT_DOUBLE_EQ(found.process.variance.value(), 2);
    EXPECT_DOUBLE_EQ(found.boot.variance.value(), 7);
}

TEST(VarianceComponents, RefusesWhatHasNoAnswer) {
    EXPECT_THROW((void)variance_components({}), Error);
    EXPECT_THROW((void)variance_components({{}}), Error);
    EXPECT_THROW((void)variance_components({{{1, 2}, {}}}), Error);
    EXPECT_THROW((void)variance_components({{{1, 2}, {NAN}}}), Error);
    EXPECT_THROW((void)variance_components({{{1e200, -1e200}}, {{1}}}), Error);
}

} // namespace
} // namespace gem_upload::stats
