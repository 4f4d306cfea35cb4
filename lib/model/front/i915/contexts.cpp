// gem/i915_gem_context.c.
#include "model/front/drm/authentication.h"
#include "model/front/i915/ioctls.h"

#include <cerrno>

namespace gem_upload::model::i915 {
namespace {

int create(I915Client& client, std::uint32_t& id) {
    if (client.device().wedged()) {
        return -EIO;
    }
    id = client.create_context();
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

int set_bannable(const drm_i915_gem_context_param& arguments, Context& context) {
    if (arguments.size == 0 && arguments.value == 0 && !privileged()) {
        return -EPERM;
    }
    return set_switch(arguments, context.bannable);
}

/// Without preemption nothing can be thrown off the GPU when its owner goes.
int set_persistence(const drm_i915_gem_context_param& arguments) {
    if (arguments.size != 0) {
        return -EINVAL;
    }
    return arguments.value == 0 ? -ENODEV : 0;
}

} // namespace

int context_create(I915Client& client, drm_i915_gem_context_create& arguments) {
    if (!client.device().chip().contexts) {
        return -ENODEV;
    }
    if (arguments.pad != 0) {
        return -EINVAL;
    }
    return create(client, arguments.ctx_id);
}

int context_create_ext(I915Client& client, drm_i915_gem_context_create_ext& arguments) {
    if (!client.device().chip().contexts) {
        return -ENODEV;
    }
    if ((arguments.flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN) != 0) {
        return -EINVAL;
    }
    if ((arguments.flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS) != 0 &&
        arguments.extensions != 0) {
        return -EINVAL; // not in the model
    }
    return create(client, arguments.ctx_id);
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
        arguments.value = context->no_error_capture ? 1 : 0;
        return 0;
    case I915_CONTEXT_PARAM_BANNABLE:
        arguments.value = context->bannable ? 1 : 0;
        return 0;
    case I915_CONTEXT_PARAM_RECOVERABLE:
        arguments.value = context->recoverable ? 1 : 0;
        return 0;
    case I915_CONTEXT_PARAM_PERSISTENCE:
        arguments.value = 1;
        return 0;
    case I915_CONTEXT_PARAM_PRIORITY:
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
    switch (arguments.param) {
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
        return set_switch(arguments, context->no_error_capture);
    case I915_CONTEXT_PARAM_BANNABLE:
        return set_bannable(arguments, *context);
    case I915_CONTEXT_PARAM_RECOVERABLE:
        return set_switch(arguments, context->recoverable);
    case I915_CONTEXT_PARAM_PERSISTENCE:
        return set_persistence(arguments);
    case I915_CONTEXT_PARAM_PRIORITY:
        return arguments.size != 0 ? -EINVAL : -ENODEV; // no scheduler
    default:
        return -EINVAL;
    }
}

int get_reset_stats(I915Client& client, drm_i915_reset_stats& arguments) {
    if (arguments.flags != 0 || arguments.pad != 0) {
        return -EINVAL;
    }
    if (client.context(arguments.ctx_id) == nullptr) {
        return -ENOENT;
    }
    const std::uint32_t hangs = client.device().wedged() ? 1 : 0;
    arguments.reset_count = privileged() ? hangs : 0;
    arguments.batch_active = hangs;
    arguments.batch_pending = 0;
    return 0;
}

} // namespace gem_upload::model::i915
