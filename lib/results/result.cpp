#include "results/result.h"

#include "results/json_fields.h"
#include "util/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace gem_upload::results {
namespace {

constexpr std::string_view result_schema = "gem-upload-result/1";

Json sample_to_json(const Sample& sample) {
    return Json{{"seconds", sample.seconds},
                {"iterations", sample.iterations},
                {"bytes", sample.bytes},
                {"verified", sample.verified},
                {"mb_per_second", sample.mb_per_second()}};
}

Sample sample_from_json(const Json& json) {
    if (!json.is_object()) {
        throw usage_error("the result is broken: 'samples' holds something that is no sample");
    }
    const Fields fields(json, "a sample of the result");
    const Sample sample{fields.number("seconds"), fields.count("iterations"), fields.count("bytes"),
                        fields.flag("verified")};
    if (sample.seconds <= 0) {
        fields.refuse("seconds", "is not above 0");
    }
    return sample;
}

std::string joined(const NamesAndValues& pairs) {
    std::vector<std::string> parts;
    parts.reserve(pairs.size());
    for (const auto& [name, value] : pairs) {
        parts.push_back(fmt::format("{} {}", name, value));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

std::string to_json(const Result& result) {
    Json json{{"schema", result_schema},
              {"method", result.method},
              {"variant", result.variant},
              {"device", result.device},
              {"model", result.model},
              {"canonical", result.canonical},
              {"not_canonical_because", result.not_canonical_because},
              {"options", names_and_values(result.options)},
              {"facts", names_and_values(result.facts)},
              {"environment", names_and_values(result.environment)},
              {"gpu_hang", result.gpu_hang},
              {"samples", Json::array()}};
    for (const Sample& sample : result.samples) {
        json["samples"].push_back(sample_to_json(sample));
    }
    return dump_pretty(json);
}

Result result_from_json(const std::string& text) {
    const Json json = parse_json_object(text, "the result");
    const Fields fields(json, "the result");
    fields.require_schema(result_schema);
    Result result;
    result.method = fields.text("method");
    result.variant = fields.text("variant");
    result.device = fields.text("device");
    result.model = fields.flag("model");
    result.canonical = fields.flag("canonical");
    result.not_canonical_because = fields.texts("not_canonical_because");
    result.options = fields.pairs("options");
    result.facts = fields.pairs("facts");
    result.environment = fields.pairs("environment");
    if (json.contains("gpu_hang")) { // older results have none
        result.gpu_hang = fields.text("gpu_hang");
    }
    for (const Json& sample : fields.list("samples")) {
        result.samples.push_back(sample_from_json(sample));
    }
    return result;
}

std::string igt_line(const Sample& sample) {
    return fmt::format("{} iterations in {:.3f} secs: {:.1f} MB/sec", sample.iterations,
                       sample.seconds, sample.mb_per_second());
}

/// One line, whatever the value holds.
std::string log_remark(std::string_view name, std::string value) {
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return fmt::format("# {}: {}\n", name, value);
}

std::string log_header(const Result& result) {
    std::string header = log_remark("method", result.method);
    if (!result.variant.empty()) {
        header += log_remark("variant", result.variant);
    }
    header += log_remark("unit", "MB/s (MB = 2^20 bytes)");
    header += log_remark("device", result.device);
    if (result.model) {
        header += log_remark("model", "measured on the software GPU: this is the speed of the "
                                      "harness and says nothing about any hardware");
    }
    header += log_remark(
        "canonical", result.canonical
                         ? "yes"
                         : fmt::format("no: {}", fmt::join(result.not_canonical_because, ", ")));
    if (!result.options.empty()) {
        header += log_remark("options", joined(result.options));
    }
    for (const auto& [name, value] : result.facts) {
        header += log_remark(name, value);
    }
    for (const auto& [name, value] : result.environment) {
        if (name != "device") { // said above
            header += log_remark(name, value);
        }
    }
    return header;
}

} // namespace gem_upload::results
