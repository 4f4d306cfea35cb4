// One benchmark process's result: what --json writes and what `gem-upload run` records.
#pragma once

#include "drm/environment.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gem_upload::results {

/// One timed sample.
struct Sample {
    double seconds = 0;
    std::uint64_t iterations = 0;
    std::uint64_t bytes = 0; ///< uploaded in all iterations
    bool verified = false;

    /// MB = 2^20 bytes, as IGT counts.
    [[nodiscard]] double mb_per_second() const {
        return static_cast<double>(bytes) / 1048576.0 / seconds;
    }
};

/// JSON keys are the members' names; "schema" is "gem-upload-result/1".
struct Result {
    std::string method;  ///< "upload_blit_large_map"
    std::string variant; ///< "" or "staged"
    std::string
        device; ///< Device::label(), "model:g45" on the model, "cpu" for the aperture family
    bool model = false; ///< measured on the software GPU: says nothing about hardware
    bool canonical = true;
    std::vector<std::string> not_canonical_because;           ///< option by option
    std::vector<std::pair<std::string, std::string>> options; ///< as they took effect
    std::vector<std::pair<std::string, std::string>> facts;   ///< Session::facts()
    drm::Environment environment;
    std::vector<Sample> samples;
    std::string gpu_hang; ///< the sentence about the hang that ended it; empty: none did
};

[[nodiscard]] std::string to_json(const Result& result);
/// Throws usage_error naming what is wrong.
[[nodiscard]] Result result_from_json(const std::string& text);

/// IGT's line: "200 iterations in 0.123 secs: 1234.5 MB/sec".
[[nodiscard]] std::string igt_line(const Sample& sample);

/// The `# name: value` lines that head a log, "# model: ..." among them for the model's results.
[[nodiscard]] std::string log_header(const Result& result);

/// One such line: "# gpu_hang: ...".
[[nodiscard]] std::string log_remark(std::string_view name, std::string value);

} // namespace gem_upload::results
