// XY_SRC_COPY_BLT: the 2D copy that every Intel blitter from gen2 to DG2 understands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gem_upload::blit {

/// The blitter's limit for coordinates and for a linear pitch in bytes (16-bit signed fields).
inline constexpr std::uint32_t max_coordinate = 32767;

/// A linear image of 32-bit pixels at a GPU address.
struct Surface {
    std::uint64_t address; ///< GPU address; the presumed one where relocations follow
    std::uint32_t pitch;   ///< bytes
};

/// A batch that copies one rectangle, and where its two addresses stand (indices of dwords).
class CopyBatch {
public:
    [[nodiscard]] std::span<const std::uint32_t> dwords() const { return {dwords_.data(), count_}; }
    [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(std::uint32_t); }
    [[nodiscard]] std::size_t destination_index() const { return destination_index_; }
    [[nodiscard]] std::size_t source_index() const { return source_index_; }

private:
    friend CopyBatch encode_copy(int, const Surface&, const Surface&, std::uint32_t, std::uint32_t);
    void push(std::uint32_t dword) { dwords_[count_++] = dword; }
    void push_address(std::uint64_t address, bool two_dwords);

    std::array<std::uint32_t, 12> dwords_{};
    std::size_t count_ = 0;
    std::size_t destination_index_ = 0;
    std::size_t source_index_ = 0;
};

/// Encodes the copy of `width` x `height` pixels of 32 bits from the upper left corner of `source`
/// to that of `destination`, ended by MI_BATCH_BUFFER_END and padded to 8 bytes.
/// Addresses take two dwords from gen8 on. Source: PRM "Blitter Engine", XY_SRC_COPY_BLT
/// (SNB vol. 1 part 5, BDW vol. 10). Throws usage_error when a size is beyond the blitter.
[[nodiscard]] CopyBatch encode_copy(int generation, const Surface& source,
                                    const Surface& destination, std::uint32_t width,
                                    std::uint32_t height);

/// Throws usage_error unless an image of this size (pixels of 32 bits, packed rows) can be blitted.
void check_size(std::uint32_t width, std::uint32_t height);

} // namespace gem_upload::blit
