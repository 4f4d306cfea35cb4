#include "batch.h"

namespace gem_upload::probe {
namespace {

constexpr std::uint32_t batch_buffer_end = 0x0aU << 23U;

// XY_SRC_COPY_BLT (PRM volume "2D"): client 2, opcode 0x53, all four channels, eight dwords.
constexpr std::uint32_t copy_header = 2U << 29U | 0x53U << 22U | 3U << 20U | (8 - 2);
constexpr std::uint32_t copy_depth_and_rop = 3U << 24U | 0xccU << 16U;
constexpr std::uint64_t destination_address = 4;
constexpr std::uint64_t source_address = 7;

drm_i915_gem_relocation_entry relocation(std::uint32_t target, std::uint64_t dword, bool write) {
    drm_i915_gem_relocation_entry entry{};
    entry.target_handle = target;
    entry.offset = dword * 4;
    entry.presumed_offset = ~std::uint64_t{0};
    entry.read_domains = I915_GEM_DOMAIN_RENDER;
    entry.write_domain = write ? I915_GEM_DOMAIN_RENDER : 0;
    return entry;
}

} // namespace

std::uint32_t ending_batch(const Client& client) {
    const std::uint32_t handle = client.create(page);
    client.pwrite(handle, 0, {batch_buffer_end, 0});
    return handle;
}

drm_i915_gem_execbuffer2 execbuffer(const std::vector<drm_i915_gem_exec_object2>& objects) {
    drm_i915_gem_execbuffer2 arguments{};
    arguments.buffers_ptr = pointer(objects.data());
    arguments.buffer_count = static_cast<std::uint32_t>(objects.size());
    return arguments;
}

drm_i915_gem_exec_object2 exec_object(std::uint32_t handle, std::uint64_t flags,
                                      std::uint64_t offset) {
    drm_i915_gem_exec_object2 object{};
    object.handle = handle;
    object.flags = flags;
    object.offset = offset;
    return object;
}

int submit(const Client& client, drm_i915_gem_execbuffer2& arguments) {
    return client.attempt(DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &arguments);
}

int submit(const Client& client, std::vector<drm_i915_gem_exec_object2>& objects,
           std::uint64_t flags) {
    drm_i915_gem_execbuffer2 arguments = execbuffer(objects);
    arguments.flags = flags;
    return submit(client, arguments);
}

std::uint64_t copying_ring(const Client& client) {
    return client.generation() >= 6 ? I915_EXEC_BLT : I915_EXEC_RENDER;
}

CopyBatch copying_batch(const Client& client, std::uint32_t destination, std::uint32_t source,
                        std::uint32_t dwords) {
    const std::uint32_t pitch = page;
    const std::uint32_t handle = client.create(page);
    client.pwrite(handle, 0,
                  {copy_header, copy_depth_and_rop | pitch, 0, 1U << 16U | dwords, 0, 0, pitch, 0,
                   batch_buffer_end, 0});
    return {handle,
            {relocation(destination, destination_address, true),
             relocation(source, source_address, false)}};
}

} // namespace gem_upload::probe
