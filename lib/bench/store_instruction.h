// The store instructions themselves, for the loops that measure them.
#pragma once

#include "bench/store.h"

#include <cstdint>
#include <immintrin.h>

namespace gem_upload::bench {

// Assembly, so that no compiler can widen, merge or drop a store, at any optimisation level.
// `may_alias`, because memory that was written as vectors is read back as dwords.
using Aliased4 [[gnu::may_alias]] = std::uint32_t;
using Aliased8 [[gnu::may_alias]] = std::uint64_t;

/// The place `bytes` after `base`.
template <typename Value>
[[gnu::always_inline]] inline Value* at(std::uint32_t* base, std::size_t bytes) {
    return reinterpret_cast<Value*>(reinterpret_cast<std::uintptr_t>(base) + bytes);
}

/// Exactly one store instruction, as wide as the value: mov or movnti.
template <StoreType type>
[[gnu::always_inline]] inline void put(Aliased4* place, std::uint32_t value) {
    if constexpr (type == StoreType::plain) {
        asm volatile("movl %1, %0" : "=m"(*place) : "r"(value));
    } else {
        asm volatile("movntil %1, %0" : "=m"(*place) : "r"(value));
    }
}

/// mov or movnti.
template <StoreType type>
[[gnu::always_inline]] inline void put(Aliased8* place, std::uint64_t value) {
    if constexpr (type == StoreType::plain) {
        asm volatile("movq %1, %0" : "=m"(*place) : "r"(value));
    } else {
        asm volatile("movntiq %1, %0" : "=m"(*place) : "r"(value));
    }
}

/// movdqa or movntdq.
template <StoreType type>
[[gnu::always_inline]] inline void put(__m128i* place, __m128i value) {
    if constexpr (type == StoreType::plain) {
        asm volatile("movdqa %1, %0" : "=m"(*place) : "x"(value));
    } else {
        asm volatile("movntdq %1, %0" : "=m"(*place) : "x"(value));
    }
}

/// vmovdqa or vmovntdq.
template <StoreType type>
[[gnu::always_inline, gnu::target("avx")]] inline void put(__m256i* place, __m256i value) {
    if constexpr (type == StoreType::plain) {
        asm volatile("vmovdqa %1, %0" : "=m"(*place) : "x"(value));
    } else {
        asm volatile("vmovntdq %1, %0" : "=m"(*place) : "x"(value));
    }
}

/// vmovdqa32 or vmovntdq.
template <StoreType type>
[[gnu::always_inline, gnu::target("avx512f")]] inline void put(__m512i* place, __m512i value) {
    if constexpr (type == StoreType::plain) {
        asm volatile("vmovdqa32 %1, %0" : "=m"(*place) : "v"(value));
    } else {
        asm volatile("vmovntdq %1, %0" : "=m"(*place) : "v"(value));
    }
}

} // namespace gem_upload::bench
