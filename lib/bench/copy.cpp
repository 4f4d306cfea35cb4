#include "bench/copy.h"

#include "bench/store_instruction.h"

#include <algorithm>
#include <cstring>

namespace gem_upload::bench {
namespace {

constexpr auto nt = StoreType::non_temporal;

// Each copies `stores` elements; only the destination is aligned to them.
using CopyElements = void (*)(std::uint32_t* destination, const std::uint32_t* source,
                              std::size_t stores);

void copy_4(std::uint32_t* destination, const std::uint32_t* source, std::size_t stores) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i != stores; ++i) {
        put<nt>(at<Aliased4>(destination, 4 * i), source[i]);
    }
}

void copy_8(std::uint32_t* destination, const std::uint32_t* source, std::size_t stores) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i != stores; ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, source + 2 * i, sizeof value);
        put<nt>(at<Aliased8>(destination, 8 * i), value);
    }
}

void copy_16(std::uint32_t* destination, const std::uint32_t* source, std::size_t stores) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i != stores; ++i) {
        put<nt>(at<__m128i>(destination, 16 * i),
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + 4 * i)));
    }
}

[[gnu::target("avx")]] void copy_32(std::uint32_t* destination, const std::uint32_t* source,
                                    std::size_t stores) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i != stores; ++i) {
        put<nt>(at<__m256i>(destination, 32 * i),
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + 8 * i)));
    }
}

[[gnu::target("avx512f")]] void copy_64(std::uint32_t* destination, const std::uint32_t* source,
                                        std::size_t stores) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i != stores; ++i) {
        put<nt>(at<__m512i>(destination, 64 * i), _mm512_loadu_si512(source + 16 * i));
    }
}

template <std::size_t lanes, CopyElements wide>
void stream_copy(std::uint32_t* destination, const std::uint32_t* source, std::size_t dwords) {
    const auto misaligned = reinterpret_cast<std::uintptr_t>(destination) / 4 % lanes;
    const std::size_t head = std::min(dwords, (lanes - misaligned) % lanes);
    const std::size_t stores = (dwords - head) / lanes;
    const std::size_t tail = dwords - head - stores * lanes;
    copy_4(destination, source, head);
    wide(destination + head, source + head, stores);
    copy_4(destination + dwords - tail, source + dwords - tail, tail);
}

} // namespace

void copy_through_cache(std::uint32_t* destination, const std::uint32_t* source,
                        std::size_t dwords) {
    constexpr std::size_t piece = 32768 / 4;
    for (std::size_t done = 0; done < dwords; done += piece) {
        std::memcpy(destination + done, source + done, std::min(piece, dwords - done) * 4);
    }
}

CopyDwords find_stream_copy(unsigned width) {
    (void)find_fill({width, nt}); // throws for a width that there is not
    switch (width) {
    case 8:
        return stream_copy<2, copy_8>;
    case 16:
        return stream_copy<4, copy_16>;
    case 32:
        return stream_copy<8, copy_32>;
    case 64:
        return stream_copy<16, copy_64>;
    default:
        return copy_4;
    }
}

} // namespace gem_upload::bench
