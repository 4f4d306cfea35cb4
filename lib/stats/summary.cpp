#include "stats/summary.h"

#include "stats/values.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace gem_upload::stats {
namespace {

/// Counted from the first value, so that equal values have exactly their own mean.
double shifted_mean(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) {
        sum += value - values.front();
    }
    return values.front() + sum / static_cast<double>(values.size());
}

/// The corrected two-pass algorithm (Chan, Golub, LeVeque 1983): the second term removes what the
/// rounded mean leaves.
double variance(std::span<const double> values, double mean) {
    double squares = 0;
    double residue = 0;
    for (const double value : values) {
        const double deviation = value - mean;
        squares += deviation * deviation;
        residue += deviation;
    }
    const double n = static_cast<double>(values.size());
    return std::max(0.0, squares - residue * residue / n) / (n - 1);
}

/// Reorders `values`.
double quantile_in_place(std::vector<double>& values, double probability) {
    const double position = probability * static_cast<double>(values.size() - 1);
    const double below = std::floor(position);
    const auto lower = values.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(values.begin(), lower, values.end());
    if (position == below) {
        return *lower;
    }
    const double upper = *std::min_element(lower + 1, values.end());
    return std::lerp(*lower, upper, position - below);
}

} // namespace

Summary summarize(std::span<const double> values) {
    require_finite(values);
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    Summary summary{.n = values.size(), .min = *min, .max = *max, .mean = shifted_mean(values)};
    summary.median = quantile(values, 0.5);
    if (values.size() > 1) {
        summary.stddev = std::sqrt(variance(values, summary.mean));
    }
    if (!std::isfinite(summary.mean) || !std::isfinite(summary.stddev.value_or(0))) {
        throw usage_error(
            fmt::format("the values are too large to summarise (up to {})", summary.max));
    }
    return summary;
}

double quantile(std::span<const double> values, double probability) {
    require_finite(values);
    if (!(probability >= 0 && probability <= 1)) {
        throw usage_error(fmt::format("a quantile is asked for at {}, which is not between 0 and 1",
                                      probability));
    }
    std::vector<double> copy(values.begin(), values.end());
    return quantile_in_place(copy, probability);
}

} // namespace gem_upload::stats
