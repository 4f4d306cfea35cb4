// The upload_blit_* sessions on i915: upload an object, blit it, thousands of times.
#pragma once

#include "bench/method.h"
#include "gem/pieces_size.h"

#include <memory>
#include <optional>
#include <string>

namespace gem_upload::gem {

enum class PathKind { pwrite, map, gtt, wc };

/// Sets up the canonical workload (README, "What is measured") on the device of the options.
/// Throws cannot_measure where i915 refuses the path or this build lacks libdrm_intel.
[[nodiscard]] std::unique_ptr<bench::Session> open_i915_upload(const bench::Options& options,
                                                               PathKind path, PieceSize pieces);

/// Why the path cannot run on the device, found by trying it there; nothing if it can.
[[nodiscard]] std::optional<std::string> i915_refusal(const drm::Device* device, PathKind path);

} // namespace gem_upload::gem
