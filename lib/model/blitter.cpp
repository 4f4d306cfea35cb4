#include "model/blitter.h"

#include "model/rejection.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace gem_upload::model {
namespace {

struct Extent {
    std::uint64_t first;
    std::uint64_t end;
};

bool intersects(const Extent& a, const Extent& b) {
    return a.first < b.end && b.first < a.end;
}

/// Up to gen3 the blitter reaches memory through the fence registers, later it does not.
bool detiles_through_fences(const ChipModel& chip) {
    return chip.generation < 4;
}

/// The addresses that a rectangle spans. Behind fences too: they map addresses one to one, so that
/// addresses apart stay apart.
Extent extent_of(const BlitSurface& surface, BlitSize size) {
    if (surface.tiling != Tiling::linear) {
        const std::uint64_t tile_rows = tile_shape(surface.tiling).rows;
        const std::uint64_t rows =
            (std::uint64_t{surface.y} + size.rows + tile_rows - 1) / tile_rows * tile_rows;
        return {surface.address, surface.address + rows * surface.pitch};
    }
    const std::uint64_t first =
        surface.address + std::uint64_t{surface.y} * surface.pitch + surface.x;
    return {first, first + std::uint64_t{size.rows - 1} * surface.pitch + size.width};
}

/// One surface of a blit, with the piece of memory that the last access found.
class SurfaceMemory {
public:
    SurfaceMemory(const BlitContext& context, const BlitSurface& surface, Access access)
        : context_(context), surface_(surface), access_(access) {}

    /// The memory from byte X of row Y of the rectangle on: at least 1, at most WANTED bytes.
    [[nodiscard]] Span at(std::uint64_t x, std::uint64_t y, std::uint64_t wanted) {
        const Place place = locate(surface_.x + x, surface_.y + y);
        if (place.offset < first_ || place.offset - first_ >= piece_.size()) {
            refill(place.offset, surface_.x + x, surface_.y + y);
        }
        const std::uint64_t skip = place.offset - first_;
        const std::uint64_t available =
            std::min({place.contiguous, wanted, std::uint64_t{piece_.size()} - skip});
        return piece_.subspan(skip, available);
    }

private:
    [[nodiscard]] Place locate(std::uint64_t x, std::uint64_t y) const {
        if (surface_.tiling == Tiling::linear) {
            const std::uint64_t address = surface_.address + y * surface_.pitch + x;
            if (detiles_through_fences(context_.chip)) {
                return context_.fences.detile(address);
            }
            return {address, std::numeric_limits<std::uint64_t>::max()};
        }
        const Swizzle swizzle = context_.fences.blit_swizzle(surface_.tiling);
        Place place = tiled_place(surface_.tiling, swizzle, surface_.pitch, x, y);
        place.offset += surface_.address;
        return place;
    }

    void refill(std::uint64_t address, std::uint64_t x, std::uint64_t y) {
        try {
            piece_ = reach(context_.memory, context_.engine, address, access_);
        } catch (const Rejection& rejection) {
            const std::uint64_t at = y * surface_.pitch + x;
            reject("{} surface at {:#x}, pitch {}, at address {:#x} (row {}, byte {}): {}",
                   access_ == Access::write ? "writing the destination" : "reading the source",
                   surface_.address, surface_.pitch, address, at / surface_.pitch,
                   at % surface_.pitch, rejection.what());
        }
        first_ = address;
    }

    const BlitContext& context_;
    BlitSurface surface_;
    Access access_;
    Span piece_;
    std::uint64_t first_ = 0;
};

/// Moves bytes of a row that begin COLUMN bytes into the rectangle.
void move_bytes(Span to, const std::byte* from, std::uint64_t column, ByteMask mask) {
    if (mask == all_bytes) {
        std::memmove(to.data(), from, to.size());
        return;
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
        if ((mask >> (column + i) % 4 & 1U) != 0) {
            to[i] = from[i];
        }
    }
}

void write_row(SurfaceMemory& destination, std::uint64_t row, std::span<const std::byte> bytes,
               ByteMask mask) {
    for (std::uint64_t x = 0; x < bytes.size();) {
        const Span span = destination.at(x, row, bytes.size() - x);
        move_bytes(span, bytes.data() + x, x, mask);
        x += span.size();
    }
}

void read_row(SurfaceMemory& source, std::uint64_t row, Span bytes) {
    for (std::uint64_t x = 0; x < bytes.size();) {
        const Span span = source.at(x, row, bytes.size() - x);
        std::memcpy(bytes.data() + x, span.data(), span.size());
        x += span.size();
    }
}

void copy_row(SurfaceMemory& destination, SurfaceMemory& source, std::uint64_t row,
              std::uint64_t width, ByteMask mask) {
    for (std::uint64_t x = 0; x < width;) {
        const Span read = source.at(x, row, width - x);
        const Span written = destination.at(x, row, read.size());
        move_bytes(written, read.data(), x, mask);
        x += written.size();
    }
}

void copy_through_buffer(SurfaceMemory& destination, SurfaceMemory& source, BlitSize size,
                         ByteMask mask) {
    std::vector<std::byte> buffer(std::size_t{size.width} * size.rows);
    const auto buffered = [&](std::size_t row) {
        return Span(buffer).subspan(row * size.width, size.width);
    };
    for (std::size_t row = 0; row < size.rows; ++row) {
        read_row(source, row, buffered(row));
    }
    for (std::size_t row = 0; row < size.rows; ++row) {
        write_row(destination, row, buffered(row), mask);
    }
}

bool rows_touch(const BlitSurface& surface, BlitSize size) {
    return surface.tiling == Tiling::linear && surface.pitch == size.width;
}

} // namespace

bool blit_overlaps(const BlitSurface& destination, const BlitSurface& source, BlitSize size) {
    return intersects(extent_of(destination, size), extent_of(source, size));
}

void blit_copy(const BlitContext& context, const BlitSurface& destination,
               const BlitSurface& source, BlitSize size, ByteMask mask) {
    SurfaceMemory to(context, destination, Access::write);
    SurfaceMemory from(context, source, Access::read);
    if (blit_overlaps(destination, source, size)) {
        copy_through_buffer(to, from, size, mask);
        return;
    }
    if (rows_touch(destination, size) && rows_touch(source, size)) {
        // The whole rectangle is one long row: one copy for each contiguous piece of memory.
        copy_row(to, from, 0, std::uint64_t{size.width} * size.rows, mask);
        return;
    }
    for (std::uint64_t row = 0; row < size.rows; ++row) {
        copy_row(to, from, row, size.width, mask);
    }
}

void blit_fill(const BlitContext& context, const BlitSurface& destination, BlitSize size,
               std::uint32_t color, unsigned bytes_per_pixel, ByteMask mask) {
    std::vector<std::byte> pixels(size.width);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = static_cast<std::byte>(color >> 8 * (i % bytes_per_pixel) & 0xffU);
    }
    SurfaceMemory to(context, destination, Access::write);
    for (std::uint64_t row = 0; row < size.rows; ++row) {
        write_row(to, row, pixels, mask);
    }
}

} // namespace gem_upload::model
