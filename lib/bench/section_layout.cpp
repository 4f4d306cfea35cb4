#include "bench/section_layout.h"

#include "bench/flush.h"
#include "bench/machine_memory.h"
#include "util/error.h"

#include <fmt/format.h>

namespace gem_upload::bench {
namespace {

constexpr std::uint64_t page_bytes = 4096;

void check_size(const Options& options, std::uint64_t pool_bytes) {
    if (options.dwords() == 0) {
        throw usage_error(fmt::format("A section of {} x {} pixels is empty; --width and --height "
                                      "are at least 1.",
                                      options.width, options.height));
    }
    // In dwords, because the product in bytes can overflow.
    if (options.dwords() > pool_bytes / 4 / 2) {
        throw usage_error(fmt::format("The pool of {} does not hold two sections of {} x {} "
                                      "pixels; choose a smaller --width or --height.",
                                      size_text(pool_bytes), options.width, options.height));
    }
}

void check_stride(std::uint64_t stride, unsigned width, std::uint64_t section_bytes) {
    if (stride == 0 || stride % 4 != 0 || stride > page_bytes) {
        throw usage_error(fmt::format(
            "--stride {}: a stride is a multiple of 4 bytes, from 4 (fills the section) to {}.",
            stride, page_bytes));
    }
    if (stride != 4 && stride % width != 0) {
        throw usage_error(fmt::format("--stride {}: with stores of {} bytes a stride is 4 (fills "
                                      "the section) or a multiple of {}.",
                                      stride, width, width));
    }
    if (stride > section_bytes) {
        throw usage_error(fmt::format("--stride {} is larger than the section of {}.", stride,
                                      size_text(section_bytes)));
    }
}

} // namespace

std::uint64_t SectionLayout::section_start(std::uint64_t k) const {
    return k % sections * (pitch_bytes / 4);
}

std::optional<std::uint32_t> SectionLayout::stored_value(std::uint64_t k, std::uint64_t i) const {
    const std::uint64_t first = 1 + k * (stored_bytes / 4);
    if (fills()) {
        return static_cast<std::uint32_t>(first + i);
    }
    const std::uint64_t store = i * 4 / stride_bytes;
    const std::uint64_t offset = i * 4 % stride_bytes;
    if (store >= stores || offset >= store_bytes) {
        return std::nullopt;
    }
    return static_cast<std::uint32_t>(first + (store * store_bytes + offset) / 4);
}

SectionLayout lay_out_sections(const Options& options, std::uint64_t pool_bytes) {
    check_size(options, pool_bytes);
    SectionLayout layout;
    layout.bytes = options.bytes();
    layout.store_bytes = options.store.width;
    layout.stride_bytes = options.aperture.stride;
    check_stride(layout.stride_bytes, layout.store_bytes, layout.bytes);
    layout.pitch_bytes =
        (layout.bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
    layout.sections = pool_bytes / layout.pitch_bytes;
    layout.stored_bytes = layout.bytes;
    if (layout.stride_bytes > layout.store_bytes) {
        layout.stores = (layout.bytes - layout.store_bytes) / layout.stride_bytes + 1;
        layout.stored_bytes = layout.stores * layout.store_bytes;
    }
    return layout;
}

} // namespace gem_upload::bench
