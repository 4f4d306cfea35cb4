// The record of `gem-upload run`, run.jsonl: a header line, then a line a sample.
#pragma once

#include "drm/environment.h"
#include "results/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gem_upload::results {

/// A benchmark's binary in one of its variants.
struct RunMethod {
    std::string method;  ///< "upload_blit_large_map"
    std::string variant; ///< "" or "staged"

    /// "upload_blit_large_map:staged"
    [[nodiscard]] std::string title() const;
    bool operator==(const RunMethod&) const = default;
};

/// What a run is; the first line of the record, schema "gem-upload-run/1". It says all that a
/// resumed run needs.
struct RunHeader {
    std::string label;
    std::string started; ///< UTC, "2026-01-31T12:00:00Z"
    std::string host;
    std::string device; ///< as asked for; empty: the only one
    std::uint64_t seed = 0;
    std::vector<RunMethod> methods;
    /// A row a round: indices into `methods`, in the order the processes run.
    std::vector<std::vector<std::size_t>> order;
    /// Handed to every benchmark: {"width", "640"} is --width=640.
    std::vector<std::pair<std::string, std::string>> options;
    std::string cpu;                   ///< the CPU that the benchmarks are pinned to, or "any"
    std::uint64_t timeout_seconds = 0; ///< a process
    drm::Environment environment;

    /// Number of processes in the whole run.
    [[nodiscard]] std::size_t processes() const;
};

enum class Outcome { measured, skipped, failed };
[[nodiscard]] std::string_view outcome_name(Outcome outcome);

/// One line of the record: a sample, or why a process gave none.
struct RunEntry {
    std::uint64_t round = 0;    ///< from 1
    std::uint64_t position = 0; ///< within the round, from 1
    Outcome outcome = Outcome::failed;
    std::uint64_t sample = 0; ///< within the process, from 1; 0 when nothing was measured
    std::string reason;       ///< the sentence of a skip or a failure
    std::string started;      ///< of the process, UTC
    std::string finished;
    /// Measured: with exactly one sample. Else only method and variant are set.
    Result result;

    [[nodiscard]] RunMethod method() const { return {result.method, result.variant}; }
};

struct RunRecord {
    RunHeader header;
    std::vector<RunEntry> entries;
    /// Length of the whole lines; what follows was cut off in the middle.
    std::size_t whole_bytes = 0;
};

/// The line of the header and of an entry, each with its newline. An entry's environment is
/// written as its differences from the header's.
[[nodiscard]] std::string header_to_line(const RunHeader& header);
[[nodiscard]] std::string entry_to_line(const RunHeader& header, const RunEntry& entry);

/// Reads a record. What follows the last newline is left out. Throws usage_error with the number
/// of the line that is wrong, also for a line that does not fit the header's order and for a
/// sample recorded twice. `name` is how errors call the record.
[[nodiscard]] RunRecord parse_run_record(std::string_view text, const std::string& name);

/// DIR/run.jsonl. Throws usage_error for a folder that is not a run.
[[nodiscard]] RunRecord read_run(const std::string& folder);
/// "DIR/run.jsonl"
[[nodiscard]] std::string record_path(const std::string& folder);

/// Entries of one process's result, a sample each; then one of a failure if it ended in a hang.
[[nodiscard]] std::vector<RunEntry> entries_of(const RunEntry& process, const Result& result);

/// Where a process stands in the order, both counted from 1.
struct Place {
    std::uint64_t round = 0;
    std::uint64_t position = 0;
};

/// The processes that are still to be run, in order: those that are not recorded and whose method
/// has not been skipped before, since what cannot be measured here is not tried again.
[[nodiscard]] std::vector<Place> places_left(const RunRecord& record);

} // namespace gem_upload::results
