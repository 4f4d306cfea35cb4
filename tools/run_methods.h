// What --methods means.
#pragma once

#include "bench/method.h"
#include "results/run_record.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::tools {

struct MethodSelection {
    std::vector<results::RunMethod> methods; ///< in the order they were named, each once
    std::vector<std::string> remarks;        ///< sentences: what was named twice
};

/// The methods that a LIST means. Its items are separated by commas; each is a NAME, optionally
/// with ":staged". A NAME is, tried in this order:
///   1. a group: "blit", "small", "aperture", or "all" (with ":staged": those of it that have the
///      variant);
///   2. a binary, "upload_blit_large_map" or "blit_large_map";
///   3. a suffix within the group of the item before it ("blit" at the start and after "all"):
///      "map" is the binary of that group that ends in "_map", "pwrite" the one without a suffix.
/// So "aperture" is the group, and "upload_aperture" the binary.
/// Throws usage_error, naming what exists.
[[nodiscard]] MethodSelection select_methods(std::string_view list,
                                             std::span<const bench::Method* const> table);

/// True when a method of the selection needs a GPU.
[[nodiscard]] bool needs_device(const results::RunMethod& method,
                                std::span<const bench::Method* const> table);

} // namespace gem_upload::tools
