// GETPARAM and GET_APERTURE (i915_getparam.c).
#include "answer.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

struct Parameter {
    std::string_view name;
    int number;
};

// The names of I915_PARAM_*. Not SUBSLICE_MASK: where there are no slices, the kernel of 6.1 warns
// in its log.
constexpr std::array<Parameter, 55> parameters{{
    {"IRQ_ACTIVE", 1},
    {"ALLOW_BATCHBUFFER", 2},
    {"LAST_DISPATCH", 3},
    {"CHIPSET_ID", 4},
    {"HAS_GEM", 5},
    {"NUM_FENCES_AVAIL", 6},
    {"HAS_OVERLAY", 7},
    {"HAS_PAGEFLIPPING", 8},
    {"HAS_EXECBUF2", 9},
    {"HAS_BSD", 10},
    {"HAS_BLT", 11},
    {"HAS_RELAXED_FENCING", 12},
    {"HAS_COHERENT_RINGS", 13},
    {"HAS_EXEC_CONSTANTS", 14},
    {"HAS_RELAXED_DELTA", 15},
    {"HAS_GEN7_SOL_RESET", 16},
    {"HAS_LLC", 17},
    {"HAS_ALIASING_PPGTT", 18},
    {"HAS_WAIT_TIMEOUT", 19},
    {"HAS_SEMAPHORES", 20},
    {"HAS_PRIME_VMAP_FLUSH", 21},
    {"HAS_VEBOX", 22},
    {"HAS_SECURE_BATCHES", 23},
    {"HAS_PINNED_BATCHES", 24},
    {"HAS_EXEC_NO_RELOC", 25},
    {"HAS_EXEC_HANDLE_LUT", 26},
    {"HAS_WT", 27},
    {"CMD_PARSER_VERSION", 28},
    {"HAS_COHERENT_PHYS_GTT", 29},
    {"MMAP_VERSION", 30},
    {"HAS_BSD2", 31},
    {"REVISION", 32},
    {"SUBSLICE_TOTAL", 33},
    {"EU_TOTAL", 34},
    {"HAS_GPU_RESET", 35},
    {"HAS_RESOURCE_STREAMER", 36},
    {"HAS_EXEC_SOFTPIN", 37},
    {"HAS_POOLED_EU", 38},
    {"MIN_EU_IN_POOL", 39},
    {"MMAP_GTT_VERSION", 40},
    {"HAS_SCHEDULER", 41},
    {"HUC_STATUS", 42},
    {"HAS_EXEC_ASYNC", 43},
    {"HAS_EXEC_FENCE", 44},
    {"HAS_EXEC_CAPTURE", 45},
    {"SLICE_MASK", 46},
    {"HAS_EXEC_BATCH_FIRST", 48},
    {"HAS_EXEC_FENCE_ARRAY", 49},
    {"HAS_CONTEXT_ISOLATION", 50},
    {"CS_TIMESTAMP_FREQUENCY", 51},
    {"MMAP_GTT_COHERENT", 52},
    {"HAS_EXEC_SUBMIT_FENCE", 53},
    {"PERF_REVISION", 54},
    {"HAS_EXEC_TIMELINE_FENCES", 55},
    {"HAS_USERPTR_PROBE", 56},
}};

std::string value_of(const Client& client, int number) {
    int value = -1;
    drm_i915_getparam arguments{number, &value};
    const int error = client.attempt(DRM_IOCTL_I915_GETPARAM, &arguments);
    return error != 0 ? errno_text(error) : fmt::format("{:#x}", static_cast<unsigned>(value));
}

std::string aperture(const Client& client) {
    drm_i915_gem_get_aperture arguments{};
    const int error = client.attempt(DRM_IOCTL_I915_GEM_GET_APERTURE, &arguments);
    return fmt::format("{}, size {:#x}, available within it: {}", errno_text(error),
                       arguments.aper_size,
                       yes_or_no(arguments.aper_available_size <= arguments.aper_size));
}

} // namespace

Questions parameter_questions() {
    Questions questions;
    for (const Parameter& parameter : parameters) {
        questions.push_back(
            {fmt::format("GETPARAM {}", parameter.name),
             [parameter](const Client& client) { return value_of(client, parameter.number); }});
    }
    for (const int number : {0, 57, 58, 1000, -1}) {
        questions.push_back({fmt::format("GETPARAM number {}", number),
                             [number](const Client& client) { return value_of(client, number); }});
    }
    questions.push_back({"GETPARAM into no memory", [](const Client& client) {
                             return errno_text(
                                 client.attempt(DRM_IOCTL_I915_GETPARAM,
                                                drm_i915_getparam{I915_PARAM_HAS_GEM, nullptr}));
                         }});
    questions.push_back({"GET_APERTURE", aperture});
    return questions;
}

} // namespace gem_upload::probe
