#include "ministat_program.h"

#include "stats/ministat.h"
#include "stats/summary.h"
#include "util/error.h"
#include "util/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gem_upload::tools {
namespace {

/// ministat's variance is the difference of two sums: beyond this ratio of mean to spread it keeps
/// fewer than four digits, and with equal values it may print "-nan".
constexpr double largest_mean_to_stddev = 1e6;

std::size_t fewest_values(const Comparison& comparison) {
    std::size_t fewest = comparison.series.front().log.values.size();
    for (const Series& series : comparison.series) {
        fewest = std::min(fewest, series.log.values.size());
    }
    return fewest;
}

/// Why ministat is not to be given the logs, as a clause; empty if it can be.
std::string obstacle(const Comparison& comparison) {
    if (fewest_values(comparison) < stats::ministat_least_values) {
        return fmt::format("it wants at least {} values a set", stats::ministat_least_values);
    }
    for (const Series& series : comparison.series) {
        const LogFile& log = series.log;
        if (!log.obstacle.empty()) {
            return log.obstacle;
        }
        if (log.column != comparison.series.front().log.column) {
            return fmt::format("the values of {} are in column {} and those of {} in column {}",
                               comparison.series.front().log.path,
                               comparison.series.front().log.column, log.path, log.column);
        }
        const stats::Summary summary = stats::summarize(log.values);
        if (summary.mean > largest_mean_to_stddev * *summary.stddev) {
            return fmt::format("the spread of {} is too small for its arithmetic", log.path);
        }
    }
    return {};
}

struct ProgramOutput {
    int wait_status = 0;
    std::string text;
};

class FileActions {
public:
    FileActions() { ::posix_spawn_file_actions_init(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

    posix_spawn_file_actions_t* get() { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

std::string read_to_end(int fd) {
    std::string text;
    char buffer[4096];
    for (;;) {
        const ssize_t count = ::read(fd, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            throw failed_call("reading the output of", "ministat", errno);
        }
        if (count == 0) {
            return text;
        }
        text.append(buffer, static_cast<std::size_t>(count));
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            throw failed_call("waiting for", "ministat", errno);
        }
    }
    return status;
}

/// Nothing when the program is not in PATH.
std::optional<ProgramOutput> run_program(std::vector<std::string> words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw failed_call("a pipe", "ministat", errno);
    }
    const UniqueFd reader{ends[0]};
    UniqueFd writer{ends[1]};
    FileActions actions;
    ::posix_spawn_file_actions_adddup2(actions.get(), writer.get(), STDOUT_FILENO);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, arguments.front(), actions.get(), nullptr,
                                     arguments.data(), environ);
    if (error == ENOENT) {
        return std::nullopt;
    }
    if (error != 0) {
        throw failed_call("starting", "ministat", error);
    }
    writer = UniqueFd{};
    ProgramOutput output;
    output.text = read_to_end(reader.get());
    output.wait_status = wait_for(child);
    return output;
}

std::vector<std::string> ministat_command(const Comparison& comparison) {
    std::vector<std::string> words = {"ministat", "-w", "74"};
    const int column = comparison.series.front().log.column;
    if (column != 1) {
        words.insert(words.end(), {"-C", std::to_string(column)});
    }
    words.emplace_back("--");
    for (const Series& series : comparison.series) {
        // "-" alone would be ministat's standard input.
        words.push_back(series.log.path == "-" ? "./-" : series.log.path);
    }
    return words;
}

std::string describe_failure(int wait_status) {
    return WIFSIGNALED(wait_status)
               ? fmt::format("it was killed by {}", ::strsignal(WTERMSIG(wait_status)))
               : fmt::format("it ended with status {}", WEXITSTATUS(wait_status));
}

MinistatReport computed_here(const Comparison& comparison, const std::string& reason) {
    MinistatReport report;
    if (fewest_values(comparison) < 2) {
        report.remark = fmt::format("ministat cannot be used ({}).", reason);
        return report;
    }
    std::vector<stats::MinistatSet> sets;
    for (const Series& series : comparison.series) {
        sets.push_back({series.log.path, series.log.values});
    }
    report.text = stats::ministat_text(sets);
    report.remark =
        fmt::format("ministat cannot be used ({}): the same statistics, computed here.", reason);
    return report;
}

} // namespace

MinistatReport ministat_report(const Comparison& comparison) {
    if (comparison.series.size() > stats::ministat_most_sets) {
        return {.by_ministat = false,
                .remark = fmt::format("ministat cannot be used (it compares at most {} sets).",
                                      stats::ministat_most_sets),
                .text = {}};
    }
    const std::string reason = obstacle(comparison);
    if (!reason.empty()) {
        return computed_here(comparison, reason);
    }
    std::optional<ProgramOutput> output = run_program(ministat_command(comparison));
    if (!output) {
        return computed_here(comparison, "it is not installed");
    }
    if (!WIFEXITED(output->wait_status) || WEXITSTATUS(output->wait_status) != 0) {
        return computed_here(comparison, describe_failure(output->wait_status));
    }
    return {.by_ministat = true, .remark = {}, .text = std::move(output->text)};
}

} // namespace gem_upload::tools
