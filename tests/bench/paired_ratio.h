// How the performance benchmarks judge: the median of interleaved pairs, with its interval.
#pragma once

#include <string>
#include <vector>

namespace gem_upload::bench {

/// The median of ratios and its exact interval from order statistics: assumes nothing of their
/// distribution, only that they are independent (Conover, Practical Nonparametric Statistics,
/// "confidence interval for a quantile").
struct MedianInterval {
    double median = 0;
    double low = 0;
    double high = 0;
    double confidence = 0; ///< the interval's real coverage, at least 0.95
};

/// At least 6 values; fewer cannot give 95 %. Throws failure.
[[nodiscard]] MedianInterval median_interval(std::vector<double> values);

/// It falls short only where the whole interval lies below `wanted`: identical code measured
/// against itself spreads too far for single pairs to say more.
[[nodiscard]] bool falls_short(const MedianInterval& interval, double wanted);

/// "0.981, 95.9 % interval 0.975 to 0.988, of 25 pairs; wanted 0.95: reached".
[[nodiscard]] std::string describe(const MedianInterval& interval, std::size_t pairs,
                                   double wanted);

} // namespace gem_upload::bench
