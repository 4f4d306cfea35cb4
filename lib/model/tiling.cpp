#include "model/tiling.h"

namespace gem_upload::model {
namespace {

constexpr std::uint32_t swizzled_run = 64; ///< bit 6 flips at this grain
constexpr std::uint32_t y_column = 16;

std::uint64_t bit(std::uint64_t value, unsigned index) {
    return value >> index & 1U;
}

/// Bytes of an unswizzled row that follow each other, from byte X of the tile on.
std::uint64_t run_length(std::uint64_t x, std::uint32_t grain) {
    return grain - x % grain;
}

std::uint64_t offset_in_tile(Tiling tiling, std::uint64_t x, std::uint64_t y) {
    const TileShape shape = tile_shape(tiling);
    if (tiling == Tiling::y) {
        return x / y_column * y_column * shape.rows + y * y_column + x % y_column;
    }
    return y * shape.width + x;
}

} // namespace

TileShape tile_shape(Tiling tiling) {
    switch (tiling) {
    case Tiling::x:
        return {512, 8};
    case Tiling::y:
        return {128, 32};
    case Tiling::linear:
        break;
    }
    return {1, 1};
}

std::uint64_t swizzled(std::uint64_t offset, Swizzle swizzle) {
    std::uint64_t fold = 0;
    if (swizzle != Swizzle::none) {
        fold ^= bit(offset, 9);
    }
    if (swizzle == Swizzle::bits_9_10 || swizzle == Swizzle::bits_9_10_11) {
        fold ^= bit(offset, 10);
    }
    if (swizzle == Swizzle::bits_9_11 || swizzle == Swizzle::bits_9_10_11) {
        fold ^= bit(offset, 11);
    }
    return offset ^ fold << 6U;
}

Place tiled_place(Tiling tiling, Swizzle swizzle, std::uint32_t pitch, std::uint64_t x,
                  std::uint64_t y) {
    const TileShape shape = tile_shape(tiling);
    const std::uint64_t tiles_in_row = pitch / shape.width;
    const std::uint64_t tile = y / shape.rows * tiles_in_row + x / shape.width;
    const std::uint64_t offset =
        tile * tile_bytes + offset_in_tile(tiling, x % shape.width, y % shape.rows);
    std::uint32_t grain = tiling == Tiling::y ? y_column : shape.width;
    if (swizzle != Swizzle::none && grain > swizzled_run) {
        grain = swizzled_run;
    }
    return {swizzled(offset, swizzle), run_length(x, grain)};
}

} // namespace gem_upload::model
