#include "stats/multiple.h"

#include "util/error.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <numeric>

namespace gem_upload::stats {
namespace {

/// Places of the values, the smallest first.
std::vector<std::size_t> ascending(std::span<const double> p_values) {
    for (const double p : p_values) {
        if (!(p >= 0 && p <= 1)) {
            throw usage_error(fmt::format("{} is no probability", p));
        }
    }
    std::vector<std::size_t> places(p_values.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
    return places;
}

} // namespace

std::vector<double> holm(std::span<const double> p_values) {
    const std::vector<std::size_t> places = ascending(p_values);
    std::vector<double> adjusted(p_values.size());
    double largest = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double times = static_cast<double>(places.size() - i);
        largest = std::max(largest, std::min(1.0, times * p_values[places[i]]));
        adjusted[places[i]] = largest;
    }
    return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
    const std::vector<std::size_t> places = ascending(p_values);
    const double count = static_cast<double>(places.size());
    std::vector<double> adjusted(p_values.size());
    double smallest = 1;
    for (std::size_t i = places.size(); i-- > 0;) {
        smallest = std::min(smallest, count / static_cast<double>(i + 1) * p_values[places[i]]);
        adjusted[places[i]] = smallest;
    }
    return adjusted;
}

} // namespace gem_upload::stats
