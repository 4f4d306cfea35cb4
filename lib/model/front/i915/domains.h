// The memory domains of the uAPI, in groups.
#pragma once

#include <cstdint>
#include <i915_drm.h>

namespace gem_upload::model::i915 {

/// All in which the GPU reads or writes.
inline constexpr std::uint32_t gpu_domains = I915_GEM_DOMAIN_RENDER | I915_GEM_DOMAIN_SAMPLER |
                                             I915_GEM_DOMAIN_COMMAND | I915_GEM_DOMAIN_INSTRUCTION |
                                             I915_GEM_DOMAIN_VERTEX;

} // namespace gem_upload::model::i915
