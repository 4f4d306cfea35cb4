// Where a byte of a tiled surface lies. A tile is 4 KiB: X tiles are 512 bytes by 8 rows, row after
// row; Y tiles are 128 bytes by 32 rows, in columns 16 bytes wide.
// Source: G45 PRM volume 1a, "Memory Data Formats: Tiled Memory"; gen3 (945, G33) tiles alike.
#pragma once

#include "model/gpu.h"

#include <cstdint>

namespace gem_upload::model {

inline constexpr std::uint32_t tile_bytes = 4096;

struct TileShape {
    std::uint32_t width; ///< bytes
    std::uint32_t rows;
};

/// The shape of a tile; of a linear surface {1, 1}.
[[nodiscard]] TileShape tile_shape(Tiling tiling);

/// A byte's place, and for how many bytes of the same row memory goes on one after the other.
struct Place {
    std::uint64_t offset;
    std::uint64_t contiguous;
};

/// Folds address bits 9, 10 and 11 into bit 6 as the swizzle says; its own inverse.
[[nodiscard]] std::uint64_t swizzled(std::uint64_t offset, Swizzle swizzle);

/// The place of byte X (in bytes) of row Y, counted from the surface's start.
/// PITCH in bytes, a multiple of the tile's width; TILING is not linear.
[[nodiscard]] Place tiled_place(Tiling tiling, Swizzle swizzle, std::uint32_t pitch,
                                std::uint64_t x, std::uint64_t y);

} // namespace gem_upload::model
