// i915_getparam.c and i915_gem_get_aperture_ioctl().
#include "model/front/drm/authentication.h"
#include "model/front/drm/user_memory.h"
#include "model/front/i915/ioctls.h"

#include <cerrno>
#include <optional>

namespace gem_upload::model::i915 {
namespace {

/// Nanoseconds' clock of the command streamer, in Hz (gt/intel_gt_clock_utils.c,
/// read_clock_frequency: up to gen3 a sixteenth of the front side bus, here 266 MHz; 12.5 MHz from
/// gen6).
int timestamp_frequency(const ChipModel& chip) {
    return chip.generation <= 3 ? 266666992 / 16 : chip.generation < 6 ? 0 : 12500000;
}

/// Classes of engines whose contexts the kernel saves, as bits: up to gen7 the render engine alone
/// (intel_engine_context_size()).
int isolated_engines(const ChipModel& chip) {
    const auto bit = [](bool present, int engine_class) { return present ? 1 << engine_class : 0; };
    if (!chip.contexts) {
        return 0;
    }
    const bool all = chip.generation >= 8;
    return bit(true, I915_ENGINE_CLASS_RENDER) | bit(all && chip.blt_ring, I915_ENGINE_CLASS_COPY) |
           bit(all && chip.bsd_ring, I915_ENGINE_CLASS_VIDEO) |
           bit(all && chip.vebox_ring, I915_ENGINE_CLASS_VIDEO_ENHANCE);
}

/// HAS_OVERLAY in i915_pci.c: up to the G33 and the 965.
bool has_overlay(const ChipModel& chip) {
    return chip.generation <= 3;
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
        return chip.bsd_ring ? 1 : 0;
    case I915_PARAM_HAS_BLT:
        return chip.blt_ring ? 1 : 0;
    case I915_PARAM_HAS_VEBOX:
        return chip.vebox_ring ? 1 : 0;
    case I915_PARAM_HAS_LLC:
        return chip.llc ? 1 : 0;
    case I915_PARAM_HAS_ALIASING_PPGTT:
        return static_cast<int>(chip.ppgtt);
    case I915_PARAM_MMAP_GTT_VERSION:
        return 4;
    case I915_PARAM_MMAP_GTT_COHERENT:
        return chip.coherent_ggtt ? 1 : 0;
    case I915_PARAM_HAS_OVERLAY:
        return has_overlay(chip) ? 1 : 0;
    case I915_PARAM_HAS_SECURE_BATCHES:
        return chip.generation < 6 && privileged() ? 1 : 0;
    case I915_PARAM_HAS_GPU_RESET: // 2: engine by engine (has_reset_engine)
        return chip.generation < 7 ? 1 : 2;
    case I915_PARAM_HAS_CONTEXT_ISOLATION:
        return isolated_engines(chip);
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        return timestamp_frequency(chip);
    case I915_PARAM_PERF_REVISION:
        return 5;
    case I915_PARAM_HAS_BSD2:
    case I915_PARAM_HAS_WT:
    case I915_PARAM_HAS_SEMAPHORES:
    case I915_PARAM_CMD_PARSER_VERSION:
    case I915_PARAM_HAS_RESOURCE_STREAMER:
    case I915_PARAM_HAS_POOLED_EU:
    case I915_PARAM_MIN_EU_IN_POOL:
    case I915_PARAM_HAS_SCHEDULER:
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

/// The errno of a parameter without a value: those of the time before GEM, and those that gen3 to
/// gen7 have nothing to say to.
int refusal(int parameter) {
    switch (parameter) {
    case I915_PARAM_IRQ_ACTIVE:
    case I915_PARAM_ALLOW_BATCHBUFFER:
    case I915_PARAM_LAST_DISPATCH:
    case I915_PARAM_HAS_EXEC_CONSTANTS:
    case I915_PARAM_SUBSLICE_TOTAL:
    case I915_PARAM_EU_TOTAL:
    case I915_PARAM_HUC_STATUS:
    case I915_PARAM_SLICE_MASK:
    case I915_PARAM_SUBSLICE_MASK:
        return -ENODEV;
    default:
        return -EINVAL;
    }
}

} // namespace

int getparam(I915Client& client, drm_i915_getparam& arguments) {
    const std::optional<int> value = value_of(client.device().chip(), arguments.param);
    if (!value) {
        return refusal(arguments.param);
    }
    return copy_to_user(reinterpret_cast<std::uintptr_t>(arguments.value), *value) ? 0 : -EFAULT;
}

int get_aperture(I915Client& client, drm_i915_gem_get_aperture& arguments) {
    arguments.aper_size = client.device().chip().ggtt_bytes;
    arguments.aper_available_size = arguments.aper_size;
    return 0;
}

} // namespace gem_upload::model::i915
