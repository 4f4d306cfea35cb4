// A comparison as text for people.
#pragma once

#include "compare_input.h"
#include "compare_pairs.h"
#include "ministat_program.h"

#include <string>

namespace gem_upload::tools {

/// ministat's statistics, the table of means, the table of pairs and the conclusion.
[[nodiscard]] std::string comparison_text(const Comparison& comparison,
                                          const ComparisonResult& result,
                                          const MinistatReport& ministat);

} // namespace gem_upload::tools
