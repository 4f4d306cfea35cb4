#include "bench/ceiling.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <immintrin.h>
#include <numeric>
#include <vector>

namespace gem_upload::bench {
namespace {

// All sizes are multiples of 2 MiB, and all addresses of a page.
using Kernel = void (*)(char* destination, const char* source, std::size_t bytes);

struct Candidate {
    std::string_view code;
    bool CpuFeatures::*needs; ///< nullptr: every x86-64 CPU has it
    Kernel run;
};

// No byte repeats, so that no compiler makes a memset of it; and never zero, because memory can be
// faster for zeros (by half on an EPYC of 2021: 23 against 14.6 GB/s of non-temporal stores).
constexpr int pattern = 0x1badb002;

void stream_fill_sse2(char* destination, const char* /*source*/, std::size_t bytes) {
    const __m128i value = _mm_set1_epi32(pattern);
    for (char* line = destination; line != destination + bytes; line += 64) {
        auto* place = reinterpret_cast<__m128i*>(line);
        _mm_stream_si128(place, value);
        _mm_stream_si128(place + 1, value);
        _mm_stream_si128(place + 2, value);
        _mm_stream_si128(place + 3, value);
    }
    _mm_sfence();
}

[[gnu::target("avx")]] void stream_fill_avx(char* destination, const char* /*source*/,
                                            std::size_t bytes) {
    const __m256i value = _mm256_set1_epi32(pattern);
    for (char* line = destination; line != destination + bytes; line += 128) {
        auto* place = reinterpret_cast<__m256i*>(line);
        _mm256_stream_si256(place, value);
        _mm256_stream_si256(place + 1, value);
        _mm256_stream_si256(place + 2, value);
        _mm256_stream_si256(place + 3, value);
    }
    _mm_sfence();
}

[[gnu::target("avx512f")]] void stream_fill_avx512(char* destination, const char* /*source*/,
                                                   std::size_t bytes) {
    const __m512i value = _mm512_set1_epi32(pattern);
    for (char* line = destination; line != destination + bytes; line += 128) {
        auto* place = reinterpret_cast<__m512i*>(line);
        _mm512_stream_si512(place, value);
        _mm512_stream_si512(place + 1, value);
    }
    _mm_sfence();
}

void fill_string(char* destination, const char* /*source*/, std::size_t bytes) {
    asm volatile("rep stosb" : "+D"(destination), "+c"(bytes) : "a"(0x5a) : "memory");
}

void fill_sse2(char* destination, const char* /*source*/, std::size_t bytes) {
    const __m128i value = _mm_set1_epi32(pattern);
    for (char* line = destination; line != destination + bytes; line += 64) {
        auto* place = reinterpret_cast<__m128i*>(line);
        _mm_store_si128(place, value);
        _mm_store_si128(place + 1, value);
        _mm_store_si128(place + 2, value);
        _mm_store_si128(place + 3, value);
    }
}

[[gnu::target("avx")]] void fill_avx(char* destination, const char* /*source*/, std::size_t bytes) {
    const __m256i value = _mm256_set1_epi32(pattern);
    for (char* line = destination; line != destination + bytes; line += 128) {
        auto* place = reinterpret_cast<__m256i*>(line);
        _mm256_store_si256(place, value);
        _mm256_store_si256(place + 1, value);
        _mm256_store_si256(place + 2, value);
        _mm256_store_si256(place + 3, value);
    }
}

[[gnu::target("avx512f")]] void fill_avx512(char* destination, const char* /*source*/,
                                            std::size_t bytes) {
    const __m512i value = _mm512_set1_epi32(pattern);
    for (char* line = destination; line != destination + bytes; line += 128) {
        auto* place = reinterpret_cast<__m512i*>(line);
        _mm512_store_si512(place, value);
        _mm512_store_si512(place + 1, value);
    }
}

void copy_string(char* destination, const char* source, std::size_t bytes) {
    asm volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(bytes) : : "memory");
}

void copy_sse2(char* destination, const char* source, std::size_t bytes) {
    for (std::size_t offset = 0; offset != bytes; offset += 32) {
        const auto* from = reinterpret_cast<const __m128i*>(source + offset);
        auto* to = reinterpret_cast<__m128i*>(destination + offset);
        const __m128i low = _mm_load_si128(from);
        const __m128i high = _mm_load_si128(from + 1);
        _mm_store_si128(to, low);
        _mm_store_si128(to + 1, high);
    }
}

void stream_copy_sse2(char* destination, const char* source, std::size_t bytes) {
    for (std::size_t offset = 0; offset != bytes; offset += 64) {
        const auto* from = reinterpret_cast<const __m128i*>(source + offset);
        auto* to = reinterpret_cast<__m128i*>(destination + offset);
        const __m128i first = _mm_load_si128(from);
        const __m128i second = _mm_load_si128(from + 1);
        const __m128i third = _mm_load_si128(from + 2);
        const __m128i fourth = _mm_load_si128(from + 3);
        _mm_stream_si128(to, first);
        _mm_stream_si128(to + 1, second);
        _mm_stream_si128(to + 2, third);
        _mm_stream_si128(to + 3, fourth);
    }
    _mm_sfence();
}

[[gnu::target("avx")]] void copy_avx(char* destination, const char* source, std::size_t bytes) {
    for (std::size_t offset = 0; offset != bytes; offset += 64) {
        const auto* from = reinterpret_cast<const __m256i*>(source + offset);
        auto* to = reinterpret_cast<__m256i*>(destination + offset);
        const __m256i low = _mm256_load_si256(from);
        const __m256i high = _mm256_load_si256(from + 1);
        _mm256_store_si256(to, low);
        _mm256_store_si256(to + 1, high);
    }
}

[[gnu::target("avx")]] void stream_copy_avx(char* destination, const char* source,
                                            std::size_t bytes) {
    for (std::size_t offset = 0; offset != bytes; offset += 64) {
        const auto* from = reinterpret_cast<const __m256i*>(source + offset);
        auto* to = reinterpret_cast<__m256i*>(destination + offset);
        const __m256i low = _mm256_load_si256(from);
        const __m256i high = _mm256_load_si256(from + 1);
        _mm256_stream_si256(to, low);
        _mm256_stream_si256(to + 1, high);
    }
    _mm_sfence();
}

constexpr std::array non_temporal_fills = {
    Candidate{"SSE2, 16 bytes", nullptr, stream_fill_sse2},
    Candidate{"AVX, 32 bytes", &CpuFeatures::avx, stream_fill_avx},
    Candidate{"AVX-512, 64 bytes", &CpuFeatures::avx512f, stream_fill_avx512},
};
constexpr std::array plain_fills = {
    Candidate{"rep stosb", nullptr, fill_string},
    Candidate{"SSE2, 16 bytes", nullptr, fill_sse2},
    Candidate{"AVX, 32 bytes", &CpuFeatures::avx, fill_avx},
    Candidate{"AVX-512, 64 bytes", &CpuFeatures::avx512f, fill_avx512},
};
constexpr std::array copies = {
    Candidate{"rep movsb", nullptr, copy_string},
    Candidate{"SSE2, 16 bytes", nullptr, copy_sse2},
    Candidate{"SSE2, 16 bytes non-temporal", nullptr, stream_copy_sse2},
    Candidate{"AVX, 32 bytes", &CpuFeatures::avx, copy_avx},
    Candidate{"AVX, 32 bytes non-temporal", &CpuFeatures::avx, stream_copy_avx},
};

/// One sweep of a candidate, in MB/s.
template <typename Sweep>
double measure(const Candidate& candidate, std::size_t bytes, Sweep sweep) {
    const auto start = std::chrono::steady_clock::now();
    sweep(candidate.run);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return static_cast<double>(bytes) / 1048576.0 / taken.count();
}

template <typename Sweep>
Ceiling best_of(std::span<const Candidate> candidates, const CpuFeatures& features,
                std::size_t bytes, unsigned sweeps, Sweep sweep) {
    const Candidate* best = &candidates.front();
    double highest = 0;
    for (const Candidate& candidate : candidates) {
        if (candidate.needs != nullptr && !(features.*candidate.needs)) {
            continue;
        }
        const double speed = measure(candidate, bytes, sweep);
        if (speed > highest) {
            highest = speed;
            best = &candidate;
        }
    }
    std::vector<double> speeds(std::max(sweeps, 1U));
    for (double& speed : speeds) {
        speed = measure(*best, bytes, sweep);
    }
    const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
    std::nth_element(speeds.begin(), middle, speeds.end());
    return {best->code, *middle};
}

} // namespace

