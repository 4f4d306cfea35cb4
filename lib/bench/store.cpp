#include "bench/store.h"

#include "bench/store_instruction.h"
#include "util/error.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <immintrin.h>

namespace gem_upload::bench {
namespace {

// Each width's loop is its own function, because the target attribute is a function's.

// Unrolled, as all loops are here: one store a turn runs at half the speed on Zen 3, and at one
// that depends on where the linker put the loop. Only this loop lies in every canonical result, so
// only it is unrolled by hand, which saves the comparison between stores.
template <StoreType type>
std::uint32_t store_4(std::uint32_t* destination, std::size_t stores, std::size_t stride,
                      std::uint32_t next) {
    for (; stores >= 4; stores -= 4, next += 4) {
        put<type>(at<Aliased4>(destination, 0), next);
        put<type>(at<Aliased4>(destination, stride), next + 1);
        put<type>(at<Aliased4>(destination, 2 * stride), next + 2);
        put<type>(at<Aliased4>(destination, 3 * stride), next + 3);
        destination = at<std::uint32_t>(destination, 4 * stride);
    }
    for (; stores != 0; --stores, ++next) {
        put<type>(at<Aliased4>(destination, 0), next);
        destination = at<std::uint32_t>(destination, stride);
    }
    return next;
}

// Two counters share a register; it is loaded afresh before the lower one's carry would spill over.
template <StoreType type>
std::uint32_t store_8(std::uint32_t* destination, std::size_t stores, std::size_t stride,
                      std::uint32_t next) {
    constexpr std::uint64_t step = 0x0000'0002'0000'0002;
    while (stores != 0) {
        const std::uint64_t until_wrap = ((std::uint64_t{1} << 32) - next + 1) / 2;
        const std::size_t run = std::min<std::size_t>(stores, until_wrap);
        std::uint64_t pair = next | std::uint64_t{next + 1U} << 32;
        const std::size_t end = run * stride;
#pragma GCC unroll 4
        for (std::size_t offset = 0; offset != end; offset += stride, pair += step) {
            put<type>(at<Aliased8>(destination, offset), pair);
        }
        destination = at<std::uint32_t>(destination, end);
        next += static_cast<std::uint32_t>(run) * 2;
        stores -= run;
    }
    return next;
}

__m128i four_from(std::uint32_t first) {
    return _mm_add_epi32(_mm_set1_epi32(static_cast<int>(first)), _mm_setr_epi32(0, 1, 2, 3));
}

template <StoreType type>
std::uint32_t store_16(std::uint32_t* destination, std::size_t stores, std::size_t stride,
                       std::uint32_t next) {
    const __m128i step = _mm_set1_epi32(4);
    __m128i value = four_from(next);
    const std::size_t end = stores * stride;
#pragma GCC unroll 4
    for (std::size_t offset = 0; offset != end; offset += stride) {
        put<type>(at<__m128i>(destination, offset), value);
        value = _mm_add_epi32(value, step);
    }
    return next + static_cast<std::uint32_t>(stores) * 4;
}

// AVX adds integers only in halves, and Sandy and Ivy Bridge have no AVX2.
template <StoreType type>
[[gnu::target("avx")]] std::uint32_t store_32(std::uint32_t* destination, std::size_t stores,
                                              std::size_t stride, std::uint32_t next) {
    const __m128i step = _mm_set1_epi32(8);
    __m128i low = four_from(next);
    __m128i high = four_from(next + 4);
    const std::size_t end = stores * stride;
#pragma GCC unroll 4
    for (std::size_t offset = 0; offset != end; offset += stride) {
        const __m256i value = _mm256_set_m128i(high, low);
        put<type>(at<__m256i>(destination, offset), value);
        low = _mm_add_epi32(low, step);
        high = _mm_add_epi32(high, step);
    }
    return next + static_cast<std::uint32_t>(stores) * 8;
}

template <StoreType type>
[[gnu::target("avx512f")]] std::uint32_t store_64(std::uint32_t* destination, std::size_t stores,
                                                  std::size_t stride, std::uint32_t next) {
    const __m512i step = _mm512_set1_epi32(16);
    __m512i value =
        _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(next)),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const std::size_t end = stores * stride;
#pragma GCC unroll 4
    for (std::size_t offset = 0; offset != end; offset += stride) {
        put<type>(at<__m512i>(destination, offset), value);
        value = _mm512_add_epi32(value, step);
    }
    return next + static_cast<std::uint32_t>(stores) * 16;
}

template <unsigned width, StoreType type, StrideCounter wide>
std::uint32_t fill(std::uint32_t* destination, std::size_t dwords, std::uint32_t first) {
    constexpr std::size_t lanes = width / 4;
    const auto misaligned = reinterpret_cast<std::uintptr_t>(destination) / 4 % lanes;
    const std::size_t head = std::min(dwords, (lanes - misaligned) % lanes);
    const std::size_t stores = (dwords - head) / lanes;
    const std::size_t tail = dwords - head - stores * lanes;
    std::uint32_t next = store_4<type>(destination, head, 4, first);
    next = wide(destination + head, stores, width, next);
    return store_4<type>(destination + dwords - tail, tail, 4, next);
}

struct Functions {
    StoreKind kind;
    FillCounter fill;
    StrideCounter stride;
};

template <unsigned width, StoreType type, StrideCounter wide>
constexpr Functions functions() {
    return {{width, type}, fill<width, type, wide>, wide};
}

constexpr auto plain = StoreType::plain;
constexpr auto non_temporal = StoreType::non_temporal;
constexpr std::array all_functions = {
    functions<4, plain, store_4<plain>>(),
    functions<8, plain, store_8<plain>>(),
    functions<16, plain, store_16<plain>>(),
    functions<32, plain, store_32<plain>>(),
    functions<64, plain, store_64<plain>>(),
    functions<4, non_temporal, store_4<non_temporal>>(),
    functions<8, non_temporal, store_8<non_temporal>>(),
    functions<16, non_temporal, store_16<non_temporal>>(),
    functions<32, non_temporal, store_32<non_temporal>>(),
    functions<64, non_temporal, store_64<non_temporal>>(),
};

const Functions& find_functions(StoreKind kind) {
    const auto* const found =
        std::find_if(all_functions.begin(), all_functions.end(),
                     [kind](const Functions& candidate) { return candidate.kind == kind; });
    if (found == all_functions.end()) {
        throw usage_error(
            fmt::format("--store {}: stores are 4, 8, 16, 32 or 64 bytes wide; choose one of these",
                        kind.width));
    }
    if (const auto missing = missing_for_store(kind, read_cpu_features())) {
        throw cannot_measure(*missing);
    }
    return *found;
}

} // namespace

std::optional<std::string> missing_for_store(StoreKind kind, const CpuFeatures& features) {
    if (kind.width == 64 && !features.avx512f) {
        return "this CPU (or its operating system) offers no AVX-512F, which 64-byte stores need; "
               "choose --store 32 or narrower";
    }
    if (kind.width == 32 && !features.avx) {
        return "this CPU (or its operating system) offers no AVX, which 32-byte stores need; "
               "choose --store 16 or narrower";
    }
    return std::nullopt;
}

FillCounter find_fill(StoreKind kind) {
    return find_functions(kind).fill;
}

StrideCounter find_stride(StoreKind kind) {
    return find_functions(kind).stride;
}

void store_fence() {
    _mm_sfence();
}

} // namespace gem_upload::bench
