// Dumb buffers (gem/i915_gem_create.c, i915_gem_dumb_create; gem/i915_gem_mman.c).
#include "model/front/i915/i915.h"
#include "model/front/i915/ioctls.h"

#include <cerrno>

namespace gem_upload::model::i915 {
namespace {

/// What the primary plane takes with linear memory (i9xx_plane.c, *_plane_max_stride): 32 bits a
/// pixel.
std::uint32_t largest_stride(const ChipModel& chip) {
    return chip.generation < 4 ? 8 * 1024 : 32 * 1024;
}

} // namespace

int I915::create_dumb(Client& client, drm_mode_create_dumb& arguments) {
    const std::uint32_t bytes_per_pixel = (arguments.bpp + 7) / 8;
    if (bytes_per_pixel != 1 && bytes_per_pixel != 2 && bytes_per_pixel != 4) {
        return -EINVAL; // no format of i915's
    }
    constexpr std::uint32_t line = 64;
    const std::uint64_t row = std::uint64_t{arguments.width} * bytes_per_pixel;
    std::uint64_t pitch = (row + line - 1) / line * line;
    if (pitch > largest_stride(chip_)) {
        pitch = (pitch + page_bytes - 1) / page_bytes * page_bytes; // can be remapped by pages
    }
    drm_i915_gem_create create{.size = pitch * arguments.height, .handle = 0, .pad = 0};
    const int error = gem_create(static_cast<I915Client&>(client), create);
    if (error == 0) {
        arguments.pitch = static_cast<std::uint32_t>(pitch);
        arguments.size = create.size;
        arguments.handle = create.handle;
    }
    return error;
}

int I915::map_dumb(Client& client, std::uint32_t handle, std::uint64_t& offset) {
    drm_i915_gem_mmap_offset arguments{};
    arguments.handle = handle;
    arguments.flags = chip_.pat ? I915_MMAP_OFFSET_WC : I915_MMAP_OFFSET_GTT;
    const int error = mmap_offset(static_cast<I915Client&>(client), arguments);
    offset = arguments.offset;
    return error;
}

} // namespace gem_upload::model::i915
