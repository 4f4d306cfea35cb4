// Worse than useless: a blitter that moves other pixels than the hardware would, for then
// `--verify` blesses wrong copies or damns right ones. Every copy here is compared byte by byte,
// destination and surroundings, with a copy pixel by pixel whose addresses come from the kernel's
// tiling formula.
#include "core_memory.h"
#include "core_tiling_reference.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>

namespace gem_upload::model {
namespace {

constexpr std::uint32_t end = 0x05000000;
constexpr std::uint64_t destination = 0x1000000;
constexpr std::uint64_t source = 0x2000000;

void fill_at_random(std::vector<std::byte>& bytes, std::uint32_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
        const std::uint64_t value = random();
        std::memcpy(bytes.data() + i, &value, std::min(sizeof value, bytes.size() - i));
    }
}

/// The canonical workload's copy, from the reference page: 1280 x 720 pixels of 32 bits.
std::vector<std::uint32_t> canonical(bool wide) {
    if (wide) {
        return {0x54f00008, 0x03cc1400, 0,      0x02d00500, destination, 0,
                0,          0x1400,     source, 0,          end,         0};
    }
    return {0x54f00006, 0x03cc1400, 0, 0x02d00500, destination, 0, 0x1400, source, end, 0};
}

constexpr std::size_t canonical_bytes = std::size_t{1280} * 720 * 4;

TEST(Canonical, IsCopiedOnEveryChip) {
    for (const ChipModel& chip : chip_models()) {
        TestGpu gpu(chip.name);
        gpu.memory.add(destination, canonical_bytes);
        fill_at_random(gpu.memory.add(source, canonical_bytes), 1);
        EXPECT_EQ(gpu.run(canonical(chip.generation >= 8)), "") << chip.name;
        EXPECT_TRUE(gpu.memory.object(destination) == gpu.memory.object(source)) << chip.name;
    }
}

TEST(Canonical, IsOnePieceForContiguousObjects) {
    TestGpu gpu("g45");
    gpu.memory.add(destination, canonical_bytes);
    gpu.memory.add(source, canonical_bytes);
    EXPECT_EQ(gpu.run(canonical(false)), "");
    EXPECT_EQ(gpu.memory.translations(), 3U); // the batch, the source, the destination
}

TEST(Canonical, WorksPageByPage) {
    TestGpu gpu("bdw", 4096);
    gpu.memory.add(destination, canonical_bytes);
    fill_at_random(gpu.memory.add(source, canonical_bytes), 2);
    EXPECT_EQ(gpu.run(canonical(true)), "");
    EXPECT_TRUE(gpu.memory.object(destination) == gpu.memory.object(source));
}

TEST(Canonical, FaultsAtTheObjectsEnd) {
    TestGpu gpu("g45");
    gpu.memory.add(destination, canonical_bytes - 4096);
    gpu.memory.add(source, canonical_bytes);
    EXPECT_EQ(
        gpu.run(canonical(false)),
        "g45, render engine: XY_SRC_COPY_BLT at dword 0 of the batch at 0x7000000: writing the "
        "destination surface at 0x1000000, pitch 5120, at address 0x1383000 (row 719, byte "
        "1024): nothing is bound there");
    gpu.memory.add(destination, canonical_bytes);
    gpu.memory.add(source, canonical_bytes - 5120);
    EXPECT_EQ(
        gpu.run(canonical(false)),
        "g45, render engine: XY_SRC_COPY_BLT at dword 0 of the batch at 0x7000000: reading the "
        "source surface at 0x2000000, pitch 5120, at address 0x2382c00 (row 719, byte 0): "
        "nothing is bound there");
}

TEST(LinearCopy, CountsItsWidthInBytes) {
    TestGpu gpu("snb");
    gpu.memory.add(destination, 256);
    fill_at_random(gpu.memory.add(source, 512), 3);
    // SRC_COPY_BLT: 40 bytes by 4 rows, pitches 64 and 128.
    EXPECT_EQ(gpu.run({0x50f00004, 0x03cc0040, 0x00040028, destination, 128, source, end, 0}), "");
    for (std::size_t y = 0; y < 4; ++y) {
        for (std::size_t x = 0; x < 64; ++x) {
            const std::byte expected =
                x < 40 ? gpu.memory.object(source)[y * 128 + x] : std::byte{0};
            ASSERT_EQ(gpu.memory.object(destination)[y * 64 + x], expected);
        }
    }
}

TEST(Fill, WritesItsColour) {
    TestGpu g45("g45");
    g45.memory.add(destination, 48);
    EXPECT_EQ(
        g45.run({0x54300004, 0x03f00010, 0x00010001, 0x00030003, destination, 0x44332211, end, 0}),
        "");
    EXPECT_NE(g45.run({0x54300005, 0x03f00010, 0, 0x00010001, destination, 0, 0, end}), "");
    TestGpu bdw("bdw");
    bdw.memory.add(destination, 48);
    EXPECT_EQ(
        bdw.run({0x54300005, 0x03f00010, 0x00010001, 0x00030003, destination, 0, 0x44332211, end}),
        "");
    for (TestGpu* gpu : {&g45, &bdw}) {
        for (std::size_t i = 0; i < 48; ++i) {
            const bool inside = i / 16 >= 1 && i % 16 >= 4 && i % 16 < 12;
            const std::size_t expected = inside ? 0x11 * (i % 4 + 1) : 0;
            ASSERT_EQ(std::to_integer<std::size_t>(gpu->memory.object(destination)[i]), expected)
                << i;
        }
    }
}

TEST(ByteMask, LeavesTheOtherChannelsAlone) {
    TestGpu gpu("g45");
    const auto copied = [&](std::uint32_t channels) {
        gpu.memory.add_dwords(destination, {0xaaaaaaaa, 0xaaaaaaaa});
        gpu.memory.add_dwords(source, {0x12345678, 0x9abcdef0});
        EXPECT_EQ(gpu.run({0x54c00006 | channels << 20U, 0x03cc0008, 0, 0x00010002, destination, 0,
                           8, source, end, 0}),
                  "");
        std::uint32_t second = 0;
        std::memcpy(&second, gpu.memory.object(destination).data() + 4, 4);
        return second;
    };
    EXPECT_EQ(copied(3), 0x9abcdef0U);
    EXPECT_EQ(copied(2), 0x9aaaaaaaU); // alpha
    EXPECT_EQ(copied(1), 0xaabcdef0U); // RGB
}

TEST(Overlap, IsAsIfAllWereReadFirst) {
    constexpr std::size_t size = 4096;
    for (const std::uint32_t shift : {4U, 64U, 68U}) {
        for (const bool up : {false, true}) {
            TestGpu gpu("g45", 96);
            fill_at_random(gpu.memory.add(destination, size), 4);
            const std::vector<std::byte> before = gpu.memory.object(destination);
            const std::uint32_t low = destination;
            const std::uint32_t to = up ? low + shift : low;
            const std::uint32_t from = up ? low : low + shift;
            // 15 pixels by 60 rows of pitch 64.
            ASSERT_EQ(gpu.run({0x54f00006, 0x03cc0040, 0, 0x003c000f, to, 0, 64, from, end, 0}),
                      "");
            std::vector<std::byte> expected = before;
            for (std::size_t y = 0; y < 60; ++y) {
                for (std::size_t x = 0; x < 60; ++x) {
                    expected[to - low + y * 64 + x] = before[from - low + y * 64 + x];
                }
            }
            EXPECT_TRUE(gpu.memory.object(destination) == expected)
                << shift << (up ? " up" : " down");
        }
    }
}

TEST(Overlap, FullPitchCopiesToo) {
    TestGpu gpu("g45", 48);
    fill_at_random(gpu.memory.add(destination, 1024), 5);
    const std::vector<std::byte> before = gpu.memory.object(destination);
    ASSERT_EQ(gpu.run({0x54f00006, 0x03cc0040, 0, 0x000a0010, destination + 128, 0, 64, destination,
                       end, 0}),
              "");
    std::vector<std::byte> expected = before;
    std::copy(before.begin(), before.begin() + 640, expected.begin() + 128);
    EXPECT_TRUE(gpu.memory.object(destination) == expected);
}

TEST(Overlap, IsRefusedWhereTheCommandDoesNotOrderIt) {
    TestGpu snb("snb");
    snb.memory.add(destination, 4096);
    EXPECT_EQ(
        snb.run({0x50f00004, 0x03cc0040, 0x00040040, destination + 64, 64, destination, end, 0}),
        "snb, BLT engine: SRC_COPY_BLT at dword 0 of the batch at 0x7000000: source and "
        "destination overlap, which this command does not order: use XY_SRC_COPY_BLT");
    TestGpu skl("skl");
    skl.memory.add(destination, 4096);
    EXPECT_NE(skl.run({0x50800008, 0x03000040, 0, 0x00040010, destination + 64, 0, 0, 64,
                       destination, 0, end, 0})
                  .find("overlap"),
              std::string::npos);
}

/// One side of a random copy.
struct Side {
    std::uint64_t address;
    Tiling tiling;
    std::uint32_t pitch;
    std::uint32_t x;
    std::uint32_t y;

