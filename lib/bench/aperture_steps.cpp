#include "bench/aperture_steps.h"

#include "util/error.h"

#include <fmt/format.h>

namespace gem_upload::bench {
namespace {

void check_form(ApertureForm form, const Options& options) {
    if (form == ApertureForm::pwrite && options.variant == Variant::staged) {
        throw usage_error("upload_aperture has no variant staged: it always generates into a side "
                          "buffer and copies; leave --variant out.");
    }
    if (form != ApertureForm::write_combining) {
        return;
    }
    if (options.store.type == StoreType::plain) {
        throw usage_error("upload_aperture_wc gets its write-combining from non-temporal stores; "
                          "leave out --store-type plain, or take upload_aperture_map.");
    }
    if (options.aperture.flush != Flush::automatic && options.aperture.flush != Flush::none) {
        throw usage_error(fmt::format("upload_aperture_wc stores past the cache and flushes "
                                      "nothing; leave out --flush {}.",
                                      flush_name(options.aperture.flush)));
    }
}

void add_stream_copy(ApertureSteps& steps, unsigned width) {
    // Only the copy goes past the cache: what is generated before it is meant to stay there.
    steps.store.type = StoreType::plain;
    steps.copy = find_stream_copy(width);
    steps.copy_name = fmt::format("non-temporal stores of {} bytes", width);
}

} // namespace

ApertureSteps choose_steps(ApertureForm form, const Options& options, const CpuFeatures& features) {
    check_form(form, options);
    const bool staged = options.variant == Variant::staged;
    ApertureSteps steps;
    steps.store = options.store;
    steps.fence = options.store.type == StoreType::non_temporal;
    if (form == ApertureForm::write_combining) {
        if (staged) {
            add_stream_copy(steps, options.store.width);
        }
    } else {
        steps.flush = choose_flush(options.aperture.flush, features);
        steps.flush_lines = find_flush(steps.flush);
        if (form == ApertureForm::pwrite || staged) {
            steps.copy = copy_through_cache;
            steps.copy_name = "memcpy in pieces of at most 32 kB";
        }
    }
    steps.fill = find_fill(steps.store);
    steps.stride = find_stride(steps.store);
    return steps;
}

} // namespace gem_upload::bench
