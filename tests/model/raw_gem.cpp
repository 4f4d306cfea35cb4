#include "raw_gem.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

namespace gem_upload::raw {
namespace {

[[noreturn]] void fail(const char* name, int error) {
    std::fprintf(stderr, "%s: %s\n", name, strerrorname_np(error));
    std::exit(failed_call_status);
}

// PCI ids of the chips that the tests run on, from the kernel's i915_pciids.h.
int generation_of(int device_id) {
    switch (device_id) {
    case 0x29c2:
        return 3;
    case 0x2e22:
        return 4;
    case 0x0126:
        return 6;
    case 0x1616:
        return 8;
    case 0x1912:
        return 9;
    default:
        return 12;
    }
}

std::uint64_t pointer(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

} // namespace

Gem::Gem() : fd_(::open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC)), generation_(0) {
    if (fd_ < 0) {
        fail("open", errno);
    }
    generation_ = generation_of(parameter(I915_PARAM_CHIPSET_ID));
}

int Gem::attempt(unsigned long request, void* arguments) const {
    return ::ioctl(fd_, request, arguments) == 0 ? 0 : errno;
}

void Gem::call(unsigned long request, void* arguments, const char* name) const {
    if (const int error = attempt(request, arguments)) {
        fail(name, error);
    }
}

int Gem::parameter(int which) const {
    int value = 0;
    drm_i915_getparam arguments{.param = which, .value = &value};
    call(DRM_IOCTL_I915_GETPARAM, &arguments, "GETPARAM");
    return value;
}

std::uint32_t Gem::create(std::uint64_t bytes) const {
    drm_i915_gem_create arguments{.size = bytes, .handle = 0, .pad = 0};
    call(DRM_IOCTL_I915_GEM_CREATE, &arguments, "GEM_CREATE");
    return arguments.handle;
}

void Gem::close(std::uint32_t handle) const {
    drm_gem_close arguments{.handle = handle, .pad = 0};
    call(DRM_IOCTL_GEM_CLOSE, &arguments, "GEM_CLOSE");
}

void Gem::pwrite(std::uint32_t handle, const void* data, std::size_t bytes) const {
    drm_i915_gem_pwrite arguments{
        .handle = handle, .pad = 0, .offset = 0, .size = bytes, .data_ptr = pointer(data)};
    call(DRM_IOCTL_I915_GEM_PWRITE, &arguments, "PWRITE");
}

void Gem::pread(std::uint32_t handle, void* data, std::size_t bytes) const {
    drm_i915_gem_pread arguments{
        .handle = handle, .pad = 0, .offset = 0, .size = bytes, .data_ptr = pointer(data)};
    call(DRM_IOCTL_I915_GEM_PREAD, &arguments, "PREAD");
}

void Gem::set_domain(std::uint32_t handle, std::uint32_t read, std::uint32_t write) const {
    drm_i915_gem_set_domain arguments{
        .handle = handle, .read_domains = read, .write_domain = write};
    call(DRM_IOCTL_I915_GEM_SET_DOMAIN, &arguments, "SET_DOMAIN");
}

void Gem::set_caching(std::uint32_t handle, std::uint32_t caching) const {
    drm_i915_gem_caching arguments{.handle = handle, .caching = caching};
    call(DRM_IOCTL_I915_GEM_SET_CACHING, &arguments, "SET_CACHING");
}

bool Gem::busy(std::uint32_t handle) const {
    drm_i915_gem_busy arguments{.handle = handle, .busy = 0};
    call(DRM_IOCTL_I915_GEM_BUSY, &arguments, "BUSY");
    return arguments.busy != 0;
}

std::uint32_t* Gem::map(std::uint32_t handle, std::size_t bytes, std::uint64_t flags) const {
    drm_i915_gem_mmap arguments{};
    arguments.handle = handle;
    arguments.size = bytes;
    arguments.flags = flags;
    call(DRM_IOCTL_I915_GEM_MMAP, &arguments, "MMAP");
    return reinterpret_cast<std::uint32_t*>(static_cast<std::uintptr_t>(arguments.addr_ptr));
}

std::uint32_t* Gem::map_gtt(std::uint32_t handle, std::size_t bytes) const {
    drm_i915_gem_mmap_gtt arguments{.handle = handle, .pad = 0, .offset = 0};
    call(DRM_IOCTL_I915_GEM_MMAP_GTT, &arguments, "MMAP_GTT");
    void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_,
                           static_cast<off_t>(arguments.offset));
    if (address == MAP_FAILED) {
        fail("mmap", errno);
    }
    return static_cast<std::uint32_t*>(address);
}

int submit(const Gem& gem, const Blit& blit) {
    const bool wide = gem.generation() >= 8;
    // XY_SRC_COPY_BLT, all channels; PRM volume "2D".
    std::vector<std::uint32_t> batch{
        wide ? 0x54f00008U : 0x54f00006U,
        blit.depth << 24 | 0xccU << 16 | blit.destination_pitch,
        blit.destination_row << 16,
        (blit.destination_row + blit.height) << 16 | blit.width,
    };
    std::vector<drm_i915_gem_relocation_entry> relocations;
    const auto address = [&](std::uint32_t handle, bool write, bool relocate) {
        drm_i915_gem_relocation_entry entry{};
        entry.target_handle = handle;
        entry.offset = batch.size() * 4;
        entry.read_domains = I915_GEM_DOMAIN_RENDER;
        entry.write_domain = write ? I915_GEM_DOMAIN_RENDER : 0;
        entry.presumed_offset = ~std::uint64_t{0};
        if (relocate) {
            relocations.push_back(entry);
        }
        batch.insert(batch.end(), wide ? 2 : 1, 0);
    };
    address(blit.destination, true, true);
    batch.push_back(blit.source_row << 16);
    batch.push_back(blit.source_pitch);
    address(blit.source, false, blit.relocate_source);
    batch.push_back(0x05000000); // MI_BATCH_BUFFER_END
    batch.resize((batch.size() + 1) / 2 * 2, 0);

    const std::uint32_t batch_handle = gem.create(4096);
    gem.pwrite(batch_handle, batch.data(), batch.size() * 4);
    std::vector<drm_i915_gem_exec_object2> objects(3);
    objects[0].handle = blit.destination;
    objects[1].handle = blit.source;
    objects[2].handle = batch_handle;
    objects[2].relocation_count = static_cast<std::uint32_t>(relocations.size());
    objects[2].relocs_ptr = pointer(relocations.data());
    drm_i915_gem_execbuffer2 execbuffer{};
    execbuffer.buffers_ptr = pointer(objects.data());
    execbuffer.buffer_count = 3;
    execbuffer.batch_len = static_cast<std::uint32_t>(batch.size() * 4);
    execbuffer.flags =
        blit.ring != 0 ? blit.ring : (gem.generation() >= 6 ? I915_EXEC_BLT : I915_EXEC_RENDER);
    const int error = gem.attempt(DRM_IOCTL_I915_GEM_EXECBUFFER2, &execbuffer);
    gem.close(batch_handle);
    return error;
}

} // namespace gem_upload::raw