    [[nodiscard]] std::uint64_t at(const ChipModel& chip, std::uint64_t x_byte,
                                   std::uint64_t row) const {
        const Swizzle swizzle = tiling == Tiling::x ? chip.swizzle_x : chip.swizzle_y;
        return reference_offset(tiling, swizzle, pitch, x_byte, row);
    }
    [[nodiscard]] std::uint32_t pitch_field() const {
        return tiling == Tiling::linear ? pitch : pitch / 4;
    }
};

struct RandomCopy {
    unsigned bytes;
    std::uint32_t width;
    std::uint32_t height;
    Side to;
    Side from;
};

constexpr std::size_t surface_rows = 64;

class RandomCopies : public ::testing::TestWithParam<const char*> {
protected:
    std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>(random_() % limit);
    }

    Side side(std::uint64_t address, const RandomCopy& copy, bool tiled) {
        Side side{address, static_cast<Tiling>(tiled ? below(3) : 0), 0, below(20), below(8)};
        const std::uint32_t row = (side.x + copy.width) * copy.bytes;
        const std::uint32_t multiple = side.tiling == Tiling::linear ? 4
                                       : side.tiling == Tiling::x    ? 512
                                                                     : 128;
        side.pitch = ((row + multiple - 1) / multiple + below(3)) * multiple;
        return side;
    }

