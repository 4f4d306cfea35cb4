// i915_gem.c: pread and pwrite.
#include "model/front/drm/user_memory.h"
#include "model/front/i915/ioctls.h"
#include "model/front/i915/waiting.h"

#include <cerrno>
#include <cstdint>

namespace gem_upload::model::i915 {
namespace {

template <typename Arguments>
bool in_range(const Arguments& arguments, const Object& object) {
    return arguments.offset <= object.size() && arguments.size <= object.size() - arguments.offset;
}

} // namespace

int pread(I915Client& client, drm_i915_gem_pread& arguments) {
    I915& device = client.device();
    if (!device.chip().pwrite) {
        return -EOPNOTSUPP;
    }
    if (arguments.size == 0) {
        return 0;
    }
    if (!user_range(arguments.data_ptr, arguments.size)) {
        return -EFAULT;
    }
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    if (!in_range(arguments, *object) || object->userptr()) {
        return -EINVAL;
    }
    wait_for_writes(device, *object);
    const auto lock = object->lock();
    if (object->withholds_pages() || !writable(arguments.data_ptr, arguments.size)) {
        return -EFAULT;
    }
    object->memory().pread(arguments.offset, user_pointer<void>(arguments.data_ptr),
                           arguments.size);
    return 0;
}

int pwrite(I915Client& client, drm_i915_gem_pwrite& arguments) {
    I915& device = client.device();
    if (!device.chip().pwrite) {
        return -EOPNOTSUPP;
    }
    if (arguments.size == 0) {
        return 0;
    }
    if (!user_range(arguments.data_ptr, arguments.size)) {
        return -EFAULT;
    }
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    if (!in_range(arguments, *object) || object->userptr()) {
        return -EINVAL;
    }
    wait_for_use(device, *object);
    const auto lock = object->lock();
    // What is there of the data the kernel would have written; nothing depends on it.
    if (object->withholds_pages() || !readable(arguments.data_ptr, arguments.size)) {
        return -EFAULT;
    }
    object->memory().pwrite(arguments.offset, user_pointer<const void>(arguments.data_ptr),
                            arguments.size);
    return 0;
}

} // namespace gem_upload::model::i915
