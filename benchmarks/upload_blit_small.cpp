// upload_blit_small: upload an image in small pieces with pwrite, then blit it.
#include "gem/i915_upload.h"

namespace gem_upload::methods {

const bench::Method& upload_blit_small_method() {
    static const bench::Method method = {
        .name = "upload_blit_small",
        .group = bench::Group::small,
        .summary = "upload an image in small pieces with pwrite, then blit it",
        .workload = "Vertex, index and constant uploads: many small pieces of data, "
                    "each handed over as it comes.",
        .algorithm = "Each iteration takes a source object, generates each piece into "
                     "an ordinary array and copies it into the object with a GEM "
                     "PWRITE of its own, then blits the object onto the destination "
                     "and drops it. What is measured is the cost of the calls more "
                     "than that of the bytes. The image is made in pieces of 1 to 64 "
                     "dwords (random() % 64 + 1, as IGT draws them), and no dword is "
                     "skipped.",
        .has_staged = false,
        .width = 256,
        .height = 128,
        .iterations = 1000,
        .refusal =
            [](const drm::Device* device) {
                return gem::i915_refusal(device, gem::PathKind::pwrite);
            },
        .open =
            [](const bench::Options& options) {
                return gem::open_i915_upload(options, gem::PathKind::pwrite, gem::PieceSize::small);
            },
    };
    return method;
}

} // namespace gem_upload::methods