    RandomCopy copy(const ChipModel& chip) {
        RandomCopy copy{1U << below(3), 1 + below(300), 1 + below(50), {}, {}};
        const bool tiled = chip.generation >= 6; // where BCS_SWCTRL lets both be X or Y
        copy.to = side(destination, copy, tiled);
        copy.from = side(source, copy, tiled);
        return copy;
    }

    void prepare(TestGpu& gpu, const RandomCopy& copy) {
        fill_at_random(gpu.memory.add(destination, copy.to.pitch * surface_rows), below(1000));
        fill_at_random(gpu.memory.add(source, copy.from.pitch * surface_rows), below(1000));
    }

    static std::vector<std::byte> expected(TestGpu& gpu, const RandomCopy& copy) {
        std::vector<std::byte> pixels = gpu.memory.object(destination);
        const std::vector<std::byte>& from = gpu.memory.object(source);
        for (std::uint64_t y = 0; y < copy.height; ++y) {
            for (std::uint64_t x = 0; x < std::uint64_t{copy.width} * copy.bytes; ++x) {
                pixels[copy.to.at(gpu.chip, std::uint64_t{copy.to.x} * copy.bytes + x,
                                  copy.to.y + y)] =
                    from[copy.from.at(gpu.chip, std::uint64_t{copy.from.x} * copy.bytes + x,
                                      copy.from.y + y)];
            }
        }
        return pixels;
    }

private:
    std::mt19937 random_{7};
};

std::uint32_t corner(std::uint32_t x, std::uint32_t y) {
    return y << 16U | x;
}

