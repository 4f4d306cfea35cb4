// Waiting for the GPU's use of an object, as i915_gem_object_wait() does.
#pragma once

#include "model/front/i915/i915.h"

namespace gem_upload::model::i915 {

/// The batch that ends the GPU's writes, or all its use, of an object. The object is not locked.
[[nodiscard]] Sequence last_write(Object& object);
[[nodiscard]] Sequence last_use(Object& object);

/// Waits. The object is not locked, the caller's batches go on.
void wait_for_writes(I915& device, Object& object);
void wait_for_use(I915& device, Object& object);

} // namespace gem_upload::model::i915
