// The copies out of a side buffer.
#pragma once

#include "bench/store.h"

#include <cstddef>
#include <cstdint>

namespace gem_upload::bench {

/// Copies `dwords` dwords between places that do not overlap.
using CopyDwords = void (*)(std::uint32_t* destination, const std::uint32_t* source,
                            std::size_t dwords);

/// memcpy, in pieces of at most 32 kB: from a size on that is a part of the last-level cache,
/// glibc's memcpy turns to non-temporal stores by itself, and would measure another method.
void copy_through_cache(std::uint32_t* destination, const std::uint32_t* source,
                        std::size_t dwords);

/// A copy by plain loads and non-temporal stores of this width, one of each per `width` bytes; a
/// head and a tail up to the destination's alignment go by 4 bytes. The caller owes the sfence.
/// Throws like find_fill.
[[nodiscard]] CopyDwords find_stream_copy(unsigned width);

} // namespace gem_upload::bench
