// Several comparisons at once: p values adjusted for their number.
#pragma once

#include <span>
#include <vector>

namespace gem_upload::stats {

// Both keep the order and throw usage_error for a p that is not within 0 to 1.

/// Holm (1979): where an adjusted p is at most 5 %, the chance of even one false alarm among all is
/// at most that. For gates.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);
/// Benjamini and Hochberg (1995): of those found at 5 %, at most 5 % are expected to be false. For
/// exploration.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p_values);

} // namespace gem_upload::stats
