#include "blit/xy_src_copy.h"

#include "util/error.h"

#include <fmt/format.h>

namespace gem_upload::blit {
namespace {

constexpr std::uint32_t xy_src_copy_blt = (2U << 29) | (0x53U << 22);
constexpr std::uint32_t write_alpha = 1U << 21;
constexpr std::uint32_t write_rgb = 1U << 20;
constexpr std::uint32_t depth_32bpp = 3U << 24;
constexpr std::uint32_t rop_copy_source = 0xCCU << 16;
constexpr std::uint32_t mi_batch_buffer_end = 0x0AU << 23;
constexpr std::uint32_t mi_noop = 0;

[[noreturn]] void refuse(const std::string& what) {
    throw usage_error(
        fmt::format("{} cannot be blitted: the blitter takes 1 to {}", what, max_coordinate));
}

/// Words are made only where they are needed: this runs inside the timed loop.
bool is_extent(std::uint64_t value) {
    return value >= 1 && value <= max_coordinate;
}

void check_pitch(std::uint32_t pitch) {
    if (!is_extent(pitch)) {
        refuse(fmt::format("a pitch of {} bytes", pitch));
    }
}

} // namespace

void check_size(std::uint32_t width, std::uint32_t height) {
    if (!is_extent(width)) {
        refuse(fmt::format("a width of {} pixels", width));
    }
    if (!is_extent(height)) {
        refuse(fmt::format("a height of {} rows", height));
    }
    const std::uint64_t pitch = std::uint64_t{width} * 4;
    if (!is_extent(pitch)) {
        refuse(fmt::format("a width of {} pixels has a pitch of {} bytes, which", width, pitch));
    }
}

void CopyBatch::push_address(std::uint64_t address, bool two_dwords) {
    push(static_cast<std::uint32_t>(address));
    if (two_dwords) {
        push(static_cast<std::uint32_t>(address >> 32));
    }
}

CopyBatch encode_copy(int generation, const Surface& source, const Surface& destination,
                      std::uint32_t width, std::uint32_t height) {
    check_size(width, height);
    check_pitch(source.pitch);
    check_pitch(destination.pitch);
    const bool long_addresses = generation >= 8;
    const std::uint32_t length = (long_addresses ? 10U : 8U) - 2U;

    CopyBatch batch;
    batch.push(xy_src_copy_blt | write_alpha | write_rgb | length);
    batch.push(depth_32bpp | rop_copy_source | destination.pitch);
    batch.push(0);
    batch.push((height << 16) | width);
    batch.destination_index_ = batch.count_;
    batch.push_address(destination.address, long_addresses);
    batch.push(0);
    batch.push(source.pitch);
    batch.source_index_ = batch.count_;
    batch.push_address(source.address, long_addresses);
    batch.push(mi_batch_buffer_end);
    if (batch.count_ % 2 != 0) {
        batch.push(mi_noop);
    }
    return batch;
}

} // namespace gem_upload::blit
