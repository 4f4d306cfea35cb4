// gem/i915_gem_mman.c.
#include "model/front/i915/ioctls.h"
#include "model/front/i915/waiting.h"

#include <cerrno>
#include <fmt/format.h>
#include <sys/mman.h>

namespace gem_upload::model::i915 {
namespace {

/// Rounded up as mmap(2) does.
std::size_t whole_pages(std::size_t length) {
    return (length + page_bytes - 1) / page_bytes * page_bytes;
}

/// The descriptor behind a mapping; -1: SIGBUS.
int prepare_mapping(I915& device, Object& object, MappingKind kind) {
    ObjectMemory& memory = object.memory();
    if (kind == MappingKind::write_back) {
        memory.map_cached();
        return memory.store().cpu_fd();
    }
    if (kind == MappingKind::gtt &&
        (device.gtt_forbidden(memory) || device.faults().next_gtt_mapping())) {
        return -1;
    }
    return memory.store().memory_fd();
}

void* map_object(I915& device, const std::shared_ptr<Object>& object, MappingKind kind,
                 const MapRequest& request) {
    const auto lock = object->lock();
    const int fd = prepare_mapping(device, *object, kind);
    // i915 maps the whole range at the first fault.
    const int flags = request.flags | (fd >= 0 ? MAP_POPULATE : 0);
    void* address = map_for_program(request.address, request.length, request.protection, flags, fd,
                                    request.offset);
    if (address != MAP_FAILED) {
        device.remember_mapping(object,
                                {static_cast<std::byte*>(address), whole_pages(request.length),
                                 request.offset, request.protection, kind});
    }
    return address;
}

bool tiled(Object& object) {
    const auto lock = object.lock();
    return object.tiling.mode != I915_TILING_NONE;
}

int assign_offset(I915Client& client, std::uint32_t handle, MappingKind kind,
                  std::uint64_t& offset) {
    const std::shared_ptr<Object> object = client.object(handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    if (object->userptr()) {
        return -ENODEV;
    }
    offset = client.device().offsets().offset_for(object, kind);
    return 0;
}

} // namespace

int gem_mmap(I915Client& client, drm_i915_gem_mmap& arguments) {
    I915& device = client.device();
    if (!device.chip().legacy_mmap) {
        return -EOPNOTSUPP;
    }
    if ((arguments.flags & ~std::uint64_t{I915_MMAP_WC}) != 0) {
        return -EINVAL;
    }
    const bool write_combining = (arguments.flags & I915_MMAP_WC) != 0;
    if (write_combining && !device.chip().pat) {
        return -ENODEV;
    }
    const std::shared_ptr<Object> object = client.object(arguments.handle);
    if (object == nullptr) {
        return -ENOENT;
    }
    if (object->userptr()) {
        return -ENXIO;
    }
    if (arguments.offset > object->size() || arguments.size > object->size() - arguments.offset ||
        arguments.offset % page_bytes != 0 || arguments.size == 0) {
        return -EINVAL;
    }
    void* address = map_object(
        device, object, write_combining ? MappingKind::write_combining : MappingKind::write_back,
        {nullptr, arguments.size, PROT_READ | PROT_WRITE, MAP_SHARED, arguments.offset});
    if (address == MAP_FAILED) {
        return -errno;
    }
    arguments.addr_ptr = reinterpret_cast<std::uintptr_t>(address);
    return 0;
}

int mmap_gtt(I915Client& client, drm_i915_gem_mmap_gtt& arguments) {
    if (client.device().chip().aperture_bytes == 0) {
        return -ENODEV;
    }
    std::uint64_t offset = 0;
    const int error = assign_offset(client, arguments.handle, MappingKind::gtt, offset);
    arguments.offset = offset;
    return error;
}

int mmap_offset(I915Client& client, drm_i915_gem_mmap_offset& arguments) {
    const ChipModel& chip = client.device().chip();
    if (arguments.extensions != 0) {
        return -EINVAL; // there are none for this ioctl
    }
    MappingKind kind = MappingKind::gtt;
    switch (arguments.flags) {
    case I915_MMAP_OFFSET_GTT:
        if (chip.aperture_bytes == 0) {
            return -ENODEV;
        }
        break;
    case I915_MMAP_OFFSET_WC:
    case I915_MMAP_OFFSET_UC:
        if (!chip.pat) {
            return -ENODEV;
        }
        kind = arguments.flags == I915_MMAP_OFFSET_UC ? MappingKind::uncached
                                                      : MappingKind::write_combining;
        break;
    case I915_MMAP_OFFSET_WB:
        kind = MappingKind::write_back;
        break;
    case I915_MMAP_OFFSET_FIXED: // discrete GPUs only
        return client.object(arguments.handle) == nullptr ? -ENOENT : -ENODEV;
    default:
        return -EINVAL;
    }
    std::uint64_t offset = 0;
    const int error = assign_offset(client, arguments.handle, kind, offset);
    arguments.offset = offset;
    return error;
}

// gem/i915_gem_dmabuf.c: a mapping of the object's file, as the CPU sees it.
void* I915::map_shared(const std::shared_ptr<GemObject>& object, const MapRequest& request) {
    const auto& shared = std::static_pointer_cast<Object>(object);
    if (request.offset > shared->size() ||
        whole_pages(request.length) > shared->size() - request.offset) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    return map_object(*this, shared, MappingKind::write_back, request);
}

int I915::synchronise(GemObject& object, bool end, bool write) {
    auto& shared = static_cast<Object&>(object);
    wait_for_use(*this, shared);
    const auto lock = shared.lock();
    if (shared.withholds_pages()) {
        return -EFAULT;
    }
    shared.memory().acquire_pages();
    if (end) {
        shared.memory().set_to_gtt_domain(false);
    } else {
        shared.memory().set_to_cpu_domain(write);
    }
    return 0;
}

// i915_gem_mmap(), and the page fault that follows it: the pages are pinned when the mapping is
// made, where the kernel does it when the mapping is first touched.
void* I915::map(Client& client, const MapRequest& request) {
    const std::optional<MapOffsets::Target> target = offsets_.find(request.offset);
    const std::shared_ptr<Object> object = target ? target->object.lock() : nullptr;
    if (object == nullptr || whole_pages(request.length) > object->size()) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    if (client.handle_of(*object) == 0) {
        errno = EACCES;
        return MAP_FAILED;
    }
    if (target->kind == MappingKind::gtt && tiled(*object)) {
        report_.note("mapping a tiled object through the GTT is not modelled");
        errno = ENODEV;
        return MAP_FAILED;
    }
    {
        const auto lock = object->lock();
        if (object->withholds_pages()) {
            // Touching a purged object's mapping is a SIGBUS.
            return map_for_program(request.address, request.length, request.protection,
                                   request.flags, -1, 0);
        }
        object->memory().acquire_pages();
    }
    return map_object(*this, object, target->kind,
                      {request.address, request.length, request.protection, request.flags, 0});
}

} // namespace gem_upload::model::i915
