// What `gem-upload compare` was given, log files or run folders, as sets of values to compare.
#pragma once

#include "drm/environment.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gem_upload::tools {

/// A log as ministat is to read it.
struct LogFile {
    std::string path;
    int column = 1;
    std::vector<double> values; ///< every sample in it
    std::string obstacle;       ///< why ministat cannot be given the file, a clause; empty: it can
};

/// One side of a comparison.
struct Series {
    std::string name;
    std::vector<double> values; ///< MB/s: one a process (its samples' mean), or one a line of a log
    std::vector<std::uint64_t> rounds; ///< of each value, ascending; empty where not known
    bool model = false;                ///< measured on the software GPU
    drm::Environment environment;      ///< what is known of it
    LogFile log;
};

/// Sets that are compared with each other; the first is the reference.
struct Comparison {
    std::string title;   ///< the method, where the same one is compared across runs; else empty
    bool paired = false; ///< all from one run: its rounds pair the values
    std::vector<Series> series;
    std::vector<std::string> mismatches; ///< of environments, which --force let pass
};

struct CompareInput {
    std::vector<Comparison> comparisons; ///< at least one, each of at least one series
    std::vector<std::string> remarks;    ///< sentences that the reader must know of
};

/// Logs: one comparison of all. One folder: its methods with each other. Several folders: the same
/// method across them, a comparison each. A folder without a record counts as a run where it holds
/// logs named as a run names them (*-upload_*.txt). `column` is for logs only. Throws usage_error
/// in one sentence for whatever cannot be compared.
[[nodiscard]] CompareInput read_compare_input(const std::vector<std::string>& paths,
                                              std::optional<int> column);

} // namespace gem_upload::tools
