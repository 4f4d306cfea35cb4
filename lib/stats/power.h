// What a number of runs can show: power, the smallest change they can tell, and the runs it takes.
#pragma once

#include "stats/student.h"

#include <cstdint>

namespace gem_upload::stats {

inline constexpr double default_power = 0.8;
inline constexpr double default_size = 0.05; ///< of a two-sided test

/// How a design's runs make up the test's degrees of freedom and standard error.
enum class Design {
    pairs,     ///< n differences
    two_sides, ///< n values a side, of one spread
};

// All throw usage_error for numbers outside their domain. n is at least 2; the spread is the
// standard deviation of the differences (pairs) or of a side's values; changes are in its unit.

/// The chance that the two-sided t test finds a change, in either tail (R's power.t.test with
/// strict = TRUE), by the noncentral t.
[[nodiscard]] double power_of_t_test(Design design, double n, double change, double spread,
                                     double size = default_size);

/// The smallest change that n runs find with this power.
[[nodiscard]] double smallest_detectable(Design design, double n, double spread,
                                         double power = default_power, double size = default_size);

/// The same of an estimate as it is, whatever it was made of; 0 where its values do not vary,
/// nothing where they are too few.
[[nodiscard]] std::optional<double> smallest_detectable(const Estimate& estimate,
                                                        double power = default_power,
                                                        double size = default_size);

/// No more runs than these are ever asked for.
inline constexpr std::uint64_t most_runs_needed = 1'000'000;

/// How many runs of each side it takes, of which there are `runs` now, until the 95 % interval's
/// half-width is at most half of `margin`, as the spread is now: then every verdict but a change
/// at the margin itself is decided. At least 2, at most most_runs_needed; nothing where the spread
/// is not known.
[[nodiscard]] std::optional<std::uint64_t> runs_needed(const Estimate& estimate, std::uint64_t runs,
                                                       double margin);

/// How many runs (of a side, or pairs) it takes to find a change with this power. At least 2, at
/// most most_runs_needed. Throws usage_error for a change of 0, too.
[[nodiscard]] std::uint64_t runs_to_detect(Design design, double spread, double change,
                                           double power = default_power,
                                           double size = default_size);

} // namespace gem_upload::stats
