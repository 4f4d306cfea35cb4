// gem/i915_gem_domain.c, i915_gem_busy.c, i915_gem_wait.c, i915_gem_throttle.c.
#include "model/front/i915/domains.h"
#include "model/front/i915/ioctls.h"
#include "model/front/i915/waiting.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace gem_upload::model::i915 {
namespace {

constexpr std::uint32_t cpu_side_domains =
    I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT | I915_GEM_DOMAIN_WC;

/// A wedged GPU: current kernels let waits return, old ones (before 4.15) answered EIO. The model
/// answers EIO, so that no program takes what a wedged GPU left for a result.
int wedged_error(const I915& device) {
    return device.wedged() ? -EIO : 0;
}

} // namespace

int set_domain(I915Client& client, drm_i915_gem_set_domain& arguments) {
    I915& device = client.device();
    const std::uint32_t read = arguments.read_domains;
    const std::uint32_t write = arguments.write_domain;
    if (((read | write) & gpu_domains) != 0 || (write != 0 && read != write)) {
        return -EINVAL;
    }
    if (read == 0) {
        return 0;
    }
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    if (write != 0) {
        wait_for_use(device, *object);
    } else {
        wait_for_writes(device, *object);
    }
    const auto lock = object->lock();
    if (object->withholds_pages() || !object->user_pages_there()) {
        return -EFAULT;
    }
    object->memory().set_domain(read & cpu_side_domains, write & cpu_side_domains);
    return wedged_error(device);
}

// Only what is scanned out has to be flushed, and the model shows nothing.
int sw_finish(I915Client& client, drm_i915_gem_sw_finish& arguments) {
    return client.object(arguments.handle) == nullptr ? -ENOENT : 0;
}

int busy(I915Client& client, drm_i915_gem_busy& arguments) {
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    ExecutionQueue& queue = client.device().queue();
    const auto lock = object->lock();
    const Object::Activity& activity = object->activity;
    arguments.busy = 0;
    for (std::size_t ring = 0; ring < ring_count; ++ring) {
        if (!queue.poll(activity.last_use[ring])) {
            arguments.busy |= 0x10000U << engine_class(static_cast<Ring>(ring));
        }
    }
    if (!queue.poll(activity.last_write)) {
        arguments.busy |= engine_class(activity.last_writer) + 1U;
    }
    return 0;
}

int wait(I915Client& client, drm_i915_gem_wait& arguments) {
    if (arguments.flags != 0) {
        return -EINVAL;
    }
    I915& device = client.device();
    const std::shared_ptr<Object> object = client.object(arguments.bo_handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    ExecutionQueue::Deadline deadline;
    if (arguments.timeout_ns >= 0) {
        // A century is for ever, and does not overflow the clock.
        constexpr std::int64_t for_ever = std::int64_t{100} * 365 * 86400 * 1000000000;
        deadline = start +
                   std::chrono::nanoseconds(std::min<std::int64_t>(arguments.timeout_ns, for_ever));
    }
    const bool idle = device.queue().wait(last_use(*object), deadline);
    if (arguments.timeout_ns > 0) {
        const std::int64_t elapsed = std::chrono::nanoseconds(Clock::now() - start).count();
        arguments.timeout_ns = std::max<std::int64_t>(0, arguments.timeout_ns - elapsed);
    }
    if (!idle) {
        return -ETIME;
    }
    return wedged_error(device);
}

// The kernel waits for requests older than 20 ms; nothing in the model is that far behind unless
// it runs late, and then this waits for all.
int throttle(I915Client& client, Throttle& /*arguments*/) {
    client.device().queue().drain();
    return wedged_error(client.device());
}

} // namespace gem_upload::model::i915
