// A build tree of its own: gem-upload with benchmarks that are shell scripts and do as told.
#pragma once

#include "results/run_record.h"
#include "support/run_program.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace gem_upload::tools {

class FakeTree {
public:
    FakeTree();

    /// Shell text that each benchmark runs at its start; it may define `before` and `after`, called
    /// before and after its result is written. In it, $name is the benchmark's name, $number counts
    /// the processes from 1, $json is where the result goes, $tree this tree; what it sets $hang to
    /// is the result's sentence about a hang.
    void behave(const std::string& shell) const;

    [[nodiscard]] const std::string& path() const { return folder_.path(); }
    [[nodiscard]] std::string program() const { return path() + "/tools/gem-upload"; }
    /// The run's folder in the tests.
    [[nodiscard]] std::string run_folder() const { return path() + "/run"; }

    /// A `gem-upload run` into run_folder(), on the model so that no GPU of this machine matters.
    [[nodiscard]] std::vector<std::string>
    new_run(const std::vector<std::string>& options = {}) const;
    [[nodiscard]] std::vector<std::string> resumed_run() const;

    /// The "seconds" of every benchmark that had written its result, in order: each is its own.
    [[nodiscard]] std::vector<std::string> finished() const;
    /// A line for each benchmark that was started: its name and arguments.
    [[nodiscard]] std::vector<std::string> started() const;
    [[nodiscard]] std::vector<pid_t> pids() const;
    /// The record's samples, "N.5" each, in its order. Empty without a record.
    [[nodiscard]] std::vector<std::string> recorded() const;

private:
    [[nodiscard]] std::vector<std::string> lines(const std::string& name) const;

    testing_support::TemporaryFolder folder_;
};

/// Starts a program in the background, its standard error into a file.
[[nodiscard]] pid_t start_program(const std::vector<std::string>& argv, const std::string& err);
/// Waits, a minute at most, until so many benchmarks have started.
[[nodiscard]] bool has_started(const FakeTree& tree, std::size_t count);
/// Waits, a minute at most, until the process is gone.
[[nodiscard]] bool is_gone(pid_t pid);
[[nodiscard]] bool contains(const std::string& text, const std::string& part);
/// Its exit status, or 128 + signal.
[[nodiscard]] int wait_for(pid_t pid);

} // namespace gem_upload::tools
