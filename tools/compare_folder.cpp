#include "compare_folder.h"

#include "results/run_files.h"
#include "results/run_record.h"
#include "results/sample_log.h"
#include "stats/summary.h"
#include "util/error.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace gem_upload::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view binary_prefix = "upload_";

std::string without_prefix(const std::string& method) {
    return method.starts_with(binary_prefix) ? method.substr(binary_prefix.size()) : method;
}

/// The samples of a method by round, each process's mean.
Series series_of_method(const results::RunRecord& record, const results::RunMethod& method,
                        std::size_t& most_samples) {
    std::map<std::uint64_t, std::vector<double>> by_round;
    Series series;
    for (const results::RunEntry& entry : record.entries) {
        if (entry.outcome == results::Outcome::measured && entry.method() == method) {
            by_round[entry.round].push_back(entry.result.samples.front().mb_per_second());
            series.model = series.model || entry.result.model;
            if (series.environment.empty()) {
                series.environment = entry.result.environment;
            }
        }
    }
    for (const auto& [round, samples] : by_round) {
        series.rounds.push_back(round);
        series.values.push_back(stats::summarize(samples).mean);
        most_samples = std::max(most_samples, samples.size());
    }
    return series;
}

/// Why the log in the folder cannot stand for the record's values; empty where it can.
std::string log_obstacle(const std::string& path, const std::vector<double>& recorded) {
    try {
        return results::read_sample_log(path).values == recorded
                   ? std::string()
                   : fmt::format("{} holds other values than the record", path);
    } catch (const Error& error) {
        return error.what();
    }
}

LogFile log_of_method(const std::string& folder, const results::NamedText& log) {
    LogFile file;
    file.path = fs::path(folder) / log.name;
    file.values = results::parse_sample_log(log.text, file.path).values;
    file.obstacle = log_obstacle(file.path, file.values);
    return file;
}

void remark_cut_record(const std::string& path, const results::RunRecord& record,
                       std::vector<std::string>& remarks) {
    const std::uintmax_t size = fs::file_size(results::record_path(path));
    if (size > record.whole_bytes) {
        remarks.push_back(fmt::format(
            "The record of {} was cut off in the middle of a line: its last {} bytes are left out.",
            path, size - record.whole_bytes));
    }
}

void remark_method_without_sample(const std::string& path, const results::RunRecord& record,
                                  const results::RunMethod& method,
                                  std::vector<std::string>& remarks) {
    const auto entry = std::find_if(
        record.entries.begin(), record.entries.end(),
        [&](const results::RunEntry& candidate) { return candidate.method() == method; });
    remarks.push_back(fmt::format(
        "{} has no sample in {}: {}", without_prefix(method.title()), path,
        entry == record.entries.end()
            ? "it was not run."
            : fmt::format("{}: {}", results::outcome_name(entry->outcome), entry->reason)));
}

RunFolder folder_with_record(const std::string& path) {
    const results::RunRecord record = results::read_run(path);
    RunFolder folder;
    folder.path = path;
    folder.label = record.header.label;
    folder.has_record = true;
    remark_cut_record(path, record, folder.remarks);
    const std::vector<results::NamedText> logs = results::run_logs(record);
    auto log = logs.begin(); // one a method that has a sample, in the same order
    std::size_t most_samples = 1;
    for (const results::RunMethod& method : record.header.methods) {
        Series series = series_of_method(record, method, most_samples);
        if (series.values.empty()) {
            remark_method_without_sample(path, record, method, folder.remarks);
        } else {
            series.log = log_of_method(path, *log++);
            folder.methods.emplace_back(without_prefix(method.title()), std::move(series));
        }
    }
    if (most_samples > 1) {
        folder.remarks.push_back(fmt::format(
            "In {} a process took up to {} samples: they are not independent, so each process "
            "counts in the table as one value, their mean.",
            path, most_samples));
    }
    return folder;
}

RunFolder folder_of_logs(const std::string& path) {
    RunFolder folder;
    folder.path = path;
    folder.label = fs::path(path).filename();
    std::map<std::string, std::string> logs; // by name, in a fixed order
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
        const std::string method = parse_log_name(entry.path().filename()).method;
        if (method.empty() || !entry.is_regular_file()) {
            continue;
        }
        if (!logs.emplace(method, entry.path()).second) {
            throw usage_error(fmt::format("{} holds several logs of {} and no record (run.jsonl): "
                                          "name the logs to compare",
                                          path, method));
        }
    }
    for (const auto& [method, log] : logs) {
        folder.methods.emplace_back(method, series_of_log(log, std::nullopt));
    }
    if (!logs.empty()) {
        folder.remarks.push_back(
            fmt::format("{} has no record (run.jsonl): its logs are compared unpaired.", path));
    }
    return folder;
}

} // namespace

LogName parse_log_name(const std::string& file_name) {
    constexpr std::string_view ending = ".txt";
    const std::size_t start = file_name.find("-upload_");
    if (start == std::string::npos || !file_name.ends_with(ending)) {
        return {};
    }
    std::string method = file_name.substr(start + 1 + binary_prefix.size());
    method.resize(method.size() - ending.size());
    std::replace(method.begin(), method.end(), '-', ':');
    return {file_name.substr(0, start), method};
}

RunFolder read_run_folder(const std::string& path) {
    std::string folder_path = path;
    while (folder_path.size() > 1 && folder_path.ends_with('/')) {
        folder_path.pop_back();
    }
    std::error_code ignored;
    const bool has_record = fs::exists(results::record_path(folder_path), ignored);
    RunFolder folder = has_record ? folder_with_record(folder_path) : folder_of_logs(folder_path);
    if (folder.methods.empty()) {
        throw usage_error(has_record
                              ? fmt::format("the run in {} holds no sample", folder_path)
                              : fmt::format("{} is not a run: there is neither run.jsonl nor a log "
                                            "(*-upload_*.txt) in it",
                                            folder_path));
    }
    return folder;
}

Series series_of_log(const std::string& path, std::optional<int> column) {
    const results::SampleLog log = results::read_sample_log(path, column);
    const auto bad =
        std::find_if(log.values.begin(), log.values.end(), [](double value) { return value <= 0; });
    if (bad != log.values.end()) {
        throw usage_error(fmt::format(
            "{} holds {}, which is no throughput: percentages can be made of numbers above 0 only",
            path, *bad));
    }
    Series series;
    series.name = path;
    series.values = log.values;
    series.model = log.model();
    series.environment = log.header;
    series.log = {path, log.column, log.values, {}};
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        series.log.obstacle = fmt::format("{} can be read only once", path);
    }
    return series;
}

} // namespace gem_upload::tools
