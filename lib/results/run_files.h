// What is made from a run's record: run.json and the logs that ministat reads.
#pragma once

#include "results/run_record.h"

#include <string>
#include <vector>

namespace gem_upload::results {

struct NamedText {
    std::string name; ///< within the run's folder
    std::string text;
};

/// The text of run.json: the header's fields, then everything that was measured, skipped or failed,
/// by method.
[[nodiscard]] std::string run_json(const RunRecord& record);

/// A log for each method with a sample, LABEL-BINARY[-VARIANT].txt: `#` lines, then one number a
/// sample in MB/s (MB = 2^20 bytes), in the order of the rounds.
[[nodiscard]] std::vector<NamedText> run_logs(const RunRecord& record);

/// Makes run.json and the logs anew in the folder, each by write and rename. Throws failed_call.
void write_run_files(const std::string& folder, const RunRecord& record);

} // namespace gem_upload::results
