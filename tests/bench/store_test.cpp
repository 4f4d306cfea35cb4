// Worse than useless: a store that writes other bytes than those it claims to (the result would
// count bytes that were never written), that is wider than it says (the result would belong to
// another instruction), or a width that turns silently into one that this CPU has.
#include "bench/store.h"

#include "util/error.h"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <vector>

namespace gem_upload::bench {
namespace {

constexpr std::uint32_t guard = 0xfeedfaceU;
constexpr std::size_t guards = 32; // dwords on either side, more than the widest store

std::vector<StoreKind> kinds_of_this_cpu() {
    std::vector<StoreKind> kinds;
    for (const StoreType type : {StoreType::plain, StoreType::non_temporal}) {
        for (const unsigned width : {4U, 8U, 16U, 32U, 64U}) {
            const StoreKind kind{width, type};
            if (!missing_for_store(kind, read_cpu_features())) {
                kinds.push_back(kind);
            }
        }
    }
    return kinds;
}

std::string name_of(StoreKind kind) {
    return fmt::format("{} bytes {}", kind.width, kind.type == StoreType::plain ? "plain" : "nt");
}

// Memory aligned to the widest store, in dwords, all guard.
class Memory {
public:
    explicit Memory(std::size_t dwords) : dwords_(dwords), memory_(dwords + 16, guard) {
        const auto misaligned = reinterpret_cast<std::uintptr_t>(memory_.data()) / 4 % 16;
        start_ = memory_.data() + (16 - misaligned) % 16;
    }
    [[nodiscard]] std::uint32_t* start() { return start_; }
    [[nodiscard]] std::vector<std::uint32_t> contents() const { return {start_, start_ + dwords_}; }

private:
    std::size_t dwords_;
    std::vector<std::uint32_t> memory_;
    std::uint32_t* start_;
};

void expect_fill(StoreKind kind, std::size_t offset, std::size_t dwords, std::uint32_t first) {
    Memory memory(guards + offset + dwords + guards);
    std::vector<std::uint32_t> expected(guards + offset + dwords + guards, guard);
    for (std::size_t i = 0; i < dwords; ++i) {
        expected[guards + offset + i] = first + static_cast<std::uint32_t>(i);
    }
    const std::uint32_t next = find_fill(kind)(memory.start() + guards + offset, dwords, first);
    store_fence();
    ASSERT_EQ(next, first + static_cast<std::uint32_t>(dwords));
    ASSERT_EQ(memory.contents(), expected)
        << name_of(kind) << " at dword " << offset << ", " << dwords << " dwords from " << first;
}

TEST(Store, FillsExactlyItsDwordsAtEveryAlignmentAndLength) {
    for (const StoreKind kind : kinds_of_this_cpu()) {
        for (std::size_t offset = 0; offset < 16; ++offset) {
            for (std::size_t dwords = 0; dwords < 70; ++dwords) {
                expect_fill(kind, offset, dwords, 1);
            }
        }
    }
}

TEST(Store, CounterRunsOnWhereItWrapsAround) {
    for (const StoreKind kind : kinds_of_this_cpu()) {
        for (std::uint32_t before = 0; before < 40; ++before) {
            expect_fill(kind, before % 16, 64, 0U - before);
        }
    }
}

TEST(Store, StridedStoresLeaveWhatLiesBetweenThem) {
    for (const StoreKind kind : kinds_of_this_cpu()) {
        const std::size_t width = kind.width / 4;
        for (std::size_t stride = width; stride <= 1024; stride += stride < 64 ? width : 480) {
            for (const std::size_t stores : {0U, 1U, 2U, 3U, 4U, 5U, 9U}) {
                const std::size_t dwords = guards + stores * stride + guards;
                Memory memory(dwords);
                std::vector<std::uint32_t> expected(dwords, guard);
                std::uint32_t value = 0xfffffff0U; // wraps in the middle of it
                for (std::size_t store = 0; store < stores; ++store) {
                    for (std::size_t lane = 0; lane < width; ++lane) {
                        expected[guards + store * stride + lane] = value++;
                    }
                }
                const auto next =
                    find_stride(kind)(memory.start() + guards, stores, stride * 4, 0xfffffff0U);
                store_fence();
                ASSERT_EQ(next, value);
                ASSERT_EQ(memory.contents(), expected)
                    << name_of(kind) << ", " << stores << " stores, stride " << stride * 4;
            }
        }
    }
}

TEST(Store, EveryX8664CpuHasTheNarrowKinds) {
    const CpuFeatures nothing;
    for (const unsigned width : {4U, 8U, 16U}) {
        EXPECT_EQ(missing_for_store({width, StoreType::plain}, nothing), std::nullopt);
        EXPECT_EQ(missing_for_store({width, StoreType::non_temporal}, nothing), std::nullopt);
    }
}

TEST(Store, WhatTheCpuLacksIsNamed) {
    CpuFeatures features;
    EXPECT_NE(missing_for_store({32, StoreType::plain}, features)->find("no AVX,"),
              std::string::npos);
    features.avx = true;
    EXPECT_EQ(missing_for_store({32, StoreType::plain}, features), std::nullopt);
    EXPECT_NE(missing_for_store({64, StoreType::plain}, features)->find("no AVX-512F"),
              std::string::npos);
    features.avx512f = true;
    EXPECT_EQ(missing_for_store({64, StoreType::non_temporal}, features), std::nullopt);
}

TEST(Store, AWidthThatThisCpuLacksCannotBeMeasured) {
    const StoreKind widest{64, StoreType::plain};
    if (read_cpu_features().avx512f) {
        EXPECT_NO_THROW((void)find_fill(widest));
        return;
    }
    try {
        (void)find_fill(widest);
        FAIL() << "64-byte stores turned into something else";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::skipped);
    }
}

TEST(Store, AWidthThatDoesNotExistIsAUsageError) {
    for (const unsigned width : {0U, 1U, 2U, 3U, 5U, 12U, 128U, 4000000000U}) {
        try {
            (void)find_stride({width, StoreType::plain});
            FAIL() << width;
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), Exit::usage);
        }
    }
}

} // namespace
} // namespace gem_upload::bench
