#include "bench/aperture.h"

namespace gem_upload::methods {

const bench::Method& upload_aperture_map_method() {
    static constexpr bench::Method method{
        .name = "upload_aperture_map",
        .group = bench::Group::aperture,
        .summary = "a write-back map on the CPU: store to the pool, flush the cache",
        .workload =
            "A driver that maps a buffer object write-back and generates into it, on a chip whose "
            "GPU does not look into the CPU's cache.",
        .algorithm =
            R"(One iteration takes the next *section* of the pool, fills it with the counter by
stores through the cache, and flushes every cache line of the section.

Inside the timing: the stores, the fence before the flush, one flush a line, and
the fence after it.

With **--variant staged** the counter is generated into a side buffer of the
section's size first, and **memcpy**\(3) brings it to the section (in pieces of at
most 32 kB): what a texture or pixmap upload does with a map. The only difference
from **upload_aperture** is then the name.)",
        .has_staged = true,
        .width = 128,
        .height = 64,
        .iterations = 65536,
        .refusal = bench::no_refusal,
        .open =
            [](const bench::Options& options) {
                return bench::open_aperture(bench::ApertureForm::map, options);
            },
    };
    return method;
}

} // namespace gem_upload::methods
