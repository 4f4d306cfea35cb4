#include "bench/aperture.h"

namespace gem_upload::methods {

const bench::Method& upload_aperture_method() {
    static constexpr bench::Method method{
        .name = "upload_aperture",
        .group = bench::Group::aperture,
        .summary = "pwrite on the CPU: fill a side buffer, copy it to the pool, flush the cache",
        .workload =
            "A driver or toolkit that generates pixels, texels or vertices in its own memory and "
            "hands them to the kernel, which copies them to pages that the GPU reads past the "
            "CPU's cache.",
        .algorithm =
            R"(One iteration takes the next *section* of the pool, fills a side buffer of the
section's size with the counter, copies the buffer to the section with
**memcpy**\(3) (in pieces of at most 32 kB, so that the C library keeps to stores
through the cache), and flushes every cache line of the section.

Inside the timing: the stores to the side buffer, the copy, the fence before the
flush, one flush a line, and the fence after it. The side buffer is reused, so
that it stays in the cache; the pool is too large to.

This is the model of 2009, when the kernel's pwrite copied to pages of the object
and flushed them. Today's i915 copies through the aperture where the processor
would have to flush, and does not flush at all on chips whose GPU shares the
last-level cache; what it does on this machine only **upload_blit_large** tells.)",
        .has_staged = false, // it is staged by nature
        .width = 128,
        .height = 64,
        .iterations = 65536,
        .refusal = bench::no_refusal,
        .open =
            [](const bench::Options& options) {
                return bench::open_aperture(bench::ApertureForm::pwrite, options);
            },
    };
    return method;
}

} // namespace gem_upload::methods
