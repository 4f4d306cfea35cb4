// A comparison as JSON.
#pragma once

#include "compare_input.h"
#include "compare_pairs.h"
#include "ministat_program.h"

#include <string>
#include <vector>

namespace gem_upload::tools {

/// Everything known of one comparison.
struct EvaluatedComparison {
    Comparison comparison;
    ComparisonResult result;
    MinistatReport ministat;
};

/// Schema "gem-upload-compare/1"; an interval that does not exist is null. Ends with a newline.
[[nodiscard]] std::string comparisons_json(const std::vector<EvaluatedComparison>& comparisons,
                                           const std::vector<std::string>& remarks);

} // namespace gem_upload::tools
