#include "bench/aperture.h"

namespace gem_upload::methods {

const bench::Method& upload_aperture_wc_method() {
    static constexpr bench::Method method{
        .name = "upload_aperture_wc",
        .group = bench::Group::aperture,
        .summary = "a write-combining map on the CPU: store to the pool past the cache",
        .workload =
            "A driver that maps a buffer object write-combining, through the aperture or directly, "
            "and streams into it.",
        .algorithm =
            R"(One iteration takes the next *section* of the pool, fills it with the counter by
non-temporal stores, 4 bytes wide (**movnti**) unless **--store** widens them, and
waits for them with one **sfence**. Nothing is flushed.

Inside the timing: the stores and the **sfence**.

The write-combining comes from the stores, not from the mapping: the pool is
ordinary write-back memory, because no process without a device can map anything
else. Non-temporal stores pass through the same fill buffers, and leave them as
whole lines where the stores fill these; what they lack is the cost of the bus or
fabric between the CPU and a real aperture. **--store-type plain** is therefore
refused, and so is a flush.

With **--variant staged** the counter is generated into a side buffer of the
section's size first, by stores through the cache, and copied to the section by
non-temporal stores of the same width.)",
        .has_staged = true,
        .width = 128,
        .height = 64,
        .iterations = 65536,
        .refusal = bench::no_refusal,
        .open =
            [](const bench::Options& options) {
                return bench::open_aperture(bench::ApertureForm::write_combining, options);
            },
        .store = {4, bench::StoreType::non_temporal},
    };
    return method;
}

} // namespace gem_upload::methods
