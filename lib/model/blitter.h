// The blitter: moves rectangles between surfaces, row by row, through the address space.
#pragma once

#include "model/fences.h"
#include "model/gpu.h"

#include <cstdint>

namespace gem_upload::model {

/// A surface and the byte where the rectangle begins on it.
struct BlitSurface {
    std::uint64_t address; ///< a GPU address, without sign extension
    Tiling tiling;
    std::uint32_t pitch; ///< bytes
    std::uint32_t x;     ///< bytes from the row's start
    std::uint32_t y;     ///< rows
};

struct BlitSize {
    std::uint32_t width; ///< bytes
    std::uint32_t rows;
};

/// Which bytes of a 32-bit pixel are written: bit n stands for byte n. Other depths write all.
using ByteMask = std::uint32_t;
inline constexpr ByteMask all_bytes = 0xf;

/// What a blit needs besides its rectangles.
struct BlitContext {
    const ChipModel& chip;
    const FenceRegisters& fences;
    AddressSpace& memory;
    Engine engine;
};

/// True if the rectangles may share bytes (judged by the address ranges that they span).
[[nodiscard]] bool blit_overlaps(const BlitContext& context, const BlitSurface& destination,
                                 const BlitSurface& source, BlitSize size);

/// Copies a rectangle; where source and destination overlap, as if all were read before anything is
/// written. Up to gen3 an address behind a fence register is detiled. Throws Rejection, naming the
/// row.
void blit_copy(const BlitContext& context, const BlitSurface& destination,
               const BlitSurface& source, BlitSize size, ByteMask mask);

/// Fills a rectangle with pixels of BYTES_PER_PIXEL (1, 2, 4) low bytes of COLOR.
/// Throws Rejection.
void blit_fill(const BlitContext& context, const BlitSurface& destination, BlitSize size,
               std::uint32_t color, unsigned bytes_per_pixel, ByteMask mask);

} // namespace gem_upload::model
