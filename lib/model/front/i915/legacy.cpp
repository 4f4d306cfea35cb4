// What is left of the time before GEM, and ioctls of what the model has not (i915_driver.c,
// i915_ioctls[]; intel_uncore.c, i915_reg_read_ioctl; i915_perf.c).
#include "model/front/i915/legacy.h"
#include "model/gpu_clock.h"

#include "model/front/drm/authentication.h"
#include "model/front/i915/ioctls.h"

#include <array>
#include <cerrno>

namespace gem_upload::model::i915 {
namespace {

struct Nothing {};

struct Text {
    template <typename Arguments>
    std::string operator()(const Arguments& /*arguments*/) const {
        return "";
    }
};

template <int error>
int always(I915Client& /*client*/, Nothing& /*arguments*/) {
    return error;
}

constexpr int no_op = 0;
/// The kernel's own "not supported", which no header of the C library has.
constexpr int enotsupp = 524;

/// A request by its number: programs may pass any structure.
template <int error>
constexpr Ioctl row(unsigned number, std::string_view name, unsigned access) {
    return ioctl_row<&always<error>, Text>(DRM_IO(DRM_COMMAND_BASE + number), name, access);
}

/// RING_TIMESTAMP of the render ring is all that may be read, from gen4 on, by two names: bit 0
/// asks for one read of 8 bytes.
int reg_read(I915Client& client, drm_i915_reg_read& arguments) {
    constexpr std::uint64_t render_timestamp = 0x2358;
    constexpr std::uint64_t at_once = 1;
    if (client.device().chip().generation < 4 ||
        (arguments.offset & ~at_once) != render_timestamp) {
        return -EINVAL;
    }
    constexpr std::uint64_t bits_36 = (std::uint64_t{1} << 36) - 1;
    arguments.val = gpu_clock(client.device().chip()) & bits_36;
    return 0;
}

/// Counters are streamed from Haswell on, and a configuration of them is not for everyone. The
/// model streams none: it accepts no configuration and has none.
template <int refusal>
int perf_config(I915Client& client, Nothing& /*arguments*/) {
    if (client.device().chip().generation < 8) {
        return -enotsupp;
    }
    return privileged() ? refusal : -EACCES;
}

constexpr unsigned once_the_servers = authenticated | by_the_master | by_root;

constexpr std::array table{
    row<no_op>(DRM_I915_INIT, "INIT", once_the_servers),
    row<no_op>(DRM_I915_FLUSH, "FLUSH", authenticated),
    row<no_op>(DRM_I915_FLIP, "FLIP", authenticated),
    row<no_op>(DRM_I915_BATCHBUFFER, "BATCHBUFFER", authenticated),
    row<no_op>(DRM_I915_IRQ_EMIT, "IRQ_EMIT", authenticated),
    row<no_op>(DRM_I915_IRQ_WAIT, "IRQ_WAIT", authenticated),
    row<no_op>(DRM_I915_SETPARAM, "SETPARAM", once_the_servers),
    row<no_op>(DRM_I915_ALLOC, "ALLOC", authenticated),
    row<no_op>(DRM_I915_FREE, "FREE", authenticated),
    row<no_op>(DRM_I915_INIT_HEAP, "INIT_HEAP", once_the_servers),
    row<no_op>(DRM_I915_CMDBUFFER, "CMDBUFFER", authenticated),
    row<no_op>(DRM_I915_DESTROY_HEAP, "DESTROY_HEAP", once_the_servers),
    row<no_op>(DRM_I915_SET_VBLANK_PIPE, "SET_VBLANK_PIPE", once_the_servers),
    row<no_op>(DRM_I915_GET_VBLANK_PIPE, "GET_VBLANK_PIPE", authenticated),
    row<no_op>(DRM_I915_VBLANK_SWAP, "VBLANK_SWAP", authenticated),
    row<no_op>(DRM_I915_HWS_ADDR, "HWS_ADDR", once_the_servers),
    row<no_op>(DRM_I915_GEM_INIT, "INIT_GEM", once_the_servers),
    row<-EINVAL>(DRM_I915_GEM_EXECBUFFER, "EXECBUFFER", authenticated),
    row<-ENODEV>(DRM_I915_GEM_PIN, "PIN", authenticated | by_root),
    row<-ENODEV>(DRM_I915_GEM_UNPIN, "UNPIN", authenticated | by_root),
    row<no_op>(DRM_I915_GEM_ENTERVT, "ENTERVT", once_the_servers),
    row<no_op>(DRM_I915_GEM_LEAVEVT, "LEAVEVT", once_the_servers),
    row<-ENOENT>(DRM_I915_GET_PIPE_FROM_CRTC_ID, "GET_PIPE_FROM_CRTC_ID", 0),
    row<no_op>(DRM_I915_GET_SPRITE_COLORKEY, "GET_SPRITE_COLORKEY", by_the_master),
    row<-ENOENT>(DRM_I915_SET_SPRITE_COLORKEY, "SET_SPRITE_COLORKEY", by_the_master),
    row<-enotsupp>(DRM_I915_PERF_OPEN, "PERF_OPEN", on_render_nodes),
    ioctl_row<&perf_config<-EINVAL>, Text>(DRM_IO(DRM_COMMAND_BASE + DRM_I915_PERF_ADD_CONFIG),
                                           "PERF_ADD_CONFIG"),
    ioctl_row<&perf_config<-ENOENT>, Text>(DRM_IO(DRM_COMMAND_BASE + DRM_I915_PERF_REMOVE_CONFIG),
                                           "PERF_REMOVE_CONFIG"),
    ioctl_row<&reg_read, Text>(DRM_IOCTL_I915_REG_READ, "REG_READ"),
};

} // namespace

std::span<const Ioctl> legacy_table() {
    return table;
}

} // namespace gem_upload::model::i915
