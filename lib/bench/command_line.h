// The options that all benchmarks share, and those of the upload_aperture family.
#pragma once

#include "bench/method.h"

#include <string>
#include <variant>
#include <vector>

namespace gem_upload::bench {

/// Parses a benchmark's command line; returns its exit status instead when --help or --version
/// was all. Throws usage_error in one sentence for what cannot be meant.
[[nodiscard]] std::variant<Options, int> parse_options(const Method& method, int argc, char** argv);

/// Every way in which the options differ from the canonical workload, in words.
[[nodiscard]] std::vector<std::string> departures_from_canon(const Method& method,
                                                             const Options& options);

/// The options as they took effect, for logs and JSON.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
describe_options(const Method& method, const Options& options, std::uint64_t warmup);

} // namespace gem_upload::bench
