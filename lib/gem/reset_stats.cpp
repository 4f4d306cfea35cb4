#include "gem/reset_stats.h"

#include <fmt/format.h>
#include <i915_drm.h>
#include <xf86drm.h>

namespace gem_upload::gem {

std::optional<ResetStats> read_reset_stats(int fd) {
    drm_i915_reset_stats stats{};
    if (drmIoctl(fd, DRM_IOCTL_I915_GET_RESET_STATS, &stats) != 0) {
        return std::nullopt;
    }
    return ResetStats{stats.batch_active, stats.batch_pending};
}

std::optional<std::string> describe_growth(const ResetStats& before, const ResetStats& now) {
    if (now == before) {
        return std::nullopt;
    }
    return fmt::format("of this benchmark's batches i915 counts {} that hung it and {} that were "
                       "caught in the reset",
                       now.hung - before.hung, now.caught - before.caught);
}

} // namespace gem_upload::gem
