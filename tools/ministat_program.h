// The statistics in ministat's form: by the real ministat where it can be had.
#pragma once

#include "compare_input.h"

#include <string>

namespace gem_upload::tools {

struct MinistatReport {
    bool by_ministat = false; ///< the text is the real ministat's own
    std::string remark;       ///< one sentence: why not; empty when by_ministat
    std::string text;         ///< empty where ministat's form cannot hold the sets
};

/// Runs `ministat -w 74 [-C N] LOG...` (found in PATH, no shell) over the logs. Where it is not
/// installed, fails, or would not cope with the logs, the same statistics are computed here.
[[nodiscard]] MinistatReport ministat_report(const Comparison& comparison);

} // namespace gem_upload::tools
