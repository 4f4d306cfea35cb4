#include "bench/report.h"

#include "bench/command_line.h"
#include "results/sample_log.h"
#include "util/error.h"
#include "util/files.h"
#include "util/standard_streams.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace gem_upload::bench {
namespace {

void print_line(const std::string& line) {
    std::fputs(line.c_str(), stdout);
    flush_standard_output();
}

/// Where the samples are kept until the benchmark ends; nowhere for devices, pipes and links.
std::string partial_path_of(const std::string& path) {
    const auto type = std::filesystem::symlink_status(path).type();
    const bool replaceable = type == std::filesystem::file_type::regular ||
                             type == std::filesystem::file_type::not_found;
    return path.empty() || !replaceable ? "" : path + ".partial";
}

} // namespace

Report::Report(results::Result head, const Options& options)
    : result_(std::move(head)),
      log_path_(options.log_path),
      json_path_(options.json_path),
      partial_path_(partial_path_of(options.json_path)) {
    if (!log_path_.empty()) {
        append_synced(log_path_, results::log_header(result_));
    }
    if (!partial_path_.empty()) { // said now rather than after measuring
        replace_file(partial_path_, "");
        ::unlink(partial_path_.c_str());
    }
}

void Report::take(const results::Sample& sample) {
    result_.samples.push_back(sample);
    if (!log_path_.empty()) {
        log(sample);
    }
    // Rewriting a long result at each of many samples would take longer than measuring.
    if (std::time(nullptr) != partial_written_) {
        write_partial_json();
    }
    print_line(results::igt_line(sample) + "\n"); // last: a closed pipe must cost nothing else
}

void Report::end_in_hang(const std::string& sentence) {
    result_.gpu_hang = sentence;
    if (!log_path_.empty()) {
        append_synced(log_path_, results::log_remark("gpu_hang", sentence));
    }
    finish();
}

void Report::finish() {
    if (json_path_.empty()) {
        return;
    }
    replace_file(json_path_, results::to_json(result_));
    if (!partial_path_.empty()) {
        ::unlink(partial_path_.c_str());
    }
}

void Report::log(const results::Sample& sample) {
    append_synced(log_path_, results::sample_log_line(sample.mb_per_second()));
}

void Report::write_partial_json() {
    if (!partial_path_.empty()) {
        replace_file(partial_path_, results::to_json(result_));
        partial_written_ = std::time(nullptr);
    }
}

results::Result make_result(const Method& method, const Options& options, const Session& session,
                            const drm::Device* device) {
    results::Result result;
    result.method = method.name;
    result.variant = options.variant == Variant::staged ? "staged" : "";
    result.device = device != nullptr ? device->label() : "cpu";
    result.model = device != nullptr && device->is_model();
    result.not_canonical_because = departures_from_canon(method, options);
    result.canonical = result.not_canonical_because.empty();
    result.options =
        describe_options(method, options, options.warmup.value_or(session.default_warmup()));
    result.facts = session.facts();
    result.environment = drm::read_environment(device);
    return result;
}

} // namespace gem_upload::bench
