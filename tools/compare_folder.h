// One argument of `gem-upload compare`: a log, or a run's folder.
#pragma once

#include "compare_input.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gem_upload::tools {

struct RunFolder {
    std::string path;
    std::string label;
    bool has_record = false; ///< else there are logs only, and rounds are not known
    std::vector<std::pair<std::string, Series>>
        methods; ///< "blit_large_map:staged"; those measured
    std::vector<std::string> remarks;
};

/// What a log's file name says: "g45-upload_blit_large_map-staged.txt" is label "g45" and method
/// "blit_large_map:staged"; both empty for a name that no run gives.
struct LogName {
    std::string label;
    std::string method;
};
[[nodiscard]] LogName parse_log_name(const std::string& file_name);

/// Throws usage_error for a folder that is not a run, a damaged record, a run without a sample.
[[nodiscard]] RunFolder read_run_folder(const std::string& path);

/// A log file's values; its name is the path. Throws usage_error, also for values not above 0, of
/// which no percentage can be made.
[[nodiscard]] Series series_of_log(const std::string& path, std::optional<int> column);

} // namespace gem_upload::tools
