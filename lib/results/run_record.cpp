#include "results/run_record.h"

#include "results/json_fields.h"
#include "util/error.h"
#include "util/files.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <tuple>

namespace gem_upload::results {
namespace {

constexpr std::string_view run_schema = "gem-upload-run/1";
constexpr Outcome outcomes[] = {Outcome::measured, Outcome::skipped, Outcome::failed};

drm::Environment differences(const drm::Environment& from, const drm::Environment& to) {
    drm::Environment changed;
    for (const auto& pair : to) {
        if (std::find(from.begin(), from.end(), pair) == from.end()) {
            changed.push_back(pair);
        }
    }
    return changed;
}

drm::Environment overlaid(drm::Environment environment, const drm::Environment& changes) {
    for (const auto& change : changes) {
        const auto same =
            std::find_if(environment.begin(), environment.end(),
                         [&](const auto& pair) { return pair.first == change.first; });
        if (same == environment.end()) {
            environment.push_back(change);
        } else {
            same->second = change.second;
        }
    }
    return environment;
}

Json methods_to_json(const std::vector<RunMethod>& methods) {
    Json list = Json::array();
    for (const RunMethod& method : methods) {
        list.push_back({{"method", method.method}, {"variant", method.variant}});
    }
    return list;
}

std::vector<RunMethod> methods_from_json(const Json& list, const Fields& header) {
    std::vector<RunMethod> methods;
    for (const Json& json : list) {
        if (!json.is_object()) {
            header.refuse("methods", "holds something that is no method");
        }
        const Fields fields(json, "a method of the record");
        methods.push_back({fields.text("method"), fields.text("variant")});
    }
    if (methods.empty()) {
        header.refuse("methods", "names no method");
    }
    return methods;
}

std::vector<std::vector<std::size_t>> order_from_json(const Json& list, std::size_t methods,
                                                      const Fields& header) {
    std::vector<std::vector<std::size_t>> order;
    for (const Json& row : list) {
        if (!row.is_array() || row.size() != methods) {
            header.refuse("order", "has a round that does not hold every method once");
        }
        std::vector<bool> seen(methods, false);
        std::vector<std::size_t>& round = order.emplace_back();
        for (const Json& index : row) {
            const bool known = index.is_number_unsigned() && index.get<std::uint64_t>() < methods &&
                               !seen[index.get<std::size_t>()];
            if (!known) {
                header.refuse("order", "has a round that does not hold every method once");
            }
            round.push_back(index.get<std::size_t>());
            seen[round.back()] = true;
        }
    }
    if (order.empty()) {
        header.refuse("order", "has no round");
    }
    return order;
}

RunHeader header_from_line(const std::string& line, const std::string& what) {
    const Json json = parse_json_object(line, what);
    const Fields fields(json, what);
    fields.require_schema(run_schema);
    RunHeader header;
    header.label = fields.text("label");
    header.started = fields.text("started");
    header.host = fields.text("host");
    header.device = fields.text("device");
    header.seed = fields.count("seed");
    header.methods = methods_from_json(fields.list("methods"), fields);
    header.order = order_from_json(fields.list("order"), header.methods.size(), fields);
    header.options = fields.pairs("options");
    header.cpu = fields.text("cpu");
    header.timeout_seconds = fields.count("timeout_seconds");
    header.environment = fields.pairs("environment");
    return header;
}

Outcome outcome_from(const Fields& fields) {
    const std::string name = fields.text("outcome");
    for (const Outcome outcome : outcomes) {
        if (name == outcome_name(outcome)) {
            return outcome;
        }
    }
    fields.refuse("outcome", "is neither measured, skipped nor failed");
}

void read_measurement(const Fields& fields, const RunHeader& header, RunEntry& entry) {
    Result& result = entry.result;
    entry.sample = fields.count("sample");
    result.device = fields.text("device");
    result.model = fields.flag("model");
    result.canonical = fields.flag("canonical");
    result.not_canonical_because = fields.texts("not_canonical_because");
    result.options = fields.pairs("options");
    result.facts = fields.pairs("facts");
    result.environment = overlaid(header.environment, fields.pairs("environment"));
    result.samples = {{fields.number("seconds"), fields.count("iterations"), fields.count("bytes"),
                       fields.flag("verified")}};
    if (result.samples.front().seconds <= 0) {
        fields.refuse("seconds", "is not above 0");
    }
    if (entry.sample == 0) {
        fields.refuse("sample", "is not above 0");
    }
}

RunEntry entry_from_line(const std::string& line, const RunHeader& header,
                         const std::string& what) {
    const Json json = parse_json_object(line, what);
    const Fields fields(json, what);
    RunEntry entry;
    entry.round = fields.count("round");
    entry.position = fields.count("position");
    entry.result.method = fields.text("method");
    entry.result.variant = fields.text("variant");
    entry.outcome = outcome_from(fields);
    entry.started = fields.text("started");
    entry.finished = fields.text("finished");
    if (entry.outcome == Outcome::measured) {
        read_measurement(fields, header, entry);
    } else {
        entry.reason = fields.text("reason");
    }
    if (entry.round < 1 || entry.round > header.order.size()) {
        fields.refuse("round", "is outside the run");
    }
    const auto& row = header.order[entry.round - 1];
    if (entry.position < 1 || entry.position > row.size()) {
        fields.refuse("position", "is outside the round");
    }
    if (entry.method() != header.methods[row[entry.position - 1]]) {
        fields.refuse("method", "is not the one that the order has there");
    }
    return entry;
}

/// True when nothing is left to do for a process.
bool is_settled(const RunRecord& record, std::uint64_t round, std::uint64_t position) {
    const RunHeader& header = record.header;
    const RunMethod& method = header.methods[header.order[round - 1][position - 1]];
    return std::any_of(record.entries.begin(), record.entries.end(), [&](const RunEntry& entry) {
        return (entry.round == round && entry.position == position) ||
               (entry.outcome == Outcome::skipped && entry.method() == method);
    });
}

} // namespace

std::string RunMethod::title() const {
    return variant.empty() ? method : fmt::format("{}:{}", method, variant);
}

std::size_t RunHeader::processes() const {
    return std::accumulate(order.begin(), order.end(), std::size_t{0},
                           [](std::size_t sum, const auto& row) { return sum + row.size(); });
}

std::string_view outcome_name(Outcome outcome) {
    switch (outcome) {
    case Outcome::measured:
        return "measured";
    case Outcome::skipped:
        return "skipped";
    case Outcome::failed:
        break;
    }
    return "failed";
}

std::string header_to_line(const RunHeader& header) {
    return dump_line({{"schema", run_schema},
                      {"label", header.label},
                      {"started", header.started},
                      {"host", header.host},
                      {"device", header.device},
                      {"seed", header.seed},
                      {"rounds", header.order.size()},
                      {"methods", methods_to_json(header.methods)},
                      {"order", header.order},
                      {"options", names_and_values(header.options)},
                      {"cpu", header.cpu},
                      {"timeout_seconds", header.timeout_seconds},
                      {"environment", names_and_values(header.environment)}}) +
           '\n';
}

std::string entry_to_line(const RunHeader& header, const RunEntry& entry) {
    const Result& result = entry.result;
    Json json{{"round", entry.round},
              {"position", entry.position},
              {"method", result.method},
              {"variant", result.variant},
              {"outcome", outcome_name(entry.outcome)}};
    if (entry.outcome == Outcome::measured) {
        const Sample& sample = result.samples.at(0);
        json["sample"] = entry.sample;
        json["mb_per_second"] = sample.mb_per_second();
        json["seconds"] = sample.seconds;
        json["iterations"] = sample.iterations;
        json["bytes"] = sample.bytes;
        json["verified"] = sample.verified;
        json["device"] = result.device;
        json["model"] = result.model;
        json["canonical"] = result.canonical;
        json["not_canonical_because"] = result.not_canonical_because;
        json["options"] = names_and_values(result.options);
        json["facts"] = names_and_values(result.facts);
        json["environment"] = names_and_values(differences(header.environment, result.environment));
    } else {
        json["reason"] = entry.reason;
    }
    json["started"] = entry.started;
    json["finished"] = entry.finished;
    return dump_line(json) + '\n';
}

RunRecord parse_run_record(std::string_view text, const std::string& name) {
    RunRecord record;
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> seen;
    std::size_t number = 0;
    for (std::size_t end = 0; (end = text.find('\n', record.whole_bytes)) != std::string_view::npos;
         record.whole_bytes = end + 1) {
        const std::string line(text.substr(record.whole_bytes, end - record.whole_bytes));
        const std::string what = fmt::format("line {} of {}", ++number, name);
        if (number == 1) {
            record.header = header_from_line(line, what);
            continue;
        }
        record.entries.push_back(entry_from_line(line, record.header, what));
        const RunEntry& entry = record.entries.back();
        if (!seen.emplace(entry.round, entry.position, entry.sample).second) {
            throw usage_error(fmt::format("{} records a sample for the second time", what));
        }
    }
    if (number == 0) {
        throw usage_error(
            fmt::format("{} was cut off before its first line was whole: nothing had been "
                        "measured, so start a new run",
                        name));
    }
    return record;
}

std::string record_path(const std::string& folder) {
    return std::filesystem::path(folder) / "run.jsonl";
}

RunRecord read_run(const std::string& folder) {
    const std::string path = record_path(folder);
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
        throw usage_error(fmt::format("'{}' is not a run: there is no such folder", folder));
    }
    if (!std::filesystem::is_regular_file(path, ignored)) {
        throw usage_error(fmt::format("'{}' is not a run: there is no run.jsonl in it", folder));
    }
    return parse_run_record(read_file(path), path);
}

std::vector<RunEntry> entries_of(const RunEntry& process, const Result& result) {
    std::vector<RunEntry> entries;
    for (const Sample& sample : result.samples) {
        RunEntry& entry = entries.emplace_back(process);
        entry.outcome = Outcome::measured;
        entry.sample = entries.size();
        entry.result = result;
        entry.result.samples = {sample};
    }
    if (!result.gpu_hang.empty()) {
        RunEntry& end = entries.emplace_back(process);
        end.outcome = Outcome::failed;
        end.reason = result.gpu_hang;
    }
    return entries;
}

std::vector<Place> places_left(const RunRecord& record) {
    std::vector<Place> left;
    for (std::size_t round = 1; round <= record.header.order.size(); ++round) {
        for (std::size_t position = 1; position <= record.header.order[round - 1].size();
             ++position) {
            if (!is_settled(record, round, position)) {
                left.push_back({round, position});
            }
        }
    }
    return left;
}

} // namespace gem_upload::results
