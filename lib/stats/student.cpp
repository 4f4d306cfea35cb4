#include "stats/student.h"

#include "stats/summary.h"
#include "stats/values.h"
#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

namespace gem_upload::stats {
namespace {

boost::math::students_t distribution(double degrees_of_freedom) {
    if (!(degrees_of_freedom > 0)) {
        throw usage_error(fmt::format("Student's t needs degrees of freedom above 0, not {}",
                                      degrees_of_freedom));
    }
    return boost::math::students_t{degrees_of_freedom};
}

/// The estimate with its interval, or without where the standard error is mere rounding of numbers
/// of the size `scale` (R's t.test refuses at the same limit).
Estimate estimate(double value, double standard_error, double degrees_of_freedom, double scale,
                  double confidence) {
    require_confidence(confidence);
    if (standard_error <= 10 * std::numeric_limits<double>::epsilon() * scale) {
        return {.value = value, .status = IntervalStatus::constant_values};
    }
    return {.value = value,
            .standard_error = standard_error,
            .degrees_of_freedom = degrees_of_freedom,
            .status = IntervalStatus::exists,
            .interval = student_interval(value, standard_error, degrees_of_freedom, confidence)};
}

double variance_of_mean(const Summary& summary) {
    return *summary.stddev * *summary.stddev / static_cast<double>(summary.n);
}

double larger_mean(const Summary& reference, const Summary& other) {
    return std::max(std::abs(reference.mean), std::abs(other.mean));
}

Estimate welch(const Summary& reference, const Summary& other, double scale, double confidence) {
    const double difference = other.mean - reference.mean;
    if (reference.n < 2 || other.n < 2) {
        return {.value = difference};
    }
    const double variance = variance_of_mean(reference) + variance_of_mean(other);
    // As shares of the whole, so that squares of tiny variances do not vanish.
    const double share = variance > 0 ? variance_of_mean(reference) / variance : 0;
    const double degrees_of_freedom =
        1 / (share * share / static_cast<double>(reference.n - 1) +
             (1 - share) * (1 - share) / static_cast<double>(other.n - 1));
    return estimate(difference, std::sqrt(variance), degrees_of_freedom, scale, confidence);
}

/// Rounding of a log of a ratio is that of a number of size 1, however small the log is.
double log_scale(double size) {
    return std::max(1.0, std::abs(size));
}

} // namespace

double student_quantile(double probability, double degrees_of_freedom) {
    if (!(probability > 0 && probability < 1)) {
        throw usage_error(fmt::format("a probability of {} is not between 0 and 1", probability));
    }
    return boost::math::quantile(distribution(degrees_of_freedom), probability);
}

double student_distribution(double t, double degrees_of_freedom) {
    if (std::isnan(t)) {
        throw usage_error("Student's t distribution is asked for at no number");
    }
    return boost::math::cdf(distribution(degrees_of_freedom), t);
}

Interval student_interval(double value, double standard_error, double degrees_of_freedom,
                          double confidence) {
    require_confidence(confidence);
    const double half = standard_error * student_quantile((1 + confidence) / 2, degrees_of_freedom);
    return {value - half, value + half};
}

Estimate mean_interval(std::span<const double> values, double confidence) {
    const Summary summary = summarize(values);
    if (summary.n < 2) {
        return {.value = summary.mean};
    }
    return estimate(summary.mean, std::sqrt(variance_of_mean(summary)),
                    static_cast<double>(summary.n - 1), std::abs(summary.mean), confidence);
}

Estimate pooled_difference(std::span<const double> reference, std::span<const double> other,
                           double confidence) {
    const Summary a = summarize(reference);
    const Summary b = summarize(other);
    const double difference = b.mean - a.mean;
    if (a.n + b.n < 3) {
        return {.value = difference};
    }
    const double n_a = static_cast<double>(a.n);
    const double n_b = static_cast<double>(b.n);
    const double s_a = a.stddev.value_or(0);
    const double s_b = b.stddev.value_or(0);
    const double pooled_variance =
        ((n_a - 1) * s_a * s_a + (n_b - 1) * s_b * s_b) / (n_a + n_b - 2);
    return estimate(difference, std::sqrt(pooled_variance * (1 / n_a + 1 / n_b)), n_a + n_b - 2,
                    larger_mean(a, b), confidence);
}

Estimate welch_difference(std::span<const double> reference, std::span<const double> other,
                          double confidence) {
    const Summary a = summarize(reference);
    const Summary b = summarize(other);
    return welch(a, b, larger_mean(a, b), confidence);
}

Estimate paired_log_ratio(std::span<const double> reference, std::span<const double> other,
                          double confidence) {
    if (reference.size() != other.size()) {
        throw usage_error(fmt::format("pairs need as many values on both sides, not {} and {}",
                                      reference.size(), other.size()));
    }
    require_positive(reference);
    require_positive(other);
    std::vector<double> ratios(other.size());
    std::transform(other.begin(), other.end(), reference.begin(), ratios.begin(),
                   [](double value, double base) { return std::log(value / base); });
    const Summary summary = summarize(ratios);
    if (summary.n < 2) {
        return {.value = summary.mean};
    }
    return estimate(summary.mean, std::sqrt(variance_of_mean(summary)),
                    static_cast<double>(summary.n - 1), log_scale(summary.mean), confidence);
}

Estimate welch_log_ratio(std::span<const double> reference, std::span<const double> other,
                         double confidence) {
    const Summary a = summarize(logs(reference));
    const Summary b = summarize(logs(other));
    return welch(a, b, log_scale(larger_mean(a, b)), confidence);
}

double percent_change(double log_ratio) {
    return std::min(100 * std::expm1(log_ratio), std::numeric_limits<double>::max());
}

Interval percent_change(const Interval& log_ratio) {
    return {percent_change(log_ratio.low), percent_change(log_ratio.high)};
}

} // namespace gem_upload::stats
