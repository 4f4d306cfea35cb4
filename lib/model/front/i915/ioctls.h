// i915's ioctls: one function each. They return 0 or the negative errno of i915 6.1.
#pragma once

#include "model/front/drm/ioctl.h"
#include "model/front/i915/i915.h"

#include <i915_drm.h>
#include <span>
#include <string>

namespace gem_upload::model::i915 {

[[nodiscard]] std::span<const Ioctl> ioctl_table();

// parameters.cpp
int getparam(I915Client& client, drm_i915_getparam& arguments);
/// I915_SCHEDULER_CAP_*, which HAS_SCHEDULER answers.
[[nodiscard]] std::uint64_t scheduler_caps(const ChipModel& chip);
int get_aperture(I915Client& client, drm_i915_gem_get_aperture& arguments);

// objects.cpp
int gem_create(I915Client& client, drm_i915_gem_create& arguments);
int gem_create_ext(I915Client& client, drm_i915_gem_create_ext& arguments);
int userptr(I915Client& client, drm_i915_gem_userptr& arguments);
int madvise(I915Client& client, drm_i915_gem_madvise& arguments);
int set_caching(I915Client& client, drm_i915_gem_caching& arguments);
int get_caching(I915Client& client, drm_i915_gem_caching& arguments);
int set_tiling(I915Client& client, drm_i915_gem_set_tiling& arguments);
int get_tiling(I915Client& client, drm_i915_gem_get_tiling& arguments);

// transfer.cpp
int pread(I915Client& client, drm_i915_gem_pread& arguments);
int pwrite(I915Client& client, drm_i915_gem_pwrite& arguments);

// mapping.cpp
int gem_mmap(I915Client& client, drm_i915_gem_mmap& arguments);
int mmap_gtt(I915Client& client, drm_i915_gem_mmap_gtt& arguments);
int mmap_offset(I915Client& client, drm_i915_gem_mmap_offset& arguments);

// synchronisation.cpp
int set_domain(I915Client& client, drm_i915_gem_set_domain& arguments);
int sw_finish(I915Client& client, drm_i915_gem_sw_finish& arguments);
int busy(I915Client& client, drm_i915_gem_busy& arguments);
int wait(I915Client& client, drm_i915_gem_wait& arguments);
struct Throttle {};
int throttle(I915Client& client, Throttle& arguments);

// contexts.cpp
int context_create(I915Client& client, drm_i915_gem_context_create& arguments);
int context_create_ext(I915Client& client, drm_i915_gem_context_create_ext& arguments);
int context_destroy(I915Client& client, drm_i915_gem_context_destroy& arguments);
int context_getparam(I915Client& client, drm_i915_gem_context_param& arguments);
int context_setparam(I915Client& client, drm_i915_gem_context_param& arguments);
int vm_create(I915Client& client, drm_i915_gem_vm_control& arguments);
int vm_destroy(I915Client& client, drm_i915_gem_vm_control& arguments);
int get_reset_stats(I915Client& client, drm_i915_reset_stats& arguments);
int query(I915Client& client, drm_i915_query& arguments);

// execbuffer.cpp
int execbuffer2(I915Client& client, drm_i915_gem_execbuffer2& arguments);

} // namespace gem_upload::model::i915
