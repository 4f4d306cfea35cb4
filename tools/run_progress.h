// What a run says while it is at work, on standard error.
#pragma once

#include "results/run_record.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace gem_upload::tools {

/// "0:07", "12:34", "1:02:03"
[[nodiscard]] std::string clock_text(double seconds);

/// A line a finished process; on a terminal, below it, what runs now and the time left.
class Progress {
public:
    Progress(const results::RunRecord& record, bool on_terminal)
        : record_(record), on_terminal_(on_terminal) {}

    /// A process is about to start.
    void starting(std::uint64_t round, std::uint64_t position);
    /// It has ended and is recorded; `error_output` is shown where it failed.
    void finished(const std::vector<results::RunEntry>& entries, double seconds,
                  const std::string& error_output);
    /// A sentence of its own.
    void say(const std::string& sentence);

private:
    [[nodiscard]] std::string place(std::uint64_t round, std::uint64_t position) const;
    [[nodiscard]] std::string outcome_text(const std::vector<results::RunEntry>& entries);
    [[nodiscard]] std::string reason_text(const results::RunEntry& entry);
    [[nodiscard]] std::string time_left() const;
    void say_once_that_it_is_a_model(const results::Result& result);

    const results::RunRecord& record_;
    bool on_terminal_;
    bool said_model_ = false;
    std::set<std::string> said_reasons_;
    std::map<std::string, double> seconds_; ///< of the last process of each method
};

} // namespace gem_upload::tools
