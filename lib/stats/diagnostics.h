// What may be wrong with a series of runs: reported beside a result, never used to change it.
#pragma once

#include "stats/student.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gem_upload::stats {

// All throw usage_error where a value is not finite, or where there is none.

inline constexpr double default_outlier_score = 3.5;

/// Indices (ascending) of values whose modified z score, 0.6745 * |x - median| / MAD, is above
/// `score` (Iglewicz and Hoaglin 1993); to be reported, never dropped. Where the MAD is 0 (more
/// than half of the values are equal) the score is |x - median| / (1.253314 * mean absolute
/// deviation), also theirs: otherwise one wild value among equal ones would go unseen. Throws
/// usage_error for a score not above 0.
[[nodiscard]] std::vector<std::size_t> outliers(std::span<const double> values,
                                                double score = default_outlier_score);

struct Autocorrelation {
    double lag1 = 0;
    double threshold = 0;     ///< 1.96 / sqrt(n): two-sided 5 % for independent values
    bool significant = false; ///< |lag1| is above the threshold
};

/// Of values in the order of their runs, as R's acf() defines it (Box and Jenkins 1976). None for
/// fewer than 3 values or where all are equal.
[[nodiscard]] std::optional<Autocorrelation> autocorrelation(std::span<const double> values);

/// The least squares slope of the values' natural logarithms over the run order, a run: 0.01 is a
/// rise by 1 % a run. Needs 3 values for its interval (Student's t, n - 2 degrees of freedom).
/// Throws usage_error for values not above 0.
[[nodiscard]] Estimate drift_slope(std::span<const double> values,
                                   double confidence = default_confidence);

/// The log ratio of the second half's geometric mean to the first's, by Welch; the middle value of
/// an odd number is in neither. Throws usage_error for values not above 0 and for fewer than two.
[[nodiscard]] Estimate drift_of_halves(std::span<const double> values,
                                       double confidence = default_confidence);

/// Whether the position in a pair matters. Both sides are log ratios of the same methods the same
/// way about, log(B / A): `a_first` of pairs where A ran first, `b_first` where B did. Half the
/// difference of their means, by Welch, is the log ratio of a second run to a first one whatever
/// the method (Hills and Armitage 1979, period effect); the methods' own difference cancels out.
[[nodiscard]] Estimate order_effect(std::span<const double> a_first,
                                    std::span<const double> b_first,
                                    double confidence = default_confidence);

struct Ties {
    std::size_t distinct = 0; ///< how many different values there are
    double tied_share = 0;    ///< of values that equal another one, 0 to 1
    bool coarse = false;      ///< fewer than half of the values are distinct: the clock ticks too
                              ///< slowly for what is measured
};

/// Compares exactly, -0 with 0 as equal.
[[nodiscard]] Ties ties(std::span<const double> values);

} // namespace gem_upload::stats
