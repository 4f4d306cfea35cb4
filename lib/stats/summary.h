// Summaries of one set of values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace gem_upload::stats {

struct Summary {
    std::size_t n = 0;
    double min = 0;
    double max = 0;
    double median = 0; ///< the mean of the two middle values where n is even
    double mean = 0;
    std::optional<double> stddev = std::nullopt; ///< with n - 1; none for a single value
};

/// Takes any order; linear time; stable where the mean dwarfs the spread (equal values have exactly
/// 0). Throws usage_error when there is no value or one is not finite.
[[nodiscard]] Summary summarize(std::span<const double> values);

/// The quantile at `probability` (0 to 1), between order statistics as R's type 7 does it. Throws
/// usage_error as summarize() does, and for a probability outside 0 to 1.
[[nodiscard]] double quantile(std::span<const double> values, double probability);

} // namespace gem_upload::stats
