// What i915 counts of a context's batches when the GPU hangs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gem_upload::gem {

/// DRM_IOCTL_I915_GET_RESET_STATS; the count of all resets, which is root's to know, is left out.
struct ResetStats {
    std::uint32_t hung = 0;   ///< batch_active: batches that hung the GPU
    std::uint32_t caught = 0; ///< batch_pending: others that were on the GPU when it was reset

    bool operator==(const ResetStats&) const = default;
};

/// Those of an open file's default context; nothing where the kernel does not tell (old ones tell
/// only root).
[[nodiscard]] std::optional<ResetStats> read_reset_stats(int fd);

/// What has been counted between two readings, in words; nothing if nothing has.
[[nodiscard]] std::optional<std::string> describe_growth(const ResetStats& before,
                                                         const ResetStats& now);

} // namespace gem_upload::gem
