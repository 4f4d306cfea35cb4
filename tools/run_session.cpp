#include "run_session.h"

#include "bench/method.h"
#include "compare.h"
#include "run_methods.h"
#include "run_process.h"
#include "run_progress.h"
#include "util/error.h"
#include "util/files.h"
#include "util/siblings.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>

namespace gem_upload::tools {
namespace {

using results::Outcome;
using results::RunEntry;
using results::RunHeader;
using results::RunMethod;

std::string utc_now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

/// For a line that people paste into a shell.
std::string shell_quoted(const std::string& text) {
    static constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) {
        return text;
    }
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return quoted + '\'';
}

std::string resume_command(const RunDirectory& folder) {
    return fmt::format("gem-upload run --resume {}", shell_quoted(folder.path()));
}

std::vector<std::string> command_line(const RunHeader& header, const RunMethod& method,
                                      const std::string& json_path) {
    std::vector<std::string> argv{find_sibling(method.method)};
    if (!method.variant.empty()) {
        argv.push_back("--variant=" + method.variant);
    }
    if (!header.device.empty() && needs_device(method, bench::all_methods())) {
        argv.push_back("--device=" + header.device);
    }
    for (const auto& [name, value] : header.options) {
        argv.push_back(fmt::format("--{}={}", name, value));
    }
    argv.push_back("--cpu=" + header.cpu);
    argv.push_back("--json=" + json_path);
    return argv;
}

/// The last line of what a benchmark wrote, without its name in front: its one sentence.
std::string last_line(const std::string& text, const std::string& program) {
    const std::size_t end = text.find_last_not_of(" \n");
    if (end == std::string::npos) {
        return {};
    }
    const std::size_t newline = text.rfind('\n', end);
    const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
    std::string line = text.substr(start, end + 1 - start);
    const std::string name = program + ": ";
    return line.compare(0, name.size(), name) == 0 ? line.substr(name.size()) : line;
}

std::string signal_text(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

/// Why a process that neither measured nor skipped failed.
std::string failure_reason(const ProcessEnd& end, const RunHeader& header,
                           const std::string& sentence) {
    switch (end.kind) {
    case ProcessEnd::Kind::timed_out:
        return fmt::format("it took more than {} s (--timeout) and was ended",
                           header.timeout_seconds);
    case ProcessEnd::Kind::killed:
        return fmt::format("it was killed by {}", signal_text(end.number));
    default:
        return sentence.empty()
                   ? fmt::format("it exited with status {} and said nothing", end.number)
                   : sentence;
    }
}

/// One run at work.
class RunSession {
public:
    explicit RunSession(RunDirectory& folder)
        : folder_(folder), progress_(folder.record(), ::isatty(STDERR_FILENO) == 1) {}

    /// Every process that is left; the signal that stopped it, if one did.
    std::optional<int> measure() {
        std::uint64_t round = 0;
        for (auto left = results::places_left(folder_.record()); !left.empty() && !signals_.stop();
             left = results::places_left(folder_.record())) {
            if (left.front().round != round && std::exchange(round, left.front().round) != 0) {
                folder_.write_files(); // the round before is whole
            }
            measure_one(left.front().round, left.front().position);
        }
        folder_.write_files();
        return signals_.stop();
    }

private:
    [[nodiscard]] const RunHeader& header() const { return folder_.record().header; }

    void measure_one(std::uint64_t round, std::uint64_t position) {
        folder_.require_space();
        progress_.starting(round, position);
        const RunMethod& method = header().methods[header().order[round - 1][position - 1]];
        const std::string pending = folder_.pending_path(round, position);
        RunEntry process;
        process.round = round;
        process.position = position;
        process.result.method = method.method;
        process.result.variant = method.variant;
        process.started = utc_now();
        const ProcessEnd end =
            run_process(command_line(header(), method, pending),
                        std::chrono::seconds(header().timeout_seconds), signals_);
        process.finished = utc_now();
        const auto entries = entries_after(process, end, pending);
        if (!entries.empty()) {
            folder_.append(entries);
            progress_.finished(entries, end.seconds, end.error_output);
        }
        ::unlink(pending.c_str());
    }

    /// What a process leaves for the record; nothing when it was interrupted before its end.
    std::vector<RunEntry> entries_after(RunEntry process, const ProcessEnd& end,
                                        const std::string& pending) {
        const RunMethod method = process.method();
        const bool interrupted = end.kind == ProcessEnd::Kind::interrupted;
        const bool exited = end.kind == ProcessEnd::Kind::exited;
        const std::string sentence = last_line(end.error_output, method.method);
        if (interrupted && ::access(pending.c_str(), F_OK) != 0) {
            return {};
        }
        if (interrupted || (exited && end.number == static_cast<int>(Exit::success))) {
            return measured_entries(process, pending);
        }
        if (exited && end.number == static_cast<int>(Exit::usage)) {
            throw usage_error(fmt::format("{}: {}", method.title(), sentence));
        }
        if (exited && end.number == static_cast<int>(Exit::failure)) {
            auto entries = entries_before_hang(process, pending);
            if (!entries.empty()) {
                return entries;
            }
        }
        process.outcome = exited && end.number == static_cast<int>(Exit::skipped) ? Outcome::skipped
                                                                                  : Outcome::failed;
        process.reason = failure_reason(end, header(), sentence);
        folder_.require_space(); // on a full disk it may be the result that could not be written
        return {process};
    }

    /// Of a benchmark that ended in a hang of the GPU: it leaves its result all the same.
    static std::vector<RunEntry> entries_before_hang(const RunEntry& process,
                                                     const std::string& pending) {
        try {
            const results::Result result = results::result_from_json(read_file(pending));
            const bool same = RunMethod{result.method, result.variant} == process.method();
            return same && !result.gpu_hang.empty() ? results::entries_of(process, result)
                                                    : std::vector<RunEntry>{};
        } catch (const Error&) {
            return {}; // it failed before it could write one
        }
    }

    static std::vector<RunEntry> measured_entries(RunEntry process, const std::string& pending) {
        const RunMethod method = process.method();
        process.outcome = Outcome::failed;
        try {
            const results::Result result = results::result_from_json(read_file(pending));
            const RunMethod found{result.method, result.variant};
            if (found == method && !result.samples.empty()) {
                return results::entries_of(process, result);
            }
            process.reason = found == method ? "it exited with status 0, but measured nothing"
                                             : fmt::format("it left a result of {}", found.title());
        } catch (const Error& error) {
            process.reason =
                fmt::format("it exited with status 0, but left no result: {}", error.what());
        }
        return {process};
    }

    RunDirectory& folder_;
    StopSignals signals_;
    Progress progress_;
};

std::size_t count(const results::RunRecord& record, Outcome outcome) {
    return static_cast<std::size_t>(
        std::count_if(record.entries.begin(), record.entries.end(),
                      [&](const RunEntry& entry) { return entry.outcome == outcome; }));
}

/// Where nothing could be measured on a GPU: what can be measured all the same.
void print_way_out(const RunHeader& header) {
    const bool on_gpu =
        std::any_of(header.methods.begin(), header.methods.end(), [](const RunMethod& method) {
            return needs_device(method, bench::all_methods());
        });
    fmt::print(stderr, "Nothing could be measured here.{}\n",
               on_gpu ? " Without such a GPU, '--methods aperture' measures this CPU's side of an "
                        "upload, and '--device model:g45' shows the benchmarks at work on a "
                        "software GPU."
                      : "");
}

int status_of(const results::RunRecord& record) {
    if (count(record, Outcome::failed) > 0) {
        return static_cast<int>(Exit::failure);
    }
    return static_cast<int>(count(record, Outcome::measured) > 0 ? Exit::success : Exit::skipped);
}

void compare_methods(const RunDirectory& folder) {
    std::set<std::string> measured;
    for (const RunEntry& entry : folder.record().entries) {
        if (entry.outcome == Outcome::measured) {
            measured.insert(entry.method().title());
        }
    }
    if (measured.empty()) {
        return;
    }
    try {
        print_comparison(stdout, folder.path());
    } catch (const Error& error) {
        // The run itself went well: its status stands.
        fmt::print(stderr, "The samples are recorded, but not compared: {}\n", error.what());
    }
}

std::optional<int> measure_or_explain(RunDirectory& folder) {
    try {
        return RunSession(folder).measure();
    } catch (const Error& error) {
        if (error.status() == Exit::usage) {
            if (folder.record().entries.empty()) {
                folder.discard();
            }
            throw;
        }
        throw Error(error.status(),
                    fmt::format("{}; what was recorded stays, and when this is mended, go on "
                                "with: {}",
                                error.what(), resume_command(folder)));
    }
}

} // namespace

int carry_out_run(RunDirectory& folder) {
    if (const auto signal = measure_or_explain(folder)) {
        fmt::print(stderr, "Interrupted by {}: {} samples are recorded; go on with: {}\n",
                   signal_text(*signal), count(folder.record(), Outcome::measured),
                   resume_command(folder));
        return 128 + *signal;
    }
    const int status = status_of(folder.record());
    if (status == static_cast<int>(Exit::skipped)) {
        print_way_out(folder.record().header);
        return status;
    }
    fmt::print(stderr, "{} samples, {} failures: {}\n", count(folder.record(), Outcome::measured),
               count(folder.record(), Outcome::failed), folder.path());
    compare_methods(folder);
    return status;
}

} // namespace gem_upload::tools