CeilingMeter::CeilingMeter(std::span<std::uint32_t> memory, const CpuFeatures& features,
                           unsigned sweeps)
    : memory_(memory), features_(features), sweeps_(sweeps) {}

Ceiling CeilingMeter::non_temporal_fill() const {
    auto* start = reinterpret_cast<char*>(memory_.data());
    const std::size_t bytes = memory_.size_bytes();
    return best_of(non_temporal_fills, features_, bytes, sweeps_,
                   [=](Kernel run) { run(start, nullptr, bytes); });
}

Ceiling CeilingMeter::plain_fill() const {
    auto* start = reinterpret_cast<char*>(memory_.data());
    const std::size_t bytes = memory_.size_bytes();
    return best_of(plain_fills, features_, bytes, sweeps_,
                   [=](Kernel run) { run(start, nullptr, bytes); });
}

Ceiling CeilingMeter::copy_from_cache() const {
    constexpr std::size_t piece = 32768;
    alignas(64) std::array<int, piece / sizeof(int)> source{};
    std::iota(source.begin(), source.end(), pattern);
    auto* start = reinterpret_cast<char*>(memory_.data());
    const std::size_t bytes = memory_.size_bytes();
    return best_of(copies, features_, bytes, sweeps_, [&](Kernel run) {
        for (std::size_t offset = 0; offset != bytes; offset += piece) {
            run(start + offset, reinterpret_cast<const char*>(source.data()), piece);
        }
    });
}

Ceiling CeilingMeter::copy_in_memory() const {
    auto* start = reinterpret_cast<char*>(memory_.data());
    const std::size_t half = memory_.size_bytes() / 2;
    return best_of(copies, features_, half, sweeps_,
                   [=](Kernel run) { run(start + half, start, half); });
}

} // namespace gem_upload::bench
