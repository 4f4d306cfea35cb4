// Where a benchmark's samples go: standard output, --log and --json.
#pragma once

#include "bench/method.h"
#include "results/result.h"

#include <ctime>
#include <string>

namespace gem_upload::bench {

class Report {
public:
    /// Checks at once that the log and the JSON file can be written. Throws failed_call.
    Report(results::Result head, const Options& options);

    /// Prints, logs and keeps a sample; nothing taken is lost when the process is killed later.
    void take(const results::Sample& sample);
    /// The GPU hung, after the samples taken so far: notes the sentence in the log and the JSON
    /// file, which is written as finish() does.
    void end_in_hang(const std::string& sentence);
    /// Writes the JSON file, which is there only for a benchmark that came to its end; until then
    /// the samples so far stand in FILE.partial.
    void finish();
    [[nodiscard]] const results::Result& result() const { return result_; }

private:
    void log(const results::Sample& sample);
    void write_partial_json();

    results::Result result_;
    std::string log_path_;
    std::string json_path_;
    std::string partial_path_; ///< empty: no JSON asked for, or to a device or pipe
    std::time_t partial_written_ = 0;
};

/// The result of a method as it stands before the first sample.
[[nodiscard]] results::Result make_result(const Method& method, const Options& options,
                                          const Session& session, const drm::Device* device);

} // namespace gem_upload::bench
