// What would make memory worse than useless: an access that lands in the wrong page or the wrong
// byte and looks right because writing and reading err alike; fences, swizzling or page tables that
// are right only in the cases that the driver happens to use today.
#include "pci_board.h"

#include <gtest/gtest.h>

namespace gem_upload::model::pci {
namespace {

class Memory : public testing::TestWithParam<const BoardLayout*> {};
INSTANTIATE_TEST_SUITE_P(Chips, Memory, testing::Values(&g33_layout, &snb_layout),
                         [](const auto& chip) { return std::string(chip.param->chip); });

constexpr unsigned aperture = 2;

/// Where byte (X, Y) of an X-tiled surface lies: tiles of 8 rows of 512 bytes; with swizzling bits
/// 9 and 10 are folded into bit 6. Source: G45 PRM volume 1a, "Tiled Memory".
std::uint32_t x_tiled(std::uint32_t pitch, std::uint32_t x, std::uint32_t y, bool swizzle) {
    const std::uint32_t offset = y / 8 * pitch * 8 + x / 512 * 4096 + y % 8 * 512 + x % 512;
    return swizzle ? offset ^ ((offset >> 9U ^ offset >> 10U) & 1U) << 6U : offset;
}

/// A fence over DATA_AT, 1 MiB, X-tiled, pitch 1024.
void set_fence(Board& board, unsigned index) {
    if (board.layout.chip == "g33") {
        const std::uint32_t place = index < 8 ? 0x2000 + 4 * index : 0x3000 + 4 * (index - 8);
        board.write(place, Board::data_at | 0U << 8U | 1U << 4U | 1U); // 1 MiB, 2 tiles wide
        return;
    }
    board.write(0x100004 + 8 * index, (Board::data_at + 0xff000) | (1024 / 128 - 1));
    board.write(0x100000 + 8 * index, Board::data_at | 1U);
}

void clear_fence(Board& board, unsigned index) {
    const bool g33 = board.layout.chip == "g33";
    board.write(g33 ? (index < 8 ? 0x2000 + 4 * index : 0x3000 + 4 * (index - 8))
                    : 0x100000 + 8 * index,
                0);
}

/// What Sandy Bridge's kernel does; G33's controller always swizzles.
void switch_swizzling_on(Board& board) {
    if (board.layout.chip == "snb") {
        board.write(0x101000, 1);
        board.write(0x4030, 0x00100010);
    }
}

TEST_P(Memory, TheApertureTakesAllSizes) {
    Board board(*GetParam());
    board.start();
    board.gpu->write_bar(aperture, Board::data_at, 0x8877665544332211, 8);
    board.gpu->write_bar(aperture, Board::data_at + 1, 0xaa, 1);
    board.gpu->write_bar(aperture, Board::data_at + 2, 0xbbcc, 2);
    board.gpu->write_bar(aperture, Board::data_at + 4, 0xdeadbeef, 4);
    EXPECT_EQ(board.dword(Board::data_at), 0xbbccaa11U);
    EXPECT_EQ(board.dword(Board::data_at + 4), 0xdeadbeefU);
    EXPECT_EQ(board.gpu->read_bar(aperture, Board::data_at, 8), 0xdeadbeefbbccaa11U);
    EXPECT_EQ(board.gpu->read_bar(aperture, Board::data_at + 1, 1), 0xaaU);
    EXPECT_EQ(board.gpu->read_bar(aperture, Board::data_at + 2, 2), 0xbbccU);
    EXPECT_EQ(board.gpu->read_bar(aperture, Board::data_at + 4, 4), 0xdeadbeefU);
}

TEST_P(Memory, AnAccessGoesOnInTheNextPage) {
    Board board(*GetParam());
    board.start();
    board.set_entry((Board::data_at >> 12U) + 1, 0x300000 | 1U);
    board.gpu->write_bar(aperture, Board::data_at + 0xffc, 0x1111111122222222, 8);
    EXPECT_EQ(board.dword(Board::data_at + 0xffc), 0x22222222U);
    EXPECT_EQ(board.dword(0x300000), 0x11111111U);
}

TEST_P(Memory, WhatIsNotMappedReadsOnesAndIsSaid) {
    Board board(*GetParam());
    board.start();
    EXPECT_EQ(board.gpu->read_bar(aperture, Board::unmapped, 4), 0xffffffffU);
    ASSERT_EQ(board.gpu->report().faults.size(), 1U);
    EXPECT_NE(board.gpu->report().faults[0].find("0x800000"), std::string::npos);
    // An entry that leads out of the machine's memory.
    board.set_entry(Board::unmapped >> 12U, 0x40000000 | 1U);
    board.gpu->write_bar(aperture, Board::unmapped, 1, 4);
    ASSERT_EQ(board.gpu->report().faults.size(), 2U);
    EXPECT_NE(board.gpu->report().faults[1].find("the machine has no memory"), std::string::npos);
}

// Sources: kernel gt/intel_ggtt.c, gen6_pte_encode; drivers/char/agp/intel-gtt.c, i965_write_entry.
TEST_P(Memory, EntriesReachBeyondFourGigabytes) {
    Board board(*GetParam());
    board.start();
    board.set_entry(Board::unmapped >> 12U, 0x00000031); // 3 in bits 7:4 is bit 32 and 33
    board.gpu->write_bar(aperture, Board::unmapped + 8, 0x12345678, 4);
    EXPECT_EQ(board.dword(TestMachine::high_memory + 8), 0x12345678U);
    EXPECT_EQ(board.dword(8), 0U);
}

TEST_P(Memory, TheTableReadsAsWritten) {
    Board board(*GetParam());
    const std::uint64_t place = board.layout.table_offset + 0x100;
    board.gpu->write_bar(board.layout.table_bar, place, 0x0000200100001001, 8);
    EXPECT_EQ(board.gpu->read_bar(board.layout.table_bar, place, 4), 0x00001001U);
    EXPECT_EQ(board.gpu->read_bar(board.layout.table_bar, place + 4, 4), 0x00002001U);
    board.gpu->reset();
    EXPECT_EQ(board.gpu->read_bar(board.layout.table_bar, place, 8), 0U);
}

TEST_P(Memory, AFenceTilesTheAperture) {
    for (const unsigned index : {0U, 7U, 8U, 15U}) {
        Board board(*GetParam());
        board.start();
        switch_swizzling_on(board);
        set_fence(board, index);
        for (std::uint32_t y = 0; y < 20; ++y) {
            for (std::uint32_t x = 0; x < 1024; x += 4) {
                board.gpu->write_bar(aperture, Board::data_at + y * 1024 + x, y << 16U | x, 4);
            }
        }
        clear_fence(board, index);
        for (std::uint32_t y = 0; y < 20; ++y) {
            for (std::uint32_t x = 0; x < 1024; x += 4) {
                const std::uint32_t place = Board::data_at + x_tiled(1024, x, y, true);
                ASSERT_EQ(board.dword(place), y << 16U | x) << index;
                ASSERT_EQ(board.gpu->read_bar(aperture, place, 4), y << 16U | x) << index;
            }
        }
        EXPECT_TRUE(board.gpu->report().faults.empty());
    }
}

TEST_P(Memory, AResetTakesG33sFencesWithIt) {
    Board board(*GetParam());
    board.start();
    set_fence(board, 0);
    board.reset_gpu();
    const bool g33 = board.layout.chip == "g33";
    board.gpu->write_bar(aperture, Board::data_at + 1024, 1, 4); // row 1 of the surface
    EXPECT_EQ(board.dword(Board::data_at + (g33 ? 1024 : 512)), 1U);
}

TEST(SandyBridgeMemory, SwizzlesOnlyWhenTold) {
    Board board(snb_layout);
    board.start();
    set_fence(board, 3);
    board.gpu->write_bar(aperture, Board::data_at + 1024, 1, 4);
    EXPECT_EQ(board.dword(Board::data_at + 512), 1U);
    board.write(0x101000, 1);
    board.gpu->write_bar(aperture, Board::data_at + 1024, 2, 4);
    EXPECT_EQ(board.dword(Board::data_at + 512 + 64), 2U);
}

TEST_P(Memory, AnImpossibleFenceIsSaid) {
    Board board(*GetParam());
    board.start();
    if (board.layout.chip == "g33") {
        board.write(0x2000, 0x00100000 | 1U << 8U | 1U); // 2 MiB, not at a multiple of it
    } else {
        board.write(0x100004, 0x00100000);
        board.write(0x100000, 0x00200000 | 1U); // ends before it begins
    }
    EXPECT_EQ(board.gpu->report().faults.size(), 1U);
}

/// XY_SRC_COPY_BLT of 200 by 20 pixels, from a surface at SOURCE to one at DESTINATION, both of
/// pitch 1024. Fields: reference of the blitter's commands, G45 PRM volume 1b.
std::vector<std::uint32_t> copy(std::uint32_t source, std::uint32_t destination, bool tiled) {
    const std::uint32_t pitch = 1024;
    return {0x54f00006U | (tiled ? 1U << 11U : 0U),
            0x03cc0000U | (tiled ? pitch / 4 : pitch),
            0,
            20U << 16U | 200U,
            destination,
            0,
            pitch,
            source};
}

void fill_source(Board& board, std::uint32_t source) {
    for (std::uint32_t y = 0; y < 20; ++y) {
        for (std::uint32_t x = 0; x < 200; ++x) {
            board.put(source + y * 1024 + 4 * x, {y << 16U | x});
        }
    }
}

void expect_tiled(Board& board, std::uint32_t destination, bool swizzle) {
    for (std::uint32_t y = 0; y < 20; ++y) {
        for (std::uint32_t x = 0; x < 200; ++x) {
            ASSERT_EQ(board.dword(destination + x_tiled(1024, 4 * x, y, swizzle)), y << 16U | x)
                << x << ", " << y;
        }
    }
}

// G33's blitter knows no tiling: it goes through the fence.
TEST(G33Memory, ABlitGoesThroughTheFence) {
    Board board(g33_layout);
    board.start();
    board.map(0x400000, 0x100000);
    fill_source(board, 0x400000);
    set_fence(board, 9);
    board.submit(copy(0x400000, Board::data_at, false));
    expect_tiled(board, Board::data_at, true);
    EXPECT_TRUE(board.gpu->report().faults.empty());
}

TEST(SandyBridgeMemory, ABlitTilesByItsBitsAndSwizzlesWhenTold) {
    for (const bool swizzle : {false, true}) {
        Board board(snb_layout);
        board.start();
        board.map(0x400000, 0x100000);
        fill_source(board, 0x400000);
        if (swizzle) {
            board.write(0x4030, 0x00100010);
        }
        board.submit(copy(0x400000, Board::data_at, true));
        expect_tiled(board, Board::data_at, swizzle);
    }
}

/// A page directory within the global table, and one page table, as gen6_ppgtt.c lays them out.
class ProcessMemory : public testing::Test {
protected:
    ProcessMemory() {
        board.start();
        board.set_entry(directory_index, page_table | 1U);
        board.write(0x22228, directory_index * 4 / 64 << 16U); // PP_DIR_BASE, in cache lines
        board.write(0x22220, ~0U);
        board.write(0x2520, 0x02000200); // GFX_MODE: enabled
        board.put(page_table + 4 * (user_batch >> 12U), {user_page | 1U});
        board.put(page_table + 4 * (user_data >> 12U), {0x00005031}); // above 4 GiB
        board.put(user_page, {0x20U << 23U | 2U, 0, user_data + 4, 0xfeed, mi::batch_end});
        board.submit({mi::batch_start | mi::own_space, user_batch});
    }
    static constexpr std::uint32_t directory_index = 0x4000;
    static constexpr std::uint32_t page_table = 0x700000;
    static constexpr std::uint32_t user_page = 0x710000;
    static constexpr std::uint32_t user_batch = 0x1000; ///< process addresses
    static constexpr std::uint32_t user_data = 0x3ff000;
    Board board{snb_layout};
};

TEST_F(ProcessMemory, ABatchRunsInIt) {
    EXPECT_EQ(board.dword(TestMachine::high_memory + 0x5004), 0xfeedU);
    EXPECT_EQ(board.head(), board.tail);
    EXPECT_TRUE(board.gpu->report().faults.empty());
}

TEST_F(ProcessMemory, SaysWhatIsNotMapped) {
    board.put(page_table + 4 * (user_data >> 12U), {0});
    board.submit({mi::batch_start | mi::own_space, user_batch});
    ASSERT_EQ(board.gpu->report().faults.size(), 1U);
    EXPECT_NE(board.gpu->report().faults[0].find(
                  "process address 0x3ff004, whose page table entry 0x0 is not valid"),
              std::string::npos)
        << board.gpu->report().faults[0];
}

TEST_F(ProcessMemory, HasADirectoryOf512Entries) {
    board.submit({mi::batch_start | mi::own_space, 0x80000000});
    ASSERT_EQ(board.gpu->report().faults.size(), 1U);
    EXPECT_NE(board.gpu->report().faults[0].find("page directory entry"), std::string::npos);
}

} // namespace
} // namespace gem_upload::model::pci
