// What an estimate says: how sure a difference is, and whether there is one that matters.
#pragma once

#include "stats/student.h"

#include <string_view>

namespace gem_upload::stats {

/// A change of throughput, better being positive.
enum class Verdict { equivalent, improved, regressed, inconclusive };

[[nodiscard]] std::string_view verdict_name(Verdict verdict);

/// The two-sided p of no difference. An estimate whose values do not vary is sure (0; 1 where it is
/// 0), one of too few values says nothing (1).
[[nodiscard]] double p_value(const Estimate& estimate);

/// The estimate's interval at another confidence; the estimate itself without one where none
/// exists, but for values that do not vary: they are their own interval. Throws usage_error when
/// the confidence is not between 0 and 1.
[[nodiscard]] std::optional<Interval> interval_at(const Estimate& estimate, double confidence);

// Margins are above 0 and in the estimate's unit; else usage_error.

/// The p of "worse than -margin": small where the value is surely above it.
[[nodiscard]] double non_inferiority_p(const Estimate& estimate, double margin);
/// The larger p of two one-sided tests (Schuirmann 1987): small where the value surely lies within
/// the margin both ways.
[[nodiscard]] double equivalence_p(const Estimate& estimate, double margin);

/// The margin of a log ratio for a change of this fraction either way (0.01: 1 %): log(1 + x).
[[nodiscard]] double log_margin(double fraction);

/// `equivalent` if the 90 % interval lies within the margin both ways (that is equivalence_p() of
/// at most 5 %); else `regressed` or `improved` if the 95 % interval lies wholly below or above 0;
/// else `inconclusive`.
[[nodiscard]] Verdict verdict(const Estimate& estimate, double margin);

} // namespace gem_upload::stats
