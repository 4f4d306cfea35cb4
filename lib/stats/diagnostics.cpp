#include "stats/diagnostics.h"

#include "stats/summary.h"
#include "stats/values.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace gem_upload::stats {
namespace {

std::vector<double> distances_from_median(std::span<const double> values) {
    const double median = quantile(values, 0.5);
    std::vector<double> distances(values.size());
    std::transform(values.begin(), values.end(), distances.begin(),
                   [median](double value) { return std::abs(value - median); });
    return distances;
}

/// What a distance is divided by to be a score that is normal for normal values.
double outlier_scale(std::span<const double> distances) {
    const double mad = quantile(distances, 0.5);
    return mad > 0 ? mad / 0.6745 : 1.253314 * summarize(distances).mean;
}

struct DriftLine {
    double slope = 0;
    double residual_squares = 0;
    double position_squares = 0;
};

/// Least squares over 0, 1, 2, ...
DriftLine fit_drift(std::span<const double> values) {
    const double middle = static_cast<double>(values.size() - 1) / 2;
    const double mean = summarize(values).mean;
    DriftLine line;
    double products = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double position = static_cast<double>(i) - middle;
        line.position_squares += position * position;
        products += position * (values[i] - mean);
    }
    line.slope = products / line.position_squares;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double position = static_cast<double>(i) - middle;
        const double residual = values[i] - mean - line.slope * position;
        line.residual_squares += residual * residual;
    }
    return line;
}

Interval half_interval(const Interval& interval) {
    return {interval.low / 2, interval.high / 2};
}

} // namespace

std::vector<std::size_t> outliers(std::span<const double> values, double score) {
    if (!(score > 0)) {
        throw usage_error(fmt::format("an outlier's score must be above 0, not {}", score));
    }
    const std::vector<double> distances = distances_from_median(values);
    const double limit = score * outlier_scale(distances);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < distances.size(); ++i) {
        if (distances[i] > limit) {
            found.push_back(i);
        }
    }
    return found;
}

std::optional<Autocorrelation> autocorrelation(std::span<const double> values) {
    const Summary summary = summarize(values);
    if (summary.n < 3 || summary.min == summary.max) {
        return std::nullopt;
    }
    // Scaled, so that squares of tiny deviations do not vanish.
    const double range = summary.max - summary.min;
    double squares = 0;
    double products = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double deviation = (values[i] - summary.mean) / range;
        squares += deviation * deviation;
        products += i > 0 ? deviation * ((values[i - 1] - summary.mean) / range) : 0;
    }
    const double lag1 = products / squares;
    const double threshold = 1.96 / std::sqrt(static_cast<double>(summary.n));
    return Autocorrelation{
        .lag1 = lag1, .threshold = threshold, .significant = std::abs(lag1) > threshold};
}

Estimate drift_slope(std::span<const double> values, double confidence) {
    require_confidence(confidence);
    require_finite(values);
    const std::vector<double> series = logs(values);
    if (series.size() < 2) {
        return {};
    }
    const DriftLine line = fit_drift(series);
    if (series.size() < 3) {
        return {.value = line.slope};
    }
    const double degrees_of_freedom = static_cast<double>(series.size() - 2);
    const double spread = std::sqrt(line.residual_squares / degrees_of_freedom);
    const Summary summary = summarize(series);
    const double scale = std::max({1.0, std::abs(summary.min), std::abs(summary.max)});
    if (spread <= 10 * std::numeric_limits<double>::epsilon() * scale) {
        return {.value = line.slope, .status = IntervalStatus::constant_values};
    }
    const double standard_error = spread / std::sqrt(line.position_squares);
    return {.value = line.slope,
            .standard_error = standard_error,
            .degrees_of_freedom = degrees_of_freedom,
            .status = IntervalStatus::exists,
            .interval =
                student_interval(line.slope, standard_error, degrees_of_freedom, confidence)};
}

Estimate drift_of_halves(std::span<const double> values, double confidence) {
    require_finite(values);
    if (values.size() < 2) {
        throw usage_error("two halves need two values or more");
    }
    require_positive(values); // the middle one too
    const std::size_t half = values.size() / 2;
    return welch_log_ratio(values.first(half), values.last(half), confidence);
}

Estimate order_effect(std::span<const double> a_first, std::span<const double> b_first,
                      double confidence) {
    Estimate effect = welch_difference(b_first, a_first, confidence);
    effect.value /= 2;
    effect.standard_error /= 2;
    if (effect.interval) {
        effect.interval = half_interval(*effect.interval);
    }
    return effect;
}

Ties ties(std::span<const double> values) {
    require_finite(values);
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    Ties result;
    std::size_t tied = 0;
    for (auto run = sorted.begin(); run != sorted.end();) {
        const auto end = std::upper_bound(run, sorted.end(), *run);
        const auto length = static_cast<std::size_t>(end - run);
        ++result.distinct;
        tied += length > 1 ? length : 0;
        run = end;
    }
    result.tied_share = static_cast<double>(tied) / static_cast<double>(sorted.size());
    result.coarse = 2 * result.distinct < sorted.size();
    return result;
}

} // namespace gem_upload::stats
