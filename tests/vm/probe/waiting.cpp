// BUSY, WAIT, THROTTLE (gem/i915_gem_busy.c, i915_gem_wait.c, i915_gem_throttle.c).
#include "answer.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <sys/ioctl.h>

namespace gem_upload::probe {
namespace {

std::string wait(const Client& client, std::uint32_t handle, std::uint32_t flags,
                 std::int64_t timeout) {
    drm_i915_gem_wait arguments{handle, flags, timeout};
    const int error = client.attempt(DRM_IOCTL_I915_GEM_WAIT, &arguments);
    const bool sensible = timeout <= 0
                              ? arguments.timeout_ns == timeout
                              : arguments.timeout_ns >= 0 && arguments.timeout_ns <= timeout;
    return fmt::format("{}, timeout {}", errno_text(error),
                       sensible ? timeout <= 0 ? "unchanged" : "no longer" : "changed");
}

std::string busy(const Client& client, std::uint32_t handle) {
    drm_i915_gem_busy arguments{handle, 99};
    const int error = client.attempt(DRM_IOCTL_I915_GEM_BUSY, &arguments);
    return fmt::format("{}, {:#x}", errno_text(error), arguments.busy);
}

} // namespace

Questions wait_questions() {
    Questions questions{
        {"BUSY idle", [](const Client& client) { return busy(client, client.create(page)); }},
        {"BUSY no object", [](const Client& client) { return busy(client, 77); }},
        {"WAIT no object", [](const Client& client) { return wait(client, 77, 0, 0); }},
        {"WAIT flag 0",
         [](const Client& client) { return wait(client, client.create(page), 1, 0); }},
        {"WAIT flag 31, no object",
         [](const Client& client) { return wait(client, 77, 1U << 31U, 0); }},
        {"THROTTLE",
         [](const Client& client) {
             return errno_text(client.attempt(DRM_IOCTL_I915_GEM_THROTTLE, nullptr));
         }},
    };
    constexpr std::array<std::int64_t, 7> timeouts{0,         1,  1000000,  std::int64_t{1} << 40,
                                                   INT64_MAX, -1, INT64_MIN};
    for (const std::int64_t timeout : timeouts) {
        questions.push_back(
            {fmt::format("WAIT idle, timeout {}", timeout), [timeout](const Client& client) {
                 return wait(client, client.create(page), 0, timeout);
             }});
    }
    return questions;
}

} // namespace gem_upload::probe
