// upload_blit_small_gtt: upload an image in small pieces through a GTT map, then blit it.
#include "gem/i915_upload.h"

namespace gem_upload::methods {

const bench::Method& upload_blit_small_gtt_method() {
    static const bench::Method method = {
        .name = "upload_blit_small_gtt",
        .group = bench::Group::small,
        .summary = "upload an image in small pieces through a GTT map, then blit it",
        .workload = "A driver that keeps its upload buffer mapped through the "
                    "aperture and appends small pieces to it.",
        .algorithm = "Each iteration takes a source object, maps it once through the "
                     "aperture (SET_DOMAIN to GTT), writes piece after piece in "
                     "place, unmaps it, blits it onto the destination and drops it: "
                     "there is no call a piece, which is what a mapping is for. The "
                     "image is made in pieces of 1 to 64 dwords (random() % 64 + 1, "
                     "as IGT draws them), and no dword is skipped.",
        .has_staged = true,
        .width = 256,
        .height = 128,
        .iterations = 1000,
        .refusal =
            [](const drm::Device* device) { return gem::i915_refusal(device, gem::PathKind::gtt); },
        .open =
            [](const bench::Options& options) {
                return gem::open_i915_upload(options, gem::PathKind::gtt, gem::PieceSize::small);
            },
    };
    return method;
}

} // namespace gem_upload::methods
