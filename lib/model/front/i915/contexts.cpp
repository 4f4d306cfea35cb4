// gem/i915_gem_context.c, i915_query.c: as much as programs ask before they blit.
#include "model/front/i915/ioctls.h"

#include <cerrno>

namespace gem_upload::model::i915 {
namespace {

int create(I915Client& client, std::uint32_t& id) {
    if (!client.device().chip().contexts) {
        return -ENODEV;
    }
    if (client.device().wedged()) {
        return -EIO;
    }
    id = client.create_context();
    return 0;
}

} // namespace

int context_create(I915Client& client, drm_i915_gem_context_create& arguments) {
    std::uint32_t id = 0;
    const int error = create(client, id);
    arguments.ctx_id = id;
    return error;
}

int context_create_ext(I915Client& client, drm_i915_gem_context_create_ext& arguments) {
    if (!client.device().chip().contexts) {
        return -ENODEV;
    }
    if ((arguments.flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN) != 0 || arguments.extensions != 0) {
        return -EINVAL;
    }
    std::uint32_t id = 0;
    const int error = create(client, id);
    arguments.ctx_id = id;
    return error;
}

int context_destroy(I915Client& client, drm_i915_gem_context_destroy& arguments) {
    if (arguments.pad != 0) {
        return -EINVAL;
    }
    return client.destroy_context(arguments.ctx_id) ? 0 : -ENOENT;
}

int context_getparam(I915Client& client, drm_i915_gem_context_param& arguments) {
    const std::shared_ptr<AddressMap> space = client.context(arguments.ctx_id);
    if (space == nullptr) {
        return -ENOENT;
    }
    arguments.size = 0;
    switch (arguments.param) {
    case I915_CONTEXT_PARAM_GTT_SIZE:
        arguments.value = space->end();
        return 0;
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
    case I915_CONTEXT_PARAM_PRIORITY:
        arguments.value = 0;
        return 0;
    case I915_CONTEXT_PARAM_BANNABLE:
    case I915_CONTEXT_PARAM_RECOVERABLE:
        arguments.value = 1;
        return 0;
    default:
        return -EINVAL;
    }
}

int context_setparam(I915Client& client, drm_i915_gem_context_param& arguments) {
    if (client.context(arguments.ctx_id) == nullptr) {
        return -ENOENT;
    }
    switch (arguments.param) {
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
    case I915_CONTEXT_PARAM_BANNABLE:
    case I915_CONTEXT_PARAM_RECOVERABLE:
        return arguments.size == 0 ? 0 : -EINVAL;
    case I915_CONTEXT_PARAM_PRIORITY:
        return -ENODEV; // no scheduler
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
    arguments.reset_count = hangs;
    arguments.batch_active = hangs;
    arguments.batch_pending = 0;
    return 0;
}

// Nothing is known to query; as kernels before 4.17, where the ioctl did not exist.
int query(I915Client& /*client*/, drm_i915_query& /*arguments*/) {
    return -EINVAL;
}

} // namespace gem_upload::model::i915
