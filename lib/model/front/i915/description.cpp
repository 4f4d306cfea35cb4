#include "model/front/i915/description.h"

#include "model/front/drm/user_memory.h"

#include <array>
#include <fmt/format.h>
#include <span>

namespace gem_upload::model::i915 {
namespace {

std::string domains(std::uint32_t domains) {
    struct Name {
        std::uint32_t domain;
        const char* name;
    };
    static constexpr std::array<Name, 4> names{{{I915_GEM_DOMAIN_CPU, "CPU"},
                                                {I915_GEM_DOMAIN_RENDER, "RENDER"},
                                                {I915_GEM_DOMAIN_GTT, "GTT"},
                                                {I915_GEM_DOMAIN_WC, "WC"}}};
    std::string text;
    for (const Name& entry : names) {
        if ((domains & entry.domain) != 0) {
            text += text.empty() ? "" : "|";
            text += entry.name;
            domains &= ~entry.domain;
        }
    }
    if (domains != 0 || text.empty()) {
        text += fmt::format("{}{:#x}", text.empty() ? "" : "|", domains);
    }
    return text;
}

const char* ring_name(std::uint64_t flags) {
    switch (flags & I915_EXEC_RING_MASK) {
    case I915_EXEC_DEFAULT:
        return "default";
    case I915_EXEC_RENDER:
        return "render";
    case I915_EXEC_BSD:
        return "bsd";
    case I915_EXEC_BLT:
        return "blt";
    case I915_EXEC_VEBOX:
        return "vebox";
    default:
        return "unknown";
    }
}

std::string range(std::uint32_t handle, std::uint64_t offset, std::uint64_t size) {
    return fmt::format("handle={} offset={} size={}", handle, offset, size);
}

/// An execbuffer's objects, as far as they can be read.
std::span<const drm_i915_gem_exec_object2> objects_of(const drm_i915_gem_execbuffer2& arguments) {
    const std::size_t count = arguments.buffer_count;
    if (!readable(arguments.buffers_ptr, count * sizeof(drm_i915_gem_exec_object2))) {
        return {};
    }
    return {user_pointer<const drm_i915_gem_exec_object2>(arguments.buffers_ptr), count};
}

/// "[dst, src, batch]": the handles of an execbuffer in their order.
std::string handles(const drm_i915_gem_execbuffer2& arguments) {
    const std::span objects = objects_of(arguments);
    std::string text;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ",", objects[i].handle);
    }
    return text;
}

/// "0+0+2": the relocations of each of an execbuffer's objects.
std::string relocations(const drm_i915_gem_execbuffer2& arguments) {
    const std::span objects = objects_of(arguments);
    std::string text;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : "+", objects[i].relocation_count);
    }
    return text;
}

} // namespace

std::string Text::operator()(const drm_i915_getparam& arguments) const {
    return fmt::format("param={}", arguments.param);
}
std::string Text::operator()(const drm_i915_gem_create& arguments) const {
    return fmt::format("handle={} size={}", arguments.handle, arguments.size);
}
std::string Text::operator()(const drm_i915_gem_create_ext& arguments) const {
    return fmt::format("handle={} size={}", arguments.handle, arguments.size);
}
std::string Text::operator()(const drm_i915_gem_pread& arguments) const {
    return range(arguments.handle, arguments.offset, arguments.size);
}
std::string Text::operator()(const drm_i915_gem_pwrite& arguments) const {
    return range(arguments.handle, arguments.offset, arguments.size);
}
std::string Text::operator()(const drm_i915_gem_mmap& arguments) const {
    return range(arguments.handle, arguments.offset, arguments.size) +
           ((arguments.flags & I915_MMAP_WC) != 0 ? " type=WC" : " type=WB");
}
std::string Text::operator()(const drm_i915_gem_mmap_gtt& arguments) const {
    return fmt::format("handle={}", arguments.handle);
}
std::string Text::operator()(const drm_i915_gem_mmap_offset& arguments) const {
    static constexpr std::array<const char*, 5> types{"GTT", "WC", "WB", "UC", "FIXED"};
    return fmt::format("handle={} type={}", arguments.handle,
                       arguments.flags < types.size() ? types[arguments.flags] : "unknown");
}
std::string Text::operator()(const drm_i915_gem_set_domain& arguments) const {
    return fmt::format("handle={} read={} write={}", arguments.handle,
                       domains(arguments.read_domains), domains(arguments.write_domain));
}
std::string Text::operator()(const drm_i915_gem_sw_finish& arguments) const {
    return fmt::format("handle={}", arguments.handle);
}
std::string Text::operator()(const drm_i915_gem_set_tiling& arguments) const {
    return fmt::format("handle={} mode={} stride={}", arguments.handle, arguments.tiling_mode,
                       arguments.stride);
}
std::string Text::operator()(const drm_i915_gem_get_tiling& arguments) const {
    return fmt::format("handle={} mode={}", arguments.handle, arguments.tiling_mode);
}
std::string Text::operator()(const drm_i915_gem_get_aperture& arguments) const {
    return fmt::format("size={}", arguments.aper_size);
}
std::string Text::operator()(const drm_i915_gem_madvise& arguments) const {
    return fmt::format("handle={} advice={} retained={}", arguments.handle,
                       arguments.madv == I915_MADV_WILLNEED ? "WILLNEED" : "DONTNEED",
                       arguments.retained);
}
std::string Text::operator()(const drm_i915_gem_busy& arguments) const {
    return fmt::format("handle={} busy={:#x}", arguments.handle, arguments.busy);
}
std::string Text::operator()(const drm_i915_gem_wait& arguments) const {
    return fmt::format("handle={}", arguments.bo_handle);
}
std::string Text::operator()(const Throttle& /*arguments*/) const {
    return "";
}
std::string Text::operator()(const drm_i915_gem_execbuffer2& arguments) const {
    return fmt::format("ring={} objects={} relocations={} batch_start={} batch_len={}",
                       ring_name(arguments.flags), handles(arguments), relocations(arguments),
                       arguments.batch_start_offset, arguments.batch_len);
}
std::string Text::operator()(const drm_i915_gem_caching& arguments) const {
    return fmt::format("handle={} caching={}", arguments.handle, arguments.caching);
}
std::string Text::operator()(const drm_i915_gem_userptr& arguments) const {
    return fmt::format("handle={} size={}", arguments.handle, arguments.user_size);
}
std::string Text::operator()(const drm_i915_gem_context_create& arguments) const {
    return fmt::format("context={}", arguments.ctx_id);
}
std::string Text::operator()(const drm_i915_gem_context_create_ext& arguments) const {
    return fmt::format("context={}", arguments.ctx_id);
}
std::string Text::operator()(const drm_i915_gem_context_destroy& arguments) const {
    return fmt::format("context={}", arguments.ctx_id);
}
std::string Text::operator()(const drm_i915_gem_context_param& arguments) const {
    return fmt::format("context={} param={} value={}", arguments.ctx_id, arguments.param,
                       arguments.value);
}
std::string Text::operator()(const drm_i915_gem_vm_control& arguments) const {
    return fmt::format("vm={}", arguments.vm_id);
}
std::string Text::operator()(const drm_i915_reset_stats& arguments) const {
    return fmt::format("context={}", arguments.ctx_id);
}
std::string Text::operator()(const drm_i915_query& arguments) const {
    return fmt::format("items={}", arguments.num_items);
}

} // namespace gem_upload::model::i915
