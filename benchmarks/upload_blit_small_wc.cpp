// upload_blit_small_wc: upload an image in small pieces through a write-combining CPU map, then
// blit it.
#include "gem/i915_upload.h"

namespace gem_upload::methods {

const bench::Method& upload_blit_small_wc_method() {
    static const bench::Method method = {
        .name = "upload_blit_small_wc",
        .group = bench::Group::small,
        .summary = "upload an image in small pieces through a write-combining CPU "
                   "map, then blit it",
        .workload = "A driver that streams vertices and constants into a write- "
                    "combining upload buffer, as Mesa does.",
        .algorithm = "Each iteration takes a source object, asks for its write- "
                     "combining mapping and for the WC domain (SET_DOMAIN) once, "
                     "writes piece after piece in place, blits it onto the "
                     "destination and drops it. The image is made in pieces of 1 to "
                     "64 dwords (random() % 64 + 1, as IGT draws them), and no dword "
                     "is skipped.",
        .has_staged = true,
        .width = 256,
        .height = 128,
        .iterations = 1000,
        .refusal =
            [](const drm::Device* device) { return gem::i915_refusal(device, gem::PathKind::wc); },
        .open =
            [](const bench::Options& options) {
                return gem::open_i915_upload(options, gem::PathKind::wc, gem::PieceSize::small);
            },
    };
    return method;
}

} // namespace gem_upload::methods
