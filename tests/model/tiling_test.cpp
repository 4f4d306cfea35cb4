// Worse than useless: a tiling formula that agrees with itself in both directions but not with the
// hardware, for then a wrong layout goes round trip without a trace. So the values come from the
// kernel's formula and, by hand, from the PRM's picture of a tile.
#include "core_tiling_reference.h"

#include "model/fences.h"
#include "model/tiling.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace gem_upload::model {
namespace {

constexpr Swizzle swizzles[] = {Swizzle::none, Swizzle::bits_9, Swizzle::bits_9_10,
                                Swizzle::bits_9_11, Swizzle::bits_9_10_11};

std::uint64_t offset(Tiling tiling, std::uint32_t pitch, std::uint64_t x, std::uint64_t y) {
    return tiled_place(tiling, Swizzle::none, pitch, x, y).offset;
}

TEST(Tiling, XTilesAreRowsOf512Bytes) {
    EXPECT_EQ(offset(Tiling::x, 1024, 511, 0), 511U);
    EXPECT_EQ(offset(Tiling::x, 1024, 0, 1), 512U);
    EXPECT_EQ(offset(Tiling::x, 1024, 512, 0), 4096U);
    EXPECT_EQ(offset(Tiling::x, 1024, 512, 7), 4096U + 7 * 512);
    EXPECT_EQ(offset(Tiling::x, 1024, 0, 8), 8192U);
}

TEST(Tiling, YTilesAreColumnsOf16Bytes) {
    EXPECT_EQ(offset(Tiling::y, 256, 15, 0), 15U);
    EXPECT_EQ(offset(Tiling::y, 256, 0, 1), 16U);
    EXPECT_EQ(offset(Tiling::y, 256, 16, 0), 512U);
    EXPECT_EQ(offset(Tiling::y, 256, 127, 31), 4095U);
    EXPECT_EQ(offset(Tiling::y, 256, 128, 0), 4096U);
    EXPECT_EQ(offset(Tiling::y, 256, 0, 32), 8192U);
}

TEST(Tiling, AgreesWithTheKernelsFormula) {
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        const Tiling tiling = random() % 2 == 0 ? Tiling::x : Tiling::y;
        const Swizzle swizzle = swizzles[random() % std::size(swizzles)];
        const auto pitch = static_cast<std::uint32_t>(512 * (1 + random() % 40));
        const std::uint64_t x = random() % pitch;
        const std::uint64_t y = random() % 5000;
        ASSERT_EQ(tiled_place(tiling, swizzle, pitch, x, y).offset,
                  reference_offset(tiling, swizzle, pitch, x, y))
            << "x " << x << " y " << y << " pitch " << pitch;
    }
}

TEST(Tiling, EveryByteHasItsOwnPlaceAndRunsAreContiguous) {
    constexpr std::uint32_t pitch = 1024;
    constexpr std::uint32_t rows = 64;
    for (const Tiling tiling : {Tiling::x, Tiling::y}) {
        for (const Swizzle swizzle : swizzles) {
            std::vector<bool> taken(pitch * rows);
            for (std::uint32_t y = 0; y < rows; ++y) {
                std::uint64_t run = 0;
                std::uint64_t next = 0;
                for (std::uint32_t x = 0; x < pitch; ++x, --run, ++next) {
                    const Place place = tiled_place(tiling, swizzle, pitch, x, y);
                    if (run == 0) {
                        run = place.contiguous;
                        next = place.offset;
                    }
                    ASSERT_GT(run, 0U);
                    ASSERT_EQ(place.offset, next);
                    ASSERT_LT(place.offset, taken.size());
                    ASSERT_FALSE(taken[place.offset]);
                    taken[place.offset] = true;
                }
            }
        }
    }
}

TEST(Tiling, SwizzlingIsItsOwnInverse) {
    for (const Swizzle swizzle : swizzles) {
        for (std::uint64_t address = 0; address < 8192; ++address) {
            ASSERT_EQ(swizzled(swizzled(address, swizzle), swizzle), address);
        }
    }
    EXPECT_EQ(swizzled(0x200, Swizzle::bits_9), 0x240U);
    EXPECT_EQ(swizzled(0x600, Swizzle::bits_9_10), 0x600U);
    EXPECT_EQ(swizzled(0xa00, Swizzle::bits_9_11), 0xa00U);
    EXPECT_EQ(swizzled(0xe00, Swizzle::bits_9_10_11), 0xe40U);
}

