#include "batch.h"

#include <array>

namespace gem_upload::probe {
namespace {

constexpr std::uint32_t batch_buffer_end = 0x0aU << 23U;

// XY_SRC_COPY_BLT (PRM volume "2D"): client 2, opcode 0x53, all four channels; eight dwords, and
// ten with the 64-bit addresses of gen8.
constexpr std::uint32_t copy_header = 2U << 29U | 0x53U << 22U | 3U << 20U;
constexpr std::uint32_t copy_depth_and_rop = 3U << 24U | 0xccU << 16U;
constexpr std::uint64_t destination_address = 4;
constexpr std::uint64_t source_address = 7;

constexpr std::uint32_t destination_place = 0x1000000;
constexpr std::uint32_t source_place = 0x2000000;
constexpr std::uint32_t batch_place = 0x3000000;

std::vector<std::uint32_t> copy_commands(std::uint32_t dwords) {
    return {copy_header | (8 - 2),
            copy_depth_and_rop | page,
            0,
            1U << 16U | dwords,
            0,
            0,
            page,
            0,
            batch_buffer_end,
            0};
}

std::vector<std::uint32_t> copy_commands_of_gen8(std::uint32_t dwords) {
    return {copy_header | (10 - 2),
            copy_depth_and_rop | page,
            0,
            1U << 16U | dwords,
            destination_place,
            0,
            0,
            page,
            source_place,
            0,
            batch_buffer_end,
            0};
}

std::uint32_t batch_of(const Client& client, const std::vector<std::uint32_t>& commands) {
    const std::uint32_t handle = client.create(page);
    client.write(handle, 0, commands);
    return handle;
}

drm_i915_gem_relocation_entry relocation(std::uint32_t target, std::uint64_t dword, bool write) {
    drm_i915_gem_relocation_entry entry{};
    entry.target_handle = target;
    entry.offset = dword * 4;
    entry.presumed_offset = ~std::uint64_t{0};
    entry.read_domains = I915_GEM_DOMAIN_RENDER;
    entry.write_domain = write ? I915_GEM_DOMAIN_RENDER : 0;
    return entry;
}

int copy_relocated(const Client& client, std::uint32_t destination, std::uint32_t source,
                   std::uint32_t dwords) {
    const std::uint32_t batch = batch_of(client, copy_commands(dwords));
    const std::array relocations{relocation(destination, destination_address, true),
                                 relocation(source, source_address, false)};
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(destination), exec_object(source),
                                                   exec_object(batch)};
    objects[2].relocs_ptr = pointer(relocations.data());
    objects[2].relocation_count = relocations.size();
    return submit(client, objects, client.has_blitter() ? I915_EXEC_BLT : I915_EXEC_RENDER);
}

int copy_pinned(const Client& client, std::uint32_t destination, std::uint32_t source,
                std::uint32_t dwords) {
    const std::uint32_t batch = batch_of(client, copy_commands_of_gen8(dwords));
    std::vector<drm_i915_gem_exec_object2> objects{
        exec_object(destination, EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE, destination_place),
        exec_object(source, EXEC_OBJECT_PINNED, source_place),
        exec_object(batch, EXEC_OBJECT_PINNED, batch_place)};
    return submit(client, objects, I915_EXEC_BLT);
}

} // namespace

std::uint32_t ending_batch(const Client& client) {
    return batch_of(client, {batch_buffer_end, 0});
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

int copy_row(const Client& client, std::uint32_t destination, std::uint32_t source,
             std::uint32_t dwords) {
    return client.has_full_ppgtt() ? copy_pinned(client, destination, source, dwords)
                                   : copy_relocated(client, destination, source, dwords);
}

} // namespace gem_upload::probe
