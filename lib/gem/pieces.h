// Data generation: the running counter, cut into the pieces in which a program makes its data.
#pragma once

#include "bench/store.h"
#include "gem/pieces_size.h"

#include <cstdint>
#include <cstdlib>

namespace gem_upload::gem {

inline constexpr std::uint64_t largest_small_piece = 64;

/// Makes the data of one object after another; no dword is skipped.
class Pieces {
public:
    Pieces(PieceSize size, bench::StoreKind store, std::uint64_t object_dwords)
        : size_(size), fill_(bench::find_fill(store)), object_dwords_(object_dwords) {}

    /// Dwords of the largest piece.
    [[nodiscard]] std::uint64_t largest() const {
        return size_ == PieceSize::whole ? object_dwords_ : largest_small_piece;
    }
    /// The value that the next dword gets; the counter starts at 1.
    [[nodiscard]] std::uint32_t next_value() const { return next_; }

    /// Calls `sink(offset, dwords)` for each piece of one object, offsets in dwords.
    template <class Sink>
    void for_each(Sink&& sink) {
        for (std::uint64_t offset = 0; offset < object_dwords_;) {
            const std::uint64_t dwords = next_size(object_dwords_ - offset);
            sink(offset, dwords);
            offset += dwords;
        }
    }
    /// Writes the next `dwords` values of the counter.
    void generate(std::uint32_t* destination, std::uint64_t dwords) {
        next_ = fill_(destination, dwords, next_);
    }

private:
    [[nodiscard]] std::uint64_t next_size(std::uint64_t left) const {
        if (size_ == PieceSize::whole) {
            return left;
        }
        const auto drawn = static_cast<std::uint64_t>(random()) % largest_small_piece + 1;
        return drawn < left ? drawn : left;
    }

    PieceSize size_;
    bench::FillCounter fill_;
    std::uint64_t object_dwords_;
    std::uint32_t next_ = 1;
};

} // namespace gem_upload::gem