std::vector<std::uint32_t> xy_src_copy(const ChipModel& chip, const RandomCopy& copy) {
    const bool wide = chip.generation >= 8;
    const std::uint32_t depth = copy.bytes == 1 ? 0 : copy.bytes == 2 ? 1 : 3;
    std::vector<std::uint32_t> dwords;
    if (chip.blt_ring) {
        const std::uint32_t y =
            (copy.from.tiling == Tiling::y ? 1U : 0U) | (copy.to.tiling == Tiling::y ? 2U : 0U);
        dwords = {0x11000001, 0x22200, 0x00030000 | y};
    }
    dwords.push_back((wide ? 0x54c00008U : 0x54c00006U) | (copy.bytes == 4 ? 0x00300000U : 0U) |
                     (copy.from.tiling != Tiling::linear ? 1U << 15U : 0U) |
                     (copy.to.tiling != Tiling::linear ? 1U << 11U : 0U));
    dwords.push_back(depth << 24U | 0x00cc0000U | copy.to.pitch_field());
    dwords.push_back(corner(copy.to.x, copy.to.y));
    dwords.push_back(corner(copy.to.x + copy.width, copy.to.y + copy.height));
    dwords.push_back(destination);
    if (wide) {
        dwords.push_back(0);
    }
    dwords.push_back(corner(copy.from.x, copy.from.y));
    dwords.push_back(copy.from.pitch_field());
    dwords.push_back(source);
    if (wide) {
        dwords.push_back(0);
    }
    dwords.push_back(end);
    return dwords;
}

