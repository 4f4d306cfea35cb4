#include "compare_fixture.h"

#include "results/run_files.h"
#include "subcommand.h"
#include "util/error.h"
#include "util/files.h"

#include <cstdlib>
#include <filesystem>
#include <numeric>

namespace gem_upload::tools {
namespace {

results::RunHeader header_of(const RunPlan& plan) {
    results::RunHeader header;
    header.label = plan.label;
    header.started = "2026-01-31T12:00:00Z";
    header.host = "lab1";
    header.methods = plan.methods;
    header.cpu = "1";
    header.timeout_seconds = 300;
    header.environment = plan.environment;
    std::vector<std::size_t> row(plan.methods.size());
    std::iota(row.begin(), row.end(), 0U);
    header.order.assign(plan.rates.front().size(), row);
    return header;
}

std::vector<results::RunEntry> process(const RunPlan& plan, std::size_t method, std::size_t round) {
    constexpr double bytes = 1048576.0 * 1000;
    results::RunEntry entry;
    entry.round = round + 1;
    entry.position = method + 1;
    entry.started = entry.finished = "2026-01-31T12:00:01Z";
    entry.result.method = plan.methods[method].method;
    entry.result.variant = plan.methods[method].variant;
    results::Result result = entry.result;
    result.device = plan.model ? "model:g45" : "i915 8086:2e22 (g45)";
    result.model = plan.model;
    result.environment = plan.environment;
    const double rate = plan.rates[method][round];
    if (rate == 0) {
        entry.outcome = results::Outcome::failed;
        entry.reason = "killed by SIGSEGV";
        return {entry};
    }
    for (std::uint64_t sample = 0; sample < plan.samples; ++sample) {
        const double middle = static_cast<double>(plan.samples - 1) / 2;
        const double scaled = rate * (1 + 0.01 * (static_cast<double>(sample) - middle));
        result.samples.push_back(
            {bytes / 1048576.0 / scaled, 200, static_cast<std::uint64_t>(bytes), true});
    }
    return results::entries_of(entry, result);
}

} // namespace

CompareOutcome compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "gem-upload compare");
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    CompareOutcome outcome;
    testing::internal::CaptureStdout();
    try {
        outcome.status = compare_main(static_cast<int>(arguments.size()), argv.data());
    } catch (const Error& error) {
        outcome.status = static_cast<int>(error.status());
        outcome.error = error.what();
    }
    outcome.out = testing::internal::GetCapturedStdout();
    return outcome;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

WithoutPrograms::WithoutPrograms() : path_(std::getenv("PATH")) {
    ::setenv("PATH", "/nonexistent", 1);
}

WithoutPrograms::~WithoutPrograms() {
    ::setenv("PATH", path_.c_str(), 1);
}

std::string CompareTest::write(const std::string& name, const std::string& text) {
    replace_file(path(name), text);
    return path(name);
}

std::string CompareTest::write_run(const std::string& name, const RunPlan& plan) {
    std::filesystem::create_directory(path(name));
    results::RunRecord record{header_of(plan), {}, 0};
    std::string text = results::header_to_line(record.header);
    for (std::size_t round = 0; round < plan.rates.front().size(); ++round) {
        for (std::size_t method = 0; method < plan.methods.size(); ++method) {
            for (const results::RunEntry& entry : process(plan, method, round)) {
                record.entries.push_back(entry);
                text += results::entry_to_line(record.header, entry);
            }
        }
    }
    replace_file(results::record_path(path(name)), text);
    results::write_run_files(path(name), record);
    return path(name);
}

} // namespace gem_upload::tools
