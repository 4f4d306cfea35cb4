// The key arguments of i915's ioctls, for the trace.
#pragma once

#include "model/front/i915/ioctls.h"

#include <i915_drm.h>
#include <string>

namespace gem_upload::model::i915 {

/// One form an ioctl, "name=value name=value"; the values as they are after the call.
struct Text {
    std::string operator()(const drm_i915_getparam& arguments) const;
    std::string operator()(const drm_i915_gem_create& arguments) const;
    std::string operator()(const drm_i915_gem_create_ext& arguments) const;
    std::string operator()(const drm_i915_gem_pread& arguments) const;
    std::string operator()(const drm_i915_gem_pwrite& arguments) const;
    std::string operator()(const drm_i915_gem_mmap& arguments) const;
    std::string operator()(const drm_i915_gem_mmap_gtt& arguments) const;
    std::string operator()(const drm_i915_gem_mmap_offset& arguments) const;
    std::string operator()(const drm_i915_gem_set_domain& arguments) const;
    std::string operator()(const drm_i915_gem_sw_finish& arguments) const;
    std::string operator()(const drm_i915_gem_set_tiling& arguments) const;
    std::string operator()(const drm_i915_gem_get_tiling& arguments) const;
    std::string operator()(const drm_i915_gem_get_aperture& arguments) const;
    std::string operator()(const drm_i915_gem_madvise& arguments) const;
    std::string operator()(const drm_i915_gem_busy& arguments) const;
    std::string operator()(const drm_i915_gem_wait& arguments) const;
    std::string operator()(const Throttle& arguments) const;
    std::string operator()(const drm_i915_gem_execbuffer2& arguments) const;
    std::string operator()(const drm_i915_gem_caching& arguments) const;
    std::string operator()(const drm_i915_gem_userptr& arguments) const;
    std::string operator()(const drm_i915_gem_context_create& arguments) const;
    std::string operator()(const drm_i915_gem_context_create_ext& arguments) const;
    std::string operator()(const drm_i915_gem_context_destroy& arguments) const;
    std::string operator()(const drm_i915_gem_context_param& arguments) const;
    std::string operator()(const drm_i915_gem_vm_control& arguments) const;
    std::string operator()(const drm_i915_reset_stats& arguments) const;
    std::string operator()(const drm_i915_query& arguments) const;
};

} // namespace gem_upload::model::i915