class Fences : public ::testing::Test {
protected:
    static std::string set(FenceRegisters& registers, const Fence& fence) {
        const auto fault = registers.set(0, fence);
        return fault ? fault->what : "";
    }
    FenceRegisters g33{*find_chip_model("g33")};
    FenceRegisters g45{*find_chip_model("g45")};
    FenceRegisters bdw{*find_chip_model("bdw")};
};

TEST_F(Fences, DetileWhatLiesBehindThem) {
    constexpr std::uint64_t first = 0x400000;
    ASSERT_EQ(set(g33, {first, first + 0xfffff, 2048, Tiling::x}), "");
    const Swizzle swizzle = find_chip_model("g33")->swizzle_x;
    for (std::uint64_t offset : {0U, 1U, 511U, 512U, 2047U, 2048U, 0x12345U, 0xfffffU}) {
        EXPECT_EQ(g33.detile(first + offset).offset,
                  first + reference_offset(Tiling::x, swizzle, 2048, offset % 2048, offset / 2048));
    }
}

TEST_F(Fences, LeaveOtherAddressesAloneUpToTheNextFence) {
    ASSERT_EQ(set(g33, {0x400000, 0x4fffff, 2048, Tiling::x}), "");
    EXPECT_EQ(g33.detile(0x3ffff0).offset, 0x3ffff0U);
    EXPECT_EQ(g33.detile(0x3ffff0).contiguous, 16U);
    EXPECT_EQ(g33.detile(0x500000).offset, 0x500000U);
    EXPECT_EQ(g33.find(0x3fffff), nullptr);
    EXPECT_NE(g33.find(0x4fffff), nullptr);
    g33.clear(0);
    EXPECT_EQ(g33.find(0x4fffff), nullptr);
    EXPECT_EQ(g33.detile(0x400600).offset, 0x400600U);
}

TEST_F(Fences, RefuseWhatTheRegistersCannotHold) {
    EXPECT_EQ(
        set(g33, {0x400000, 0x4fffff, 1536, Tiling::x}),
        "g33: a fence over 0x400000 to 0x4fffff, X tiled, pitch 1536: the pitch must be a power "
        "of two up to gen3");
    EXPECT_EQ(set(g45, {0x400000, 0x4fffff, 1536, Tiling::x}), "");
    EXPECT_EQ(set(g33, {0x400000, 0x4fffff, 16384, Tiling::x}),
              "g33: a fence over 0x400000 to 0x4fffff, X tiled, pitch 16384: the pitch must be a "
              "multiple of 512 up to 8192");
    EXPECT_EQ(set(g45, {0x400000, 0x4fffff, 131072, Tiling::x}), "");
    EXPECT_NE(set(g45, {0x400000, 0x4fffff, 131072 + 512, Tiling::x}), "");
    EXPECT_EQ(set(bdw, {0x400000, 0x4fffff, 262144, Tiling::x}), "");
    EXPECT_NE(set(bdw, {0x400000, 0x4fffff, 262144 + 512, Tiling::x}), "");
    EXPECT_NE(set(g33, {0x480000, 0x4fffff, 2048, Tiling::x}), ""); // 512 KiB
    EXPECT_NE(set(g33, {0x480000, 0x57ffff, 2048, Tiling::x}), ""); // not aligned to its size
    EXPECT_EQ(set(g45, {0x480000, 0x57ffff, 2048, Tiling::x}), "");
    EXPECT_NE(set(g45, {0x480800, 0x57ffff, 2048, Tiling::x}), "");
    EXPECT_NE(set(g45, {0x400000, 0x4fffff, 2048, Tiling::linear}), "");
    EXPECT_NE(set(g45, {0x400000, 0x4fffff, 0, Tiling::y}), "");
    EXPECT_EQ(set(g45, {0x400000, 0x4fffff, 128, Tiling::y}), "");
    EXPECT_NE(set(g45, {0x400000, 0x3fffff, 512, Tiling::x}), "");
    EXPECT_EQ(g33.set(16, {0x400000, 0x4fffff, 2048, Tiling::x})->what,
              "g33: there is no fence register 16, the chip has 16");
}

} // namespace
} // namespace gem_upload::model
