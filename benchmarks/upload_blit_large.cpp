// upload_blit_large: upload a large image with pwrite, then blit it.
#include "gem/i915_upload.h"

namespace gem_upload::methods {

const bench::Method& upload_blit_large_method() {
    static const bench::Method method = {
        .name = "upload_blit_large",
        .group = bench::Group::blit,
        .summary = "upload a large image with pwrite, then blit it",
        .workload = "Pixmap and texture uploads of programs that make their data in "
                    "ordinary memory and hand it over, as X and GL drivers do for "
                    "XPutImage and glTexImage2D.",
        .algorithm = "Each iteration takes a source object from libdrm_intel's cache, "
                     "generates the image into an ordinary array, copies the array "
                     "into the object with one GEM PWRITE, blits the object onto the "
                     "destination and drops it. The kernel makes the copy and "
                     "whatever flush the chip needs.",
        .has_staged = false,
        .width = 1280,
        .height = 720,
        .iterations = 200,
        .refusal =
            [](const drm::Device* device) {
                return gem::i915_refusal(device, gem::PathKind::pwrite);
            },
        .open =
            [](const bench::Options& options) {
                return gem::open_i915_upload(options, gem::PathKind::pwrite, gem::PieceSize::whole);
            },
    };
    return method;
}

} // namespace gem_upload::methods
