// upload_blit_large_wc: upload a large image through a write-combining CPU map, then blit it.
#include "gem/i915_upload.h"

namespace gem_upload::methods {

const bench::Method& upload_blit_large_wc_method() {
    static const bench::Method method = {
        .name = "upload_blit_large_wc",
        .group = bench::Group::blit,
        .summary = "upload a large image through a write-combining CPU map, then blit "
                   "it",
        .workload = "Streaming uploads of drivers that avoid the aperture: Mesa maps "
                    "its upload buffers this way on chips without LLC.",
        .algorithm = "Each iteration takes a source object, asks for its write- "
                     "combining mapping (drm_intel_gem_bo_map__wc) and for the WC "
                     "domain (SET_DOMAIN), generates the image in place, blits it "
                     "onto the destination and drops it. The mapping goes past the "
                     "aperture, straight to the object's pages, and is kept with the "
                     "object in libdrm_intel's cache.",
        .has_staged = true,
        .width = 1280,
        .height = 720,
        .iterations = 200,
        .refusal =
            [](const drm::Device* device) { return gem::i915_refusal(device, gem::PathKind::wc); },
        .open =
            [](const bench::Options& options) {
                return gem::open_i915_upload(options, gem::PathKind::wc, gem::PieceSize::whole);
            },
    };
    return method;
}

} // namespace gem_upload::methods
