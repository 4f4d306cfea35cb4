// i915_getparam.c and i915_gem_get_aperture_ioctl().
#include "model/front/drm/authentication.h"
#include "model/front/drm/user_memory.h"
#include "model/front/i915/ioctls.h"
#include "model/gpu_clock.h"

#include <cerrno>
#include <optional>

namespace gem_upload::model::i915 {
namespace {

/// On gen9 the kernel checks the batches of the BLT ring (i915_cmd_parser.c).
int command_parser_version(const ChipModel& chip) {
    return chip.generation == 9 ? 10 : 0;
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

/// Nothing, where the kernel does not tell.
std::optional<int> unless_zero(unsigned value) {
    return value == 0 ? std::nullopt : std::optional(static_cast<int>(value));
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
        return static_cast<int>(clock_frequency(chip));
    case I915_PARAM_PERF_REVISION:
        return 5;
    case I915_PARAM_HAS_BSD2:
        return chip.second_bsd_ring ? 1 : 0;
    case I915_PARAM_CMD_PARSER_VERSION:
        return command_parser_version(chip);
    case I915_PARAM_HAS_SCHEDULER:
        return static_cast<int>(scheduler_caps(chip));
    case I915_PARAM_HAS_SEMAPHORES:
        return (scheduler_caps(chip) & I915_SCHEDULER_CAP_SEMAPHORES) != 0 ? 1 : 0;
    case I915_PARAM_HAS_WT:
    case I915_PARAM_HAS_RESOURCE_STREAMER:
    case I915_PARAM_HAS_POOLED_EU:
    case I915_PARAM_MIN_EU_IN_POOL:
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
    case I915_PARAM_SUBSLICE_TOTAL:
        return unless_zero(chip.topology.subslices);
    case I915_PARAM_EU_TOTAL:
        return unless_zero(chip.topology.subslices * chip.topology.units);
    case I915_PARAM_SLICE_MASK:
        return unless_zero(chip.topology.subslices == 0 ? 0 : 1);
    case I915_PARAM_SUBSLICE_MASK:
        return unless_zero((1U << chip.topology.subslices) - 1);
    case I915_PARAM_HUC_STATUS:
        return chip.guc >= Guc::authentication ? std::optional(1) : std::nullopt;
    default:
        return std::nullopt;
    }
}

/// The errno of a parameter without a value: those of the time before GEM, and those about what
/// gen3 to gen7 have not: slices, and the HuC.
int refusal(const ChipModel& chip, int parameter) {
    switch (parameter) {
    case I915_PARAM_IRQ_ACTIVE:
    case I915_PARAM_ALLOW_BATCHBUFFER:
    case I915_PARAM_LAST_DISPATCH:
    case I915_PARAM_HAS_EXEC_CONSTANTS:
    case I915_PARAM_SUBSLICE_TOTAL:
    case I915_PARAM_EU_TOTAL:
    case I915_PARAM_SLICE_MASK:
    case I915_PARAM_SUBSLICE_MASK:
        return -ENODEV;
    case I915_PARAM_HUC_STATUS: // there is one, and it is switched off
        return chip.guc == Guc::unused ? -EOPNOTSUPP : -ENODEV;
    default:
        return -EINVAL;
    }
}

} // namespace

/// set_scheduler_caps() in gt/intel_engine_user.c: none before execlists.
std::uint64_t scheduler_caps(const ChipModel& chip) {
    if (chip.generation < 8) {
        return 0;
    }
    std::uint64_t caps = I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY |
                         I915_SCHEDULER_CAP_ENGINE_BUSY_STATS;
    caps |= chip.generation >= 9 ? I915_SCHEDULER_CAP_PREEMPTION : 0;
    caps |= chip.guc == Guc::submission ? I915_SCHEDULER_CAP_STATIC_PRIORITY_MAP
                                        : I915_SCHEDULER_CAP_SEMAPHORES;
    return caps;
}

int getparam(I915Client& client, drm_i915_getparam& arguments) {
    const std::optional<int> value = value_of(client.device().chip(), arguments.param);
    if (!value) {
        return refusal(client.device().chip(), arguments.param);
    }
    return copy_to_user(reinterpret_cast<std::uintptr_t>(arguments.value), *value) ? 0 : -EFAULT;
}

int get_aperture(I915Client& client, drm_i915_gem_get_aperture& arguments) {
    arguments.aper_size = client.device().chip().ggtt_bytes;
    arguments.aper_available_size = arguments.aper_size;
    return 0;
}

} // namespace gem_upload::model::i915
