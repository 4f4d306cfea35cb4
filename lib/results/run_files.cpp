#include "results/run_files.h"

#include "results/json_fields.h"
#include "results/sample_log.h"
#include "util/files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>

namespace gem_upload::results {
namespace {

/// The entries of a method by round; a resumed run may have recorded them in another order.
std::vector<RunEntry> entries_of_method(const RunRecord& record, const RunMethod& method) {
    std::vector<RunEntry> entries;
    std::copy_if(record.entries.begin(), record.entries.end(), std::back_inserter(entries),
                 [&](const RunEntry& entry) { return entry.method() == method; });
    std::stable_sort(entries.begin(), entries.end(), [](const RunEntry& a, const RunEntry& b) {
        return std::tie(a.round, a.position, a.sample) < std::tie(b.round, b.position, b.sample);
    });
    return entries;
}

Json line_as_json(const RunHeader& header, const RunEntry& entry) {
    Json json = parse_json_object(entry_to_line(header, entry), "an entry");
    json.erase("method");
    json.erase("variant");
    return json;
}

Json method_to_json(const RunRecord& record, const RunMethod& method) {
    Json json{{"method", method.method},
              {"variant", method.variant},
              {"samples", Json::array()},
              {"skipped", Json::array()},
              {"failed", Json::array()}};
    for (const RunEntry& entry : entries_of_method(record, method)) {
        const char* list = entry.outcome == Outcome::measured  ? "samples"
                           : entry.outcome == Outcome::skipped ? "skipped"
                                                               : "failed";
        json[list].push_back(line_as_json(record.header, entry));
    }
    return json;
}

std::string log_name(const RunHeader& header, const RunMethod& method) {
    return fmt::format("{}-{}{}{}.txt", header.label, method.method,
                       method.variant.empty() ? "" : "-", method.variant);
}

std::string log_text(const RunHeader& header, const std::vector<RunEntry>& entries) {
    std::string numbers;
    const RunEntry* first = nullptr;
    for (const RunEntry& entry : entries) {
        if (entry.outcome == Outcome::measured) {
            first = first ? first : &entry;
            numbers += sample_log_line(entry.result.samples.front().mb_per_second());
        }
    }
    if (!first) {
        return {};
    }
    return log_header(first->result) +
           fmt::format("# started: {}\n# seed: {}\n# rounds: {}\n", header.started, header.seed,
                       header.order.size()) +
           numbers;
}

} // namespace

std::string run_json(const RunRecord& record) {
    Json json = parse_json_object(header_to_line(record.header), "the header");
    json["finished"] = places_left(record).empty();
    json["results"] = Json::array();
    for (const RunMethod& method : record.header.methods) {
        json["results"].push_back(method_to_json(record, method));
    }
    return dump_pretty(json);
}

std::vector<NamedText> run_logs(const RunRecord& record) {
    std::vector<NamedText> logs;
    for (const RunMethod& method : record.header.methods) {
        std::string text = log_text(record.header, entries_of_method(record, method));
        if (!text.empty()) {
            logs.push_back({log_name(record.header, method), std::move(text)});
        }
    }
    return logs;
}

void write_run_files(const std::string& folder, const RunRecord& record) {
    const std::filesystem::path path(folder);
    for (const NamedText& log : run_logs(record)) {
        replace_file(path / log.name, log.text);
    }
    replace_file(path / "run.json", run_json(record));
}

} // namespace gem_upload::results
