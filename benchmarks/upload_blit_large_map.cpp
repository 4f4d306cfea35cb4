// upload_blit_large_map: upload a large image through a write-back map, then blit it.
#include "gem/i915_upload.h"

namespace gem_upload::methods {

const bench::Method& upload_blit_large_map_method() {
    static const bench::Method method = {
        .name = "upload_blit_large_map",
        .group = bench::Group::blit,
        .summary = "upload a large image through a write-back map, then blit it",
        .workload = "Programs that write, and perhaps read again, an object through "
                    "an ordinary cached mapping: software fallbacks of a driver, "
                    "vertex data that is patched in place.",
        .algorithm = "Each iteration takes a source object, maps it write-back "
                     "(drm_intel_bo_map: SET_DOMAIN to CPU), generates the image in "
                     "place, unmaps it (SW_FINISH), blits it onto the destination and "
                     "drops it. On chips without LLC the kernel flushes the whole "
                     "object with clflush: before the stores, because the GPU used "
                     "the object last, and at execbuf, because the CPU's cache is "
                     "dirty. Both are timed.",
        .has_staged = true,
        .width = 1280,
        .height = 720,
        .iterations = 200,
        .refusal =
            [](const drm::Device* device) { return gem::i915_refusal(device, gem::PathKind::map); },
        .open =
            [](const bench::Options& options) {
                return gem::open_i915_upload(options, gem::PathKind::map, gem::PieceSize::whole);
            },
    };
    return method;
}

} // namespace gem_upload::methods
