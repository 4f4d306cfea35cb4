// The mean of ratios and of rows of different size.
#pragma once

#include "stats/student.h"

namespace gem_upload::stats {

struct GeometricMean {
    double value = 0; ///< in the values' unit
    Estimate log;     ///< the mean of the natural logarithms, which it was made of
    std::optional<Interval> interval =
        std::nullopt; ///< in the values' unit; exists when log's does
};

/// exp(mean(log(values))), never outside the values. The interval is Student's t on the logs,
/// transformed back: of the median where the logs are normal, and not symmetric. An end beyond what
/// a double holds is the largest double, or 0. Throws usage_error when there is no value, one is
/// not finite or not above 0, or the confidence is not between 0 and 1.
[[nodiscard]] GeometricMean geometric_mean(std::span<const double> values,
                                           double confidence = default_confidence);

} // namespace gem_upload::stats
