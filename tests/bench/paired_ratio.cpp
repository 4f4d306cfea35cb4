#include "paired_ratio.h"

#include "util/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gem_upload::bench {
namespace {

/// P(X < count) for X binomial(n, 1/2).
double binomial_below(std::size_t count, std::size_t n) {
    double term = std::exp2(-static_cast<double>(n));
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
        sum += term;
        term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    }
    return sum;
}

} // namespace

MedianInterval median_interval(std::vector<double> values) {
    const std::size_t n = values.size();
    // The interval from the rank-th smallest to the rank-th largest misses the median with
    // probability 2 P(X < rank).
    std::size_t rank = 0;
    while (2 * binomial_below(rank + 1, n) <= 0.05) {
        ++rank;
    }
    if (rank == 0) {
        throw failure(fmt::format("{} pairs are too few for a 95 % interval; 6 are the least.", n));
    }
    std::sort(values.begin(), values.end());
    const double median = (values[(n - 1) / 2] + values[n / 2]) / 2;
    return {median, values[rank - 1], values[n - rank], 1 - 2 * binomial_below(rank, n)};
}

bool falls_short(const MedianInterval& interval, double wanted) {
    return interval.high < wanted;
}

std::string describe(const MedianInterval& interval, std::size_t pairs, double wanted) {
    return fmt::format("{:.3f}, {:.1f} % interval {:.3f} to {:.3f}, of {} pairs; wanted {:.2f}: {}",
                       interval.median, 100 * interval.confidence, interval.low, interval.high,
                       pairs, wanted, falls_short(interval, wanted) ? "falls short" : "reached");
}

} // namespace gem_upload::bench
