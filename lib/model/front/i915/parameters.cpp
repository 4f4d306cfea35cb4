// i915_getparam.c and i915_gem_get_aperture_ioctl().
#include "model/front/i915/ioctls.h"

#include <cerrno>
#include <optional>

namespace gem_upload::model::i915 {
namespace {

/// The value that answers if a ring exists. The kernel answers 0 or 1; libdrm_intel takes a call
/// that succeeds for the ring's presence, and kernels before 4.12 said EINVAL for rings they did
/// not know: so does the model, and both kinds of program are told the truth.
std::optional<int> presence(bool present) {
    return present ? std::optional(1) : std::nullopt;
}

std::optional<int> value_of(const ChipModel& chip, int parameter) {
    switch (parameter) {
    case I915_PARAM_CHIPSET_ID:
        return chip.device_id;
    case I915_PARAM_REVISION:
        return chip.revision;
    case I915_PARAM_NUM_FENCES_AVAIL:
        return chip.fences;
    case I915_PARAM_HAS_BSD:
        return presence(chip.bsd_ring);
    case I915_PARAM_HAS_BLT:
        return presence(chip.blt_ring);
    case I915_PARAM_HAS_VEBOX:
        return presence(chip.vebox_ring);
    case I915_PARAM_HAS_LLC:
        return chip.llc ? 1 : 0;
    case I915_PARAM_HAS_ALIASING_PPGTT:
        return static_cast<int>(chip.ppgtt);
    case I915_PARAM_MMAP_GTT_VERSION:
        return 4;
    case I915_PARAM_MMAP_GTT_COHERENT:
        return chip.coherent_ggtt ? 1 : 0;
    case I915_PARAM_HAS_OVERLAY:
    case I915_PARAM_HAS_BSD2:
    case I915_PARAM_HAS_WT:
    case I915_PARAM_HAS_SEMAPHORES:
    case I915_PARAM_HAS_SECURE_BATCHES:
    case I915_PARAM_CMD_PARSER_VERSION:
    case I915_PARAM_HAS_GPU_RESET:
    case I915_PARAM_HAS_RESOURCE_STREAMER:
    case I915_PARAM_HAS_POOLED_EU:
    case I915_PARAM_MIN_EU_IN_POOL:
    case I915_PARAM_HAS_SCHEDULER:
    case I915_PARAM_HAS_CONTEXT_ISOLATION:
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
    // Not in the model: sync files and syncobjs.
    case I915_PARAM_HAS_EXEC_FENCE:
    case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
    case I915_PARAM_HAS_EXEC_SUBMIT_FENCE:
    case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
        return 0;
    case I915_PARAM_MMAP_VERSION:
    case I915_PARAM_HAS_GEM:
    case I915_PARAM_HAS_PAGEFLIPPING:
    case I915_PARAM_HAS_EXECBUF2:
    case I915_PARAM_HAS_RELAXED_FENCING:
    case I915_PARAM_HAS_COHERENT_RINGS:
    case I915_PARAM_HAS_RELAXED_DELTA:
    case I915_PARAM_HAS_GEN7_SOL_RESET:
    case I915_PARAM_HAS_WAIT_TIMEOUT:
    case I915_PARAM_HAS_PRIME_VMAP_FLUSH:
    case I915_PARAM_HAS_PINNED_BATCHES:
    case I915_PARAM_HAS_EXEC_NO_RELOC:
    case I915_PARAM_HAS_EXEC_HANDLE_LUT:
    case I915_PARAM_HAS_COHERENT_PHYS_GTT:
    case I915_PARAM_HAS_EXEC_SOFTPIN:
    case I915_PARAM_HAS_EXEC_ASYNC:
    case I915_PARAM_HAS_EXEC_CAPTURE:
    case I915_PARAM_HAS_EXEC_BATCH_FIRST:
    case I915_PARAM_HAS_USERPTR_PROBE:
        return 1;
    default:
        return std::nullopt;
    }
}

} // namespace

int getparam(I915Client& client, drm_i915_getparam& arguments) {
    const std::optional<int> value = value_of(client.device().chip(), arguments.param);
    if (!value) {
        return -EINVAL;
    }
    if (arguments.value == nullptr) {
        return -EFAULT;
    }
    *arguments.value = *value;
    return 0;
}

int get_aperture(I915Client& client, drm_i915_gem_get_aperture& arguments) {
    arguments.aper_size = client.device().chip().ggtt_bytes;
    arguments.aper_available_size = arguments.aper_size;
    return 0;
}

} // namespace gem_upload::model::i915
