// The order in which a run's methods are measured: balanced, random, and the same on every machine
// for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gem_upload::tools {

/// Rounds that make the order balanced: one method: as asked; two: even (ABBA blocks of two
/// rounds); more: a multiple of their number (whole Latin squares).
/// Throws usage_error for no round or more than 10000.
[[nodiscard]] std::uint64_t balanced_rounds(std::size_t methods, std::uint64_t rounds);

/// The order: a row a round, each a permutation of 0 .. methods-1. `rounds` is balanced_rounds'.
/// Two methods: blocks ABBA or BAAB, each drawn. More: the rows of cyclic Latin squares, whose rows
/// and symbols are drawn anew for each square. Why: reference/statistics.md, "The design"; Fisher
/// and Yates' shuffle over std::mt19937_64, whose numbers the C++ standard fixes, with our own
/// bounded draw, since std::shuffle differs between libraries.
[[nodiscard]] std::vector<std::vector<std::size_t>>
balanced_order(std::size_t methods, std::uint64_t rounds, std::uint64_t seed);

} // namespace gem_upload::tools
