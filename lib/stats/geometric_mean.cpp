#include "stats/geometric_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gem_upload::stats {
namespace {

double finite_exp(double log) {
    return std::min(std::exp(log), std::numeric_limits<double>::max());
}

} // namespace

GeometricMean geometric_mean(std::span<const double> values, double confidence) {
    // Ratios to 1 lose nothing, and have the limit of rounding that logs need: a mean log near 0
    // would make rounding pass for spread.
    const std::vector<double> ones(values.size(), 1.0);
    GeometricMean mean{.log = paired_log_ratio(ones, values, confidence)};
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    // Equal values have exactly their own mean.
    mean.value = std::clamp(finite_exp(mean.log.value), *least, *greatest);
    if (mean.log.interval) {
        mean.interval =
            Interval{finite_exp(mean.log.interval->low), finite_exp(mean.log.interval->high)};
    }
    return mean;
}

} // namespace gem_upload::stats
