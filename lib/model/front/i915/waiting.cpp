#include "model/front/i915/waiting.h"

#include <algorithm>

namespace gem_upload::model::i915 {

Sequence last_write(Object& object) {
    const auto lock = object.lock();
    return std::max(object.activity.last_write, object.activity.last_flush);
}

Sequence last_use(Object& object) {
    const auto lock = object.lock();
    return object.activity.last();
}

void wait_for_writes(I915& device, Object& object) {
    device.queue().wait(last_write(object));
}

void wait_for_use(I915& device, Object& object) {
    device.queue().wait(last_use(object));
}

} // namespace gem_upload::model::i915
