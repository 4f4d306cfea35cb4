// gem/i915_gem_create.c, i915_gem_userptr.c, i915_gem_domain.c (caching), i915_gem.c (madvise),
// i915_gem_tiling.c.
#include "model/front/drm/user_memory.h"
#include "model/front/i915/extensions.h"
#include "model/front/i915/ioctls.h"
#include "model/front/i915/waiting.h"
#include "util/error.h"

#include <bit>
#include <cerrno>

namespace gem_upload::model::i915 {
namespace {

/// i915_gem_object_size_2big(): pages are counted in an int.
constexpr std::uint64_t largest_object = std::uint64_t{0x7fffffff} * page_bytes;

constexpr std::uint64_t page_mask = page_bytes - 1;

/// i915_tiling_ok().
bool tiling_ok(const ChipModel& chip, std::uint32_t mode, std::uint32_t stride) {
    if (mode == I915_TILING_NONE) {
        return true;
    }
    if (mode > I915_TILING_LAST || stride == 0) {
        return false;
    }
    const std::uint32_t limit =
        chip.generation < 4 ? 8192 : (chip.generation < 7 ? 131072 : 262144);
    if (stride > limit || (chip.generation < 4 && !std::has_single_bit(stride))) {
        return false;
    }
    // 128-byte-wide Y tiles came with the 945G (HAS_128_BYTE_Y_TILING).
    const std::uint32_t tile_width = mode == I915_TILING_Y || chip.generation == 2 ? 128 : 512;
    return stride % tile_width == 0;
}

std::uint32_t uapi(Swizzle swizzle) {
    switch (swizzle) {
    case Swizzle::none:
        return I915_BIT_6_SWIZZLE_NONE;
    case Swizzle::bits_9:
        return I915_BIT_6_SWIZZLE_9;
    case Swizzle::bits_9_10:
        return I915_BIT_6_SWIZZLE_9_10;
    case Swizzle::bits_9_11:
        return I915_BIT_6_SWIZZLE_9_11;
    case Swizzle::bits_9_10_11:
        return I915_BIT_6_SWIZZLE_9_10_11;
    }
    return I915_BIT_6_SWIZZLE_UNKNOWN;
}

std::uint32_t swizzle_of(const ChipModel& chip, std::uint32_t mode) {
    switch (mode) {
    case I915_TILING_X:
        return uapi(chip.swizzle_x);
    case I915_TILING_Y:
        return uapi(chip.swizzle_y);
    default:
        return I915_BIT_6_SWIZZLE_NONE;
    }
}

/// set_placements(): the model has system memory only.
int check_regions(std::uint64_t address) {
    drm_i915_gem_create_ext_memory_regions regions{};
    if (!copy_from_user(regions, address)) {
        return -EFAULT;
    }
    if (regions.pad != 0 || regions.num_regions != 1 || regions.regions == 0) {
        return -EINVAL;
    }
    drm_i915_gem_memory_class_instance region{};
    if (!copy_from_user(region, regions.regions)) {
        return -EFAULT;
    }
    const bool system =
        region.memory_class == I915_MEMORY_CLASS_SYSTEM && region.memory_instance == 0;
    return system ? 0 : -EINVAL;
}

/// ext_set_protected(): there is no PXP.
int check_protection(std::uint64_t address) {
    drm_i915_gem_create_ext_protected_content content{};
    if (!copy_from_user(content, address)) {
        return -EFAULT;
    }
    return content.flags != 0 ? -EINVAL : -ENODEV;
}

int check_extension(std::uint32_t name, std::uint64_t address) {
    switch (name) {
    case I915_GEM_CREATE_EXT_MEMORY_REGIONS:
        return check_regions(address);
    case I915_GEM_CREATE_EXT_PROTECTED_CONTENT:
        return check_protection(address);
    default:
        return -EINVAL;
    }
}

} // namespace

int gem_create(I915Client& client, drm_i915_gem_create& arguments) {
    const std::uint64_t bytes = (arguments.size + page_mask) & ~page_mask;
    if (bytes == 0) {
        return -EINVAL; // nothing, or so much that rounding overflowed
    }
    if (bytes > largest_object) {
        return -E2BIG;
    }
    try {
        arguments.handle = client.add(std::make_shared<Object>(bytes, client.device().caches()));
    } catch (const Error&) {
        return -ENOMEM;
    }
    arguments.size = bytes;
    return 0;
}

int gem_create_ext(I915Client& client, drm_i915_gem_create_ext& arguments) {
    if (arguments.flags != 0) {
        return -EINVAL; // all of them want local memory
    }
    if (const int error = for_each_extension(arguments.extensions, check_extension)) {
        return error;
    }
    drm_i915_gem_create plain{.size = arguments.size, .handle = 0, .pad = 0};
    const int error = gem_create(client, plain);
    arguments.size = plain.size;
    arguments.handle = plain.handle;
    return error;
}

int userptr(I915Client& client, drm_i915_gem_userptr& arguments) {
    const ChipModel& chip = client.device().chip();
    if (!chip.userptr) {
        return -ENODEV;
    }
    if ((arguments.flags & ~static_cast<std::uint32_t>(I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE |
                                                       I915_USERPTR_UNSYNCHRONIZED)) != 0) {
        return -EINVAL;
    }
    if (arguments.user_size > largest_object) {
        return -E2BIG;
    }
    if (arguments.user_size == 0 || ((arguments.user_ptr | arguments.user_size) & page_mask) != 0) {
        return -EINVAL;
    }
    if (!user_range(arguments.user_ptr, arguments.user_size)) {
        return -EFAULT;
    }
    // Unsynchronised ones went with 5.15. Read-only pages came with gen8's page tables, and are not
    // kept on gen11 and gen12 (gt/gen8_ppgtt.c, has_read_only).
    const bool read_only_pages = chip.generation >= 8 && chip.generation < 11;
    if ((arguments.flags & I915_USERPTR_UNSYNCHRONIZED) != 0 ||
        ((arguments.flags & I915_USERPTR_READ_ONLY) != 0 && !read_only_pages)) {
        return -ENODEV;
    }
    if ((arguments.flags & I915_USERPTR_PROBE) != 0 &&
        !writable(arguments.user_ptr, arguments.user_size)) {
        return -EFAULT;
    }
    auto* const memory = user_pointer<std::byte>(arguments.user_ptr);
    arguments.handle = client.add(
        std::make_shared<Object>(Span(memory, arguments.user_size), client.device().caches()));
    return 0;
}

// Nothing presses the model for memory: what is not needed is kept all the same, but an object
// without pages is discarded at once.
int madvise(I915Client& client, drm_i915_gem_madvise& arguments) {
    if (arguments.madv != I915_MADV_DONTNEED && arguments.madv != I915_MADV_WILLNEED) {
        return -EINVAL;
    }
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    const auto lock = object->lock();
    if (!object->purged) {
        object->dont_need = arguments.madv == I915_MADV_DONTNEED;
        // Pages of the program's own cannot be discarded.
        object->purged = object->dont_need && !object->memory().has_pages() && !object->userptr();
    }
    arguments.retained = object->purged ? 0 : 1;
    return 0;
}

int set_caching(I915Client& client, drm_i915_gem_caching& arguments) {
    I915& device = client.device();
    CacheLevel level = CacheLevel::none;
    switch (arguments.caching) {
    case I915_CACHING_NONE:
    case I915_CACHING_DISPLAY: // write-through is Haswell's and Broadwell's eDRAM only
        break;
    case I915_CACHING_CACHED:
        if (!device.chip().llc && !device.chip().snoop) {
            return -ENODEV;
        }
        level = CacheLevel::llc;
        break;
    default:
        return -EINVAL;
    }
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    if (object->userptr()) {
        return arguments.caching == I915_CACHING_CACHED ? 0 : -ENXIO;
    }
    wait_for_use(device, *object);
    const auto lock = object->lock();
    if (object->memory().set_cache_level(level)) {
        object->remap(device.gtt_forbidden(object->memory()));
    }
    return 0;
}

int get_caching(I915Client& client, drm_i915_gem_caching& arguments) {
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    const auto lock = object->lock();
    arguments.caching =
        object->memory().cache_level() == CacheLevel::llc ? I915_CACHING_CACHED : I915_CACHING_NONE;
    return 0;
}

int set_tiling(I915Client& client, drm_i915_gem_set_tiling& arguments) {
    const ChipModel& chip = client.device().chip();
    if (chip.fences == 0) {
        return -EOPNOTSUPP;
    }
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    if (object->userptr()) {
        return -ENXIO;
    }
    if (!tiling_ok(chip, arguments.tiling_mode, arguments.stride)) {
        return -EINVAL;
    }
    if (arguments.tiling_mode == I915_TILING_NONE) {
        arguments.stride = 0;
    }
    arguments.swizzle_mode = swizzle_of(chip, arguments.tiling_mode);
    const auto lock = object->lock();
    object->tiling = {.mode = arguments.tiling_mode, .stride = arguments.stride};
    return 0;
}

int get_tiling(I915Client& client, drm_i915_gem_get_tiling& arguments) {
    const ChipModel& chip = client.device().chip();
    if (chip.fences == 0) {
        return -EOPNOTSUPP;
    }
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    const auto lock = object->lock();
    arguments.tiling_mode = object->tiling.mode;
    arguments.swizzle_mode = swizzle_of(chip, object->tiling.mode);
    arguments.phys_swizzle_mode = arguments.swizzle_mode;
    return 0;
}

} // namespace gem_upload::model::i915
