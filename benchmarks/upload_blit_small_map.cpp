// upload_blit_small_map: upload an image in small pieces through a write-back map, then blit it.
#include "gem/i915_upload.h"

namespace gem_upload::methods {

const bench::Method& upload_blit_small_map_method() {
    static const bench::Method method = {
        .name = "upload_blit_small_map",
        .group = bench::Group::small,
        .summary = "upload an image in small pieces through a write-back map, then "
                   "blit it",
        .workload = "A driver that keeps its upload buffer mapped write-back and "
                    "appends small pieces to it.",
        .algorithm = "Each iteration takes a source object, maps it write-back once "
                     "(SET_DOMAIN to CPU), writes piece after piece in place, unmaps "
                     "it (SW_FINISH), blits it onto the destination and drops it. On "
                     "chips without LLC the kernel flushes the whole object, however "
                     "small the pieces. The image is made in pieces of 1 to 64 dwords "
                     "(random() % 64 + 1, as IGT draws them), and no dword is "
                     "skipped.",
        .has_staged = true,
        .width = 256,
        .height = 128,
        .iterations = 1000,
        .refusal =
            [](const drm::Device* device) { return gem::i915_refusal(device, gem::PathKind::map); },
        .open =
            [](const bench::Options& options) {
                return gem::open_i915_upload(options, gem::PathKind::map, gem::PieceSize::small);
            },
    };
    return method;
}

} // namespace gem_upload::methods