TEST_P(RandomCopies, MatchACopyPixelByPixel) {
    for (int i = 0; i < 120; ++i) {
        TestGpu gpu(GetParam(), i % 2 == 0 ? 0 : 4096);
        const RandomCopy random = copy(gpu.chip);
        prepare(gpu, random);
        const std::vector<std::byte> right = expected(gpu, random);
        ASSERT_EQ(gpu.run(xy_src_copy(gpu.chip, random)), "") << i;
        ASSERT_TRUE(gpu.memory.object(destination) == right) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Chips, RandomCopies,
                         ::testing::Values("g33", "g45", "snb", "bdw", "icl", "adls"));

/// As XY_FAST_COPY_BLT wants it: everything at multiples of 16 bytes, and no X tiles on gen12.
void fit_for_fast_copy(const ChipModel& chip, RandomCopy& copy) {
    for (Side* side : {&copy.to, &copy.from}) {
        side->x = side->x / 16 * 16;
        if (side->tiling == Tiling::linear) {
            side->pitch = (side->pitch + 15) / 16 * 16;
        } else if (chip.generation >= 12) {
            side->tiling = Tiling::y;
        }
    }
}

TEST_F(RandomCopies, FastCopiesMatchToo) {
    constexpr std::array chip_names{"skl", "icl", "tgl"};
    for (std::size_t i = 0; i < 240; ++i) {
        TestGpu gpu(chip_names.at(i % 3), i % 2 == 0 ? 0 : 4096);
        RandomCopy random = copy(gpu.chip);
        fit_for_fast_copy(gpu.chip, random);
        prepare(gpu, random);
        const std::vector<std::byte> right = expected(gpu, random);
        const auto tiling = [](Tiling value) { return static_cast<std::uint32_t>(value); };
        const std::uint32_t depth = random.bytes == 1 ? 0 : random.bytes == 2 ? 1 : 3;
        ASSERT_EQ(gpu.run({0x50800008 | tiling(random.from.tiling) << 20U |
                               tiling(random.to.tiling) << 13U,
                           depth << 24U | random.to.pitch_field(), corner(random.to.x, random.to.y),
                           corner(random.to.x + random.width, random.to.y + random.height),
                           destination, 0, corner(random.from.x, random.from.y),
                           random.from.pitch_field(), source, 0, end, 0}),
                  "")
            << i;
        ASSERT_TRUE(gpu.memory.object(destination) == right) << i;
    }
}

TEST_F(RandomCopies, BlockCopiesMatchToo) {
    for (int i = 0; i < 240; ++i) {
        TestGpu gpu("tgl", i % 2 == 0 ? 0 : 4096);
        RandomCopy random = copy(gpu.chip);
        for (Side* side : {&random.to, &random.from}) {
            side->tiling = side->tiling == Tiling::x ? Tiling::y : side->tiling;
        }
        prepare(gpu, random);
        const std::vector<std::byte> right = expected(gpu, random);
        const auto surface = [](const Side& side) {
            return (side.tiling == Tiling::y ? 1U << 30U : 0U) | (side.pitch_field() - 1);
        };
        const std::uint32_t depth = random.bytes == 1 ? 0 : random.bytes == 2 ? 1 : 2;
        ASSERT_EQ(gpu.run({0x5040000a | depth << 19U, surface(random.to),
                           corner(random.to.x, random.to.y),
                           corner(random.to.x + random.width, random.to.y + random.height),
                           destination, 0, 0, corner(random.from.x, random.from.y),
                           surface(random.from), source, 0, 0, end, 0}),
                  "")
            << i;
        ASSERT_TRUE(gpu.memory.object(destination) == right) << i;
    }
}

TEST(BlockCopy, TakesEveryDepth) {
    struct Depth {
        std::uint32_t field;
        std::uint32_t bytes;
    };
    for (const Depth& depth : {Depth{0, 1}, {1, 2}, {2, 4}, {3, 8}, {4, 12}, {5, 16}}) {
        TestGpu gpu("tgl");
        fill_at_random(gpu.memory.add(source, 4096), 3);
        gpu.memory.add(destination, 4096);
        std::vector<std::byte> right(4096);
        // 3 x 2 pixels from (1, 1) to (2, 0), rows of 16 pixels.
        const std::uint32_t pitch = 16 * depth.bytes;
        for (std::size_t row = 0; row < 2; ++row) {
            for (std::size_t byte = 0; byte < std::size_t{3} * depth.bytes; ++byte) {
                right[row * pitch + std::size_t{2} * depth.bytes + byte] =
                    gpu.memory.object(source)[(row + 1) * pitch + depth.bytes + byte];
            }
        }
        ASSERT_EQ(gpu.run({0x5040000a | depth.field << 19U, pitch - 1, corner(2, 0), corner(5, 2),
                           destination, 0, 0, corner(1, 1), pitch - 1, source, 0, 0, end, 0}),
                  "")
            << depth.bytes;
        EXPECT_TRUE(gpu.memory.object(destination) == right) << depth.bytes;
    }
}

TEST(BlockCopy, MayOverlap) {
    TestGpu gpu("tgl");
    fill_at_random(gpu.memory.add(destination, 4096), 4);
    std::vector<std::byte> right = gpu.memory.object(destination);
    std::copy_n(gpu.memory.object(destination).begin(), 512, right.begin() + 64);
    // 16 x 8 pixels, one row down.
    ASSERT_EQ(gpu.run({0x5050000a, 63, corner(0, 1), corner(16, 9), destination, 0, 0, 0, 63,
                       destination, 0, 0, end, 0}),
              "");
    EXPECT_TRUE(gpu.memory.object(destination) == right);
}

TEST(Tiled, G45UsesTheBitsOfTheCommand) {
    TestGpu gpu("g45");
    fill_at_random(gpu.memory.add(source, 8192), 8);
    gpu.memory.add(destination, 8192);
    // 256 x 8 pixels from an X-tiled surface, pitch 1024 bytes = 256 dwords, to a linear one.
    ASSERT_EQ(
        gpu.run({0x54f08006, 0x03cc0400, 0, 0x00080100, destination, 0, 0x100, source, end, 0}),
        "");
    for (std::uint64_t y = 0; y < 8; ++y) {
        for (std::uint64_t x = 0; x < 1024; ++x) {
            ASSERT_EQ(gpu.memory.object(destination)[y * 1024 + x],
                      gpu.memory.object(
                          source)[reference_offset(Tiling::x, Swizzle::bits_9_10, 1024, x, y)]);
        }
    }
}

TEST(Tiled, G33DetilesThroughItsFences) {
    constexpr std::uint32_t mib = 0x100000;
    for (const Tiling tiling : {Tiling::x, Tiling::y}) {
        TestGpu gpu("g33", 4096);
        fill_at_random(gpu.memory.add(source, mib), 9);
        gpu.memory.add(destination, std::size_t{1024} * 100);
        ASSERT_FALSE(gpu.fences.set(3, {source, source + mib - 1, 1024, tiling}));
        // 250 x 100 pixels, from (3, 5) behind the fence.
        ASSERT_EQ(gpu.run({0x54f00006, 0x03cc0400, 0, 0x006400fa, destination, 0x00050003, 1024,
                           source, end, 0}),
                  "");
        const Swizzle swizzle = tiling == Tiling::x ? Swizzle::bits_9_10 : Swizzle::bits_9;
        for (std::uint64_t y = 0; y < 100; ++y) {
            for (std::uint64_t x = 0; x < 1000; ++x) {
                ASSERT_EQ(gpu.memory.object(destination)[y * 1024 + x],
                          gpu.memory.object(
                              source)[reference_offset(tiling, swizzle, 1024, x + 12, y + 5)]);
            }
        }
    }
}

TEST(Tiled, G33OverlapsBehindAFence) {
    constexpr std::uint32_t mib = 0x100000;
    TestGpu gpu("g33");
    fill_at_random(gpu.memory.add(source, mib), 12);
    const std::vector<std::byte> before = gpu.memory.object(source);
    ASSERT_FALSE(gpu.fences.set(0, {source, source + mib - 1, 1024, Tiling::x}));
    // 100 x 60 pixels, from (0, 0) to (5, 2) of the same surface.
    ASSERT_EQ(
        gpu.run({0x54f00006, 0x03cc0400, 0x00020005, 0x003e0069, source, 0, 1024, source, end, 0}),
        "");
    const auto at = [](std::uint64_t x, std::uint64_t y) {
        return reference_offset(Tiling::x, Swizzle::bits_9_10, 1024, x, y);
    };
    std::vector<std::byte> expected = before;
    for (std::uint64_t y = 0; y < 60; ++y) {
        for (std::uint64_t x = 0; x < 400; ++x) {
            expected[at(x + 20, y + 2)] = before[at(x, y)];
        }
    }
    EXPECT_TRUE(gpu.memory.object(source) == expected);
}

TEST(Tiled, LaterBlitsDoNotSeeFences) {
    TestGpu gpu("g45");
    fill_at_random(gpu.memory.add(source, 0x100000), 10);
    gpu.memory.add(destination, 4096);
    ASSERT_FALSE(gpu.fences.set(0, {source, source + 0xfffff, 512, Tiling::x}));
    ASSERT_EQ(
        gpu.run({0x54f00006, 0x03cc0200, 0, 0x00080080, destination, 0, 0x200, source, end, 0}),
        "");
    EXPECT_TRUE(std::equal(gpu.memory.object(destination).begin(),
                           gpu.memory.object(destination).end(),
                           gpu.memory.object(source).begin()));
}

TEST(Tiled, TheTilingControlStaysFromBatchToBatch) {
    TestGpu gpu("snb");
    fill_at_random(gpu.memory.add(source, 4096), 11);
    gpu.memory.add(destination, 4096);
    // 32 x 32 pixels of a tiled source, pitch 128 bytes = 32 dwords: right for Y, too short for X.
    const std::vector<std::uint32_t> copy = {
        0x54f08006, 0x03cc0080, 0, 0x00200020, destination, 0, 32, source, end, 0};
    EXPECT_NE(gpu.run(copy).find("multiple of 512"), std::string::npos);
    EXPECT_EQ(gpu.run({0x11000001, 0x22200, 0x00010001, end}), "");
    EXPECT_EQ(gpu.run(copy), "");
    EXPECT_EQ(gpu.memory.object(destination)[128],
              gpu.memory.object(source)[reference_offset(Tiling::y, Swizzle::bits_9, 128, 0, 1)]);
    gpu.streamer.reset();
    EXPECT_NE(gpu.run(copy).find("multiple of 512"), std::string::npos);
}

} // namespace
} // namespace gem_upload::model
