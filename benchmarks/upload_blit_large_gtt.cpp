// upload_blit_large_gtt: upload a large image through a GTT map, then blit it.
#include "gem/i915_upload.h"

namespace gem_upload::methods {

const bench::Method& upload_blit_large_gtt_method() {
    static const bench::Method method = {
        .name = "upload_blit_large_gtt",
        .group = bench::Group::blit,
        .summary = "upload a large image through a GTT map, then blit it",
        .workload = "Programs that write pixels straight into video memory as they "
                    "make them: software rasterisers, video decoders, framebuffer "
                    "emulation.",
        .algorithm = "Each iteration takes a source object, maps it through the "
                     "mappable aperture (drm_intel_gem_bo_map_gtt: SET_DOMAIN to "
                     "GTT), generates the image in place with write-combining stores, "
                     "unmaps it, blits it onto the destination and drops it. The "
                     "mapping itself stays with the object in libdrm_intel's cache; "
                     "the first use of an object pays for MMAP_GTT and the page "
                     "faults.",
        .has_staged = true,
        .width = 1280,
        .height = 720,
        .iterations = 200,
        .refusal =
            [](const drm::Device* device) { return gem::i915_refusal(device, gem::PathKind::gtt); },
        .open =
            [](const bench::Options& options) {
                return gem::open_i915_upload(options, gem::PathKind::gtt, gem::PieceSize::whole);
            },
    };
    return method;
}

} // namespace gem_upload::methods
