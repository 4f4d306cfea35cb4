// gem/i915_gem_context.c.
#include "model/front/drm/authentication.h"
#include "model/front/drm/user_memory.h"
#include "model/front/i915/extensions.h"
#include "model/front/i915/ioctls.h"

#include <cerrno>
#include <limits>
#include <utility>

namespace gem_upload::model::i915 {
namespace {

int create(I915Client& client, std::uint32_t& id, NewContext wanted) {
    if (client.device().wedged() || client.hangs().banned()) {
        return -EIO;
    }
    id = client.create_context(std::move(wanted));
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

/// set_proto_ctx_vm().
int set_space(I915Client& client, const drm_i915_gem_context_param& arguments,
              std::shared_ptr<AddressMap>& space) {
    if (arguments.size != 0) {
        return -EINVAL;
    }
    if (client.device().chip().ppgtt != Ppgtt::full) {
        return -ENODEV;
    }
    const bool too_large = arguments.value > std::numeric_limits<std::uint32_t>::max();
    std::shared_ptr<AddressMap> found =
        too_large ? nullptr : client.space(static_cast<std::uint32_t>(arguments.value));
    if (found == nullptr) {
        return -ENOENT;
    }
    space = std::move(found);
    return 0;
}

/// set_proto_ctx_param(): some can be set only while a context is made.
int set_new_parameter(I915Client& client, const drm_i915_gem_context_param& arguments,
                      NewContext& wanted) {
    switch (arguments.param) {
    case I915_CONTEXT_PARAM_VM:
        return set_space(client, arguments, wanted.space);
    case I915_CONTEXT_PARAM_ENGINES:
        return read_engine_map(client.device(), arguments, wanted.engines);
    case I915_CONTEXT_PARAM_PROTECTED_CONTENT:
        return arguments.value == 0 ? 0 : -ENODEV; // there is no PXP
    default:
        return set_parameter(client.device().chip(), arguments, wanted.switches);
    }
}

int apply_extension(I915Client& client, std::uint32_t name, std::uint64_t address,
                    NewContext& wanted) {
    drm_i915_gem_context_create_ext_setparam extension{};
    if (name != I915_CONTEXT_CREATE_EXT_SETPARAM) {
        return -EINVAL;
    }
    if (!copy_from_user(extension, address)) {
        return -EFAULT;
    }
    return extension.param.ctx_id != 0 ? -EINVAL
                                       : set_new_parameter(client, extension.param, wanted);
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
    NewContext wanted;
    if ((arguments.flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS) != 0) {
        const int error = for_each_extension(
            arguments.extensions, [&client, &wanted](std::uint32_t name, std::uint64_t address) {
                return apply_extension(client, name, address, wanted);
            });
        if (error != 0) {
            return error;
        }
    }
    return create(client, arguments.ctx_id, std::move(wanted));
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
        if (client.device().chip().ppgtt != Ppgtt::full) {
            return -ENODEV;
        }
        arguments.value = client.add_space(context->space);
        return 0;
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

int vm_create(I915Client& client, drm_i915_gem_vm_control& arguments) {
    if (client.device().chip().ppgtt != Ppgtt::full) {
        return -ENODEV;
    }
    if (arguments.flags != 0) {
        return -EINVAL;
    }
    const auto unknown = [](std::uint32_t /*name*/, std::uint64_t /*address*/) { return -EINVAL; };
    if (const int error = for_each_extension(arguments.extensions, unknown)) {
        return error;
    }
    arguments.vm_id = client.add_space(client.device().new_address_space());
    return 0;
}

int vm_destroy(I915Client& client, drm_i915_gem_vm_control& arguments) {
    if (arguments.flags != 0 || arguments.extensions != 0) {
        return -EINVAL;
    }
    return client.remove_space(arguments.vm_id) ? 0 : -ENOENT;
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
