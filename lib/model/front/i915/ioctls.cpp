#include "model/front/i915/ioctls.h"

#include "model/front/i915/description.h"
#include "model/front/i915/legacy.h"

#include <array>
#include <vector>

namespace gem_upload::model::i915 {
namespace {

constexpr std::array gem_table{
    ioctl_row<&getparam, Text>(DRM_IOCTL_I915_GETPARAM, "GETPARAM"),
    ioctl_row<&gem_create, Text>(DRM_IOCTL_I915_GEM_CREATE, "CREATE"),
    ioctl_row<&gem_create_ext, Text>(DRM_IOCTL_I915_GEM_CREATE_EXT, "CREATE_EXT"),
    ioctl_row<&pread, Text>(DRM_IOCTL_I915_GEM_PREAD, "PREAD"),
    ioctl_row<&pwrite, Text>(DRM_IOCTL_I915_GEM_PWRITE, "PWRITE"),
    ioctl_row<&gem_mmap, Text>(DRM_IOCTL_I915_GEM_MMAP, "MMAP"),
    ioctl_row<&mmap_gtt, Text>(DRM_IOCTL_I915_GEM_MMAP_GTT, "MMAP_GTT"),
    ioctl_row<&mmap_offset, Text>(DRM_IOCTL_I915_GEM_MMAP_OFFSET, "MMAP_OFFSET"),
    ioctl_row<&set_domain, Text>(DRM_IOCTL_I915_GEM_SET_DOMAIN, "SET_DOMAIN"),
    ioctl_row<&sw_finish, Text>(DRM_IOCTL_I915_GEM_SW_FINISH, "SW_FINISH"),
    ioctl_row<&set_tiling, Text>(DRM_IOCTL_I915_GEM_SET_TILING, "SET_TILING"),
    ioctl_row<&get_tiling, Text>(DRM_IOCTL_I915_GEM_GET_TILING, "GET_TILING"),
    ioctl_row<&get_aperture, Text>(DRM_IOCTL_I915_GEM_GET_APERTURE, "GET_APERTURE"),
    ioctl_row<&madvise, Text>(DRM_IOCTL_I915_GEM_MADVISE, "MADVISE"),
    ioctl_row<&busy, Text>(DRM_IOCTL_I915_GEM_BUSY, "BUSY"),
    ioctl_row<&wait, Text>(DRM_IOCTL_I915_GEM_WAIT, "WAIT"),
    ioctl_row<&throttle, Text>(DRM_IOCTL_I915_GEM_THROTTLE, "THROTTLE"),
    // Both EXECBUFFER2 and EXECBUFFER2_WR: the request's direction says what is copied back.
    ioctl_row<&execbuffer2, Text>(DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, "EXECBUFFER2"),
    ioctl_row<&set_caching, Text>(DRM_IOCTL_I915_GEM_SET_CACHING, "SET_CACHING"),
    ioctl_row<&get_caching, Text>(DRM_IOCTL_I915_GEM_GET_CACHING, "GET_CACHING"),
    ioctl_row<&userptr, Text>(DRM_IOCTL_I915_GEM_USERPTR, "USERPTR"),
    ioctl_row<&context_create, Text>(DRM_IOCTL_I915_GEM_CONTEXT_CREATE, "CONTEXT_CREATE"),
    ioctl_row<&context_create_ext, Text>(DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT,
                                         "CONTEXT_CREATE_EXT"),
    ioctl_row<&context_destroy, Text>(DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, "CONTEXT_DESTROY"),
    ioctl_row<&context_getparam, Text>(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, "CONTEXT_GETPARAM"),
    ioctl_row<&context_setparam, Text>(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, "CONTEXT_SETPARAM"),
    ioctl_row<&vm_create, Text>(DRM_IOCTL_I915_GEM_VM_CREATE, "VM_CREATE"),
    ioctl_row<&vm_destroy, Text>(DRM_IOCTL_I915_GEM_VM_DESTROY, "VM_DESTROY"),
    ioctl_row<&get_reset_stats, Text>(DRM_IOCTL_I915_GET_RESET_STATS, "GET_RESET_STATS"),
    ioctl_row<&query, Text>(DRM_IOCTL_I915_QUERY, "QUERY"),
};

} // namespace

std::span<const Ioctl> ioctl_table() {
    static const std::vector<Ioctl> table = [] {
        std::vector<Ioctl> all(gem_table.begin(), gem_table.end());
        const std::span<const Ioctl> others = legacy_table();
        all.insert(all.end(), others.begin(), others.end());
        return all;
    }();
    return table;
}

} // namespace gem_upload::model::i915
