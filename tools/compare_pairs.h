// The numbers of a comparison: each set's mean, each pair's change, and what follows from them.
#pragma once

#include "compare_input.h"
#include "stats/student.h"
#include "stats/summary.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gem_upload::tools {

struct SeriesResult {
    stats::Summary summary;
    stats::Estimate mean; ///< MB/s
};

struct PairResult {
    std::size_t reference = 0; ///< indices into Comparison::series
    std::size_t other = 0;
    bool paired = false;
    std::size_t values = 0;    ///< pairs, or values of the smaller side
    stats::Estimate log_ratio; ///< log(other / reference); above 0: other is faster
};

struct ComparisonResult {
    std::vector<SeriesResult> series; ///< in Comparison::series' order
    std::vector<PairResult> pairs;    ///< every two sets, the earlier one as reference
};

/// Paired by round (Student's t on log ratios) where the comparison is paired and the two sets
/// share a round, else Welch's t on logs.
[[nodiscard]] ComparisonResult evaluate(const Comparison& comparison);

/// What won, by how much and how sure that is, in one plain sentence.
[[nodiscard]] std::string conclusion(const Comparison& comparison, const ComparisonResult& result);

/// Sentences on what limits the result: values from the model, sets without an interval.
[[nodiscard]] std::vector<std::string> caveats(const Comparison& comparison,
                                               const ComparisonResult& result);

/// A number of percent for people: "15.7", "0.42", "1.3e+07".
[[nodiscard]] std::string percent_text(double percent);

} // namespace gem_upload::tools
