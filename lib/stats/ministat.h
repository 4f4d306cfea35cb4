// ministat's statistics in ministat's words, for machines where ministat is not installed.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gem_upload::stats {

struct MinistatSet {
    std::string name; ///< as the legend shows it
    std::span<const double> values;
};

/// ministat has as many symbols.
inline constexpr std::size_t ministat_most_sets = 7;
/// ministat refuses sets with fewer values.
inline constexpr std::size_t ministat_least_values = 3;

/// Character for character what `ministat -A` (Debian 20150715) prints: legend, statistics, and
/// each later set against the first at 95 %. Its conventions are kept (the upper of two middle
/// values as median, t rounded to three digits, the normal's 1.960 above 100 degrees of freedom),
/// its naive variance is not. Takes two values a set, too. Throws usage_error for no set, more than
/// ministat_most_sets, fewer than two values or values that are not finite.
[[nodiscard]] std::string ministat_text(std::span<const MinistatSet> sets);

} // namespace gem_upload::stats
