// A run's folder: locked while a run is at work in it, its record only ever appended to.
#pragma once

#include "results/run_record.h"
#include "util/unique_fd.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gem_upload::tools {

class RunDirectory {
public:
    /// Starts a run in a folder that is empty or is made, with its parents. Throws usage_error
    /// where it holds something or another run is at work in it, failed_call.
    [[nodiscard]] static RunDirectory create(const std::string& path,
                                             const results::RunHeader& header);
    /// Starts a run in a new folder results/LABEL-YYYYmmdd-HHMMSS (local time), with a number at
    /// its end where that exists.
    [[nodiscard]] static RunDirectory create_default(const results::RunHeader& header);
    /// Goes on with a run: cuts off the line that was being written when it was killed, records
    /// the result of a process that had finished by then, and clears temporary files away. Throws
    /// usage_error for a folder that is not a run or where one is at work, failed_call.
    [[nodiscard]] static RunDirectory reopen(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const results::RunRecord& record() const { return record_; }
    /// Where the process of this place in the order writes its result (--json).
    [[nodiscard]] std::string pending_path(std::uint64_t round, std::uint64_t position) const;

    /// Appends to the record and waits for the disk. Throws failed_call.
    void append(const std::vector<results::RunEntry>& entries);
    /// Throws failure when the disk has hardly any space left.
    void require_space() const;
    /// Makes run.json and the logs anew. Throws failed_call.
    void write_files() const;
    /// Removes the run, in which nothing was recorded, and its folder where it was made for it.
    void discard();

private:
    explicit RunDirectory(const std::string& path);
    void lock();
    void start(const results::RunHeader& header);
    void harvest(std::uint64_t round, std::uint64_t position);

    std::string path_;
    /// Inherited by the benchmarks on purpose: while one that outlived its wrapper still runs, the
    /// run cannot be resumed.
    UniqueFd lock_;
    bool made_ = false;
    results::RunRecord record_;
};

} // namespace gem_upload::tools
