// A context's own numbering of engines (I915_CONTEXT_PARAM_ENGINES).
#pragma once

#include "model/front/i915/object.h"

#include <cstdint>
#include <i915_drm.h>
#include <optional>
#include <vector>

namespace gem_upload::model::i915 {

class I915;

/// By the number in an execbuffer's flags; nothing: no engine has it.
using EngineMap = std::vector<std::optional<Ring>>;

/// The map that a parameter of a new context holds, in MAP: 0 or a negative errno.
[[nodiscard]] int read_engine_map(const I915& device, const drm_i915_gem_context_param& arguments,
                                  std::optional<EngineMap>& map);

} // namespace gem_upload::model::i915
