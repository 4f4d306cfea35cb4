// gem/i915_gem_context.c.
#include "model/front/drm/authentication.h"
#include "model/front/drm/user_memory.h"
#include "model/front/i915/extensions.h"
#include "model/front/i915/ioctls.h"

#include <cerrno>

namespace gem_upload::model::i915 {
namespace {

int create(I915Client& client, std::uint32_t& id, const ContextSwitches& switches) {
    if (client.device().wedged() || client.hangs().banned()) {
        return -EIO;
    }
    id = client.create_context(switches);
    return 0;
}

/// The size of drm_i915_gem_context_param_sseu, which GETPARAM tells to those who pass none.
constexpr std::uint32_t sseu_bytes = sizeof(drm_i915_gem_context_param_sseu);

/// A parameter that is a switch, without a structure.
int set_switch(const drm_i915_gem_context_param& arguments, bool& value) {
    if (arguments.size != 0) {
        return -EINVAL;
    }
    value = arguments.value != 0;
    return 0;
}

int set_bannable(const drm_i915_gem_context_param& arguments, bool& value) {
    if (arguments.size == 0 && arguments.value == 0 && !privileged()) {
        return -EPERM;
    }
    return set_switch(arguments, value);
}

/// Without preemption nothing can be thrown off the GPU when its owner goes.
int set_persistence(const ChipModel& chip, const drm_i915_gem_context_param& arguments,
                    bool& value) {
    if (arguments.size != 0) {
        return -EINVAL;
    }
    if (arguments.value == 0 && (scheduler_caps(chip) & I915_SCHEDULER_CAP_PREEMPTION) == 0) {
        return -ENODEV;
    }
    value = arguments.value != 0;
    return 0;
}

/// validate_priority(). The model executes in the order of submission, which is one of those that
/// priorities allow.
int set_priority(const ChipModel& chip, const drm_i915_gem_context_param& arguments,
                 std::int64_t& value) {
    const auto priority = static_cast<std::int64_t>(arguments.value);
    if (arguments.size != 0) {
        return -EINVAL;
    }
    if ((scheduler_caps(chip) & I915_SCHEDULER_CAP_PRIORITY) == 0) {
        return -ENODEV;
    }
    if (priority > I915_CONTEXT_MAX_USER_PRIORITY || priority < I915_CONTEXT_MIN_USER_PRIORITY) {
        return -EINVAL;
    }
    if (priority > I915_CONTEXT_DEFAULT_PRIORITY && !privileged()) {
        return -EPERM;
    }
    value = priority;
    return 0;
}

/// Parameters that have a value in every context.
int set_parameter(const ChipModel& chip, const drm_i915_gem_context_param& arguments,
                  ContextSwitches& switches) {
    switch (arguments.param) {
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        return set_switch(arguments, switches.no_error_capture);
    case I915_CONTEXT_PARAM_BANNABLE:
        return set_bannable(arguments, switches.bannable);
    case I915_CONTEXT_PARAM_RECOVERABLE:
        return set_switch(arguments, switches.recoverable);
    case I915_CONTEXT_PARAM_PERSISTENCE:
        return set_persistence(chip, arguments, switches.persistent);
    case I915_CONTEXT_PARAM_PRIORITY:
        return set_priority(chip, arguments, switches.priority);
    default:
        return -EINVAL;
    }
}

/// set_proto_ctx_param(): some can be set only while a context is made.
int set_new_parameter(const I915& device, const drm_i915_gem_context_param& arguments,
                      ContextSwitches& switches) {
    switch (arguments.param) {
    case I915_CONTEXT_PARAM_VM:
        // With full PPGTT the kernel would; the model has no address spaces apart from contexts.
        return device.chip().ppgtt == Ppgtt::full ? -EINVAL : -ENODEV;
    case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
        return arguments.value == 0 ? 0 : -ENODEV; // there is no PXP
    default:
        return set_parameter(device.chip(), arguments, switches);
    }
}

int apply_extension(const I915& device, std::uint32_t name, std::uint64_t address,
                    ContextSwitches& switches) {
    drm_i915_gem_context_create_ext_setparam extension{};
    if (name != I915_CONTEXT_CREATE_EXT_SETPARAM) {
        return -EINVAL;
    }
    if (!copy_from_user(extension, address)) {
        return -EFAULT;
    }
    return extension.param.ctx_id != 0 ? -EINVAL
                                       : set_new_parameter(device, extension.param, switches);
}

} // namespace

int context_create(I915Client& client, drm_i915_gem_context_create& arguments) {
    if (!client.device().chip().contexts) {
        return -ENODEV;
    }
    return create(client, arguments.ctx_id, {});
}

int context_create_ext(I915Client& client, drm_i915_gem_context_create_ext& arguments) {
    if (!client.device().chip().contexts) {
        return -ENODEV;
    }
    const I915& device = client.device();
    const bool one_timeline = (arguments.flags & I915_CONTEXT_CREATE_FLAGS_SINGLE_TIMELINE) != 0;
    if ((arguments.flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN) != 0 ||
        (one_timeline && device.chip().generation < 8)) { // wants execlists
        return -EINVAL;
    }
    ContextSwitches switches;
    if ((arguments.flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS) != 0) {
        const int error = for_each_extension(
            arguments.extensions, [&device, &switches](std::uint32_t name, std::uint64_t address) {
                return apply_extension(device, name, address, switches);
            });
        if (error != 0) {
            return error;
        }
    }
    return create(client, arguments.ctx_id, switches);
}

int context_destroy(I915Client& client, drm_i915_gem_context_destroy& arguments) {
    if (arguments.pad != 0) {
        return -EINVAL;
    }
    return client.destroy_context(arguments.ctx_id) ? 0 : -ENOENT;
}

int context_getparam(I915Client& client, drm_i915_gem_context_param& arguments) {
    const std::shared_ptr<Context> context = client.context(arguments.ctx_id);
    if (context == nullptr) {
        return -ENOENT;
    }
    const std::uint32_t asked = arguments.size;
    arguments.size = 0;
    switch (arguments.param) {
    case I915_CONTEXT_PARAM_GTT_SIZE:
        arguments.value = context->space->end();
        return 0;
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        arguments.value = context->switches.no_error_capture ? 1 : 0;
        return 0;
    case I915_CONTEXT_PARAM_BANNABLE:
        arguments.value = context->switches.bannable ? 1 : 0;
        return 0;
    case I915_CONTEXT_PARAM_RECOVERABLE:
        arguments.value = context->switches.recoverable ? 1 : 0;
        return 0;
    case I915_CONTEXT_PARAM_PERSISTENCE:
        arguments.value = context->switches.persistent ? 1 : 0;
        return 0;
    case I915_CONTEXT_PARAM_PRIORITY:
        arguments.value = static_cast<std::uint64_t>(context->switches.priority);
        return 0;
    case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
        arguments.value = 0;
        return 0;
    case I915_CONTEXT_PARAM_SSEU:
        arguments.size = sseu_bytes;
        return asked == 0 ? 0 : -EINVAL;
    case I915_CONTEXT_PARAM_VM:
        return client.device().chip().ppgtt == Ppgtt::full ? -EINVAL : -ENODEV;
    default:
        arguments.size = asked;
        return -EINVAL;
    }
}

int context_setparam(I915Client& client, drm_i915_gem_context_param& arguments) {
    const std::shared_ptr<Context> context = client.context(arguments.ctx_id);
    if (context == nullptr) {
        return -ENOENT;
    }
    return set_parameter(client.device().chip(), arguments, context->switches);
}

int get_reset_stats(I915Client& client, drm_i915_reset_stats& arguments) {
    if (arguments.flags != 0 || arguments.pad != 0) {
        return -EINVAL;
    }
    const std::shared_ptr<Context> context = client.context(arguments.ctx_id);
    if (context == nullptr) {
        return -ENOENT;
    }
    arguments.reset_count = privileged() ? client.device().resets() : 0;
    arguments.batch_active = context->hangs.guilty();
    arguments.batch_pending = 0; // batches execute one at a time: no other is on the GPU
    return 0;
}

} // namespace gem_upload::model::i915
