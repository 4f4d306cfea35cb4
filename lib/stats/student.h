// Student's t: its distribution, and the intervals of means, differences and ratios made with it.
#pragma once

#include <optional>
#include <span>

namespace gem_upload::stats {

inline constexpr double default_confidence = 0.95;

/// Both ends of a two-sided confidence interval.
struct Interval {
    double low = 0;
    double high = 0;

    /// False too where the value lies on an end.
    [[nodiscard]] bool excludes(double value) const { return value < low || value > high; }
};

enum class IntervalStatus {
    exists,
    too_few_values,  ///< fewer than two, where their spread is needed
    constant_values, ///< they do not differ by more than rounding: the spread is not known
};

/// An estimate with what its interval was made of, so that a test at another level can be made.
struct Estimate {
    double value = 0;
    double standard_error = 0;     ///< 0 where there is no interval
    double degrees_of_freedom = 0; ///< 0 where there is no interval
    IntervalStatus status = IntervalStatus::too_few_values;
    std::optional<Interval> interval = std::nullopt; ///< exists exactly when status says so
};

/// The value that a t variable stays below with this probability (0 < p < 1). Degrees of freedom
/// need not be whole. Throws usage_error outside the domain.
[[nodiscard]] double student_quantile(double probability, double degrees_of_freedom);
/// The probability of a t variable at most `t`. Throws usage_error unless degrees of freedom are
/// above 0.
[[nodiscard]] double student_distribution(double t, double degrees_of_freedom);

/// The two-sided interval about a value. Throws usage_error as student_quantile() does, and unless
/// the confidence is between 0 and 1.
[[nodiscard]] Interval student_interval(double value, double standard_error,
                                        double degrees_of_freedom, double confidence);

// All take finite values and throw usage_error when a side is empty, a value is not finite, or the
// confidence is not between 0 and 1.

/// The mean of one set.
[[nodiscard]] Estimate mean_interval(std::span<const double> values,
                                     double confidence = default_confidence);
/// mean(other) - mean(reference), one spread for both (pooled): what ministat computes, with exact
/// quantiles. One side may be a single value.
[[nodiscard]] Estimate pooled_difference(std::span<const double> reference,
                                         std::span<const double> other,
                                         double confidence = default_confidence);
/// mean(other) - mean(reference), each with its own spread; degrees of freedom after Welch (1947)
/// and Satterthwaite (1946).
[[nodiscard]] Estimate welch_difference(std::span<const double> reference,
                                        std::span<const double> other,
                                        double confidence = default_confidence);

// Ratios, as natural logarithms: log(other / reference). All values must be above 0, else
// usage_error.

/// The mean log ratio of pairs: reference[i] belongs to other[i]. Throws usage_error when the sides
/// differ in length.
[[nodiscard]] Estimate paired_log_ratio(std::span<const double> reference,
                                        std::span<const double> other,
                                        double confidence = default_confidence);
/// The difference of the mean logs (the log of the ratio of geometric means) by Welch.
[[nodiscard]] Estimate welch_log_ratio(std::span<const double> reference,
                                       std::span<const double> other,
                                       double confidence = default_confidence);

/// A log ratio as a change in percent, 100 * (exp(x) - 1); a change beyond what a double holds is
/// the largest double.
[[nodiscard]] double percent_change(double log_ratio);
[[nodiscard]] Interval percent_change(const Interval& log_ratio);

} // namespace gem_upload::stats
