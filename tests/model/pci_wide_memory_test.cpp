// What would make the page tables of gen8 and later worse than useless: an access that lands in
// the wrong page, for a page size or a level that the kernel happens not to use today; one that
// lands where nothing is mapped any more; a read-only page that is written.
#include "pci_context_board.h"

#include <random>

namespace gem_upload::model::pci {
namespace {

constexpr std::uint32_t data_at = ContextBoard::data_at;
constexpr std::uint64_t high = 0x7f0000100000; ///< where user space likes to put its buffers
constexpr unsigned aperture = 2;
constexpr std::uint64_t spare_at = 0xe00000; ///< 2 MiB, and a multiple of it

class WideMemory : public OnEachContextChip {
protected:
    static void store(ContextBoard& board, Context& context, std::uint64_t address,
                      std::uint32_t value) {
        board.run(board.engine("bcs0"), context, mi::store(address, value));
    }
    static std::string only_fault(ContextBoard& board) {
        const std::vector<std::string> faults = board.gpu->report().faults;
        return faults.size() == 1 ? faults[0] : "not one fault";
    }
};
INSTANTIATE_TEST_SUITE_P(Chips, WideMemory, testing::ValuesIn(context_chips()), context_chip_name);

TEST_P(WideMemory, PagesOfEachSizeLeadToTheirMemory) {
    for (const bool four_levels : {true, false}) {
        ContextBoard board(chip());
        Context context = board.make_context(four_levels);
        const std::uint64_t base = four_levels ? high : 0xc0000000;
        const struct {
            PageSize size;
            std::uint64_t address;
            std::uint64_t physical;
        } pages[] = {{PageSize::kib4, base, data_at + 0x5000},
                     {PageSize::kib64, base + 0x400000, data_at + 0x30000},
                     {PageSize::kib64, base + 0x400000 + 0x1f0000, data_at + 0x40000},
                     {PageSize::mib2, (base & ~0x1fffffULL) + 0x800000, spare_at}};
        for (const auto& page : pages) {
            const std::uint64_t address =
                page.address & ~(static_cast<std::uint64_t>(page.size) - 1);
            board.map(context, address, page.physical, page.size);
            for (std::uint64_t within = 8; within < static_cast<std::uint64_t>(page.size);
                 within += static_cast<std::uint64_t>(page.size) / 4 + 0x14) {
                const auto value = static_cast<std::uint32_t>(0x1234 + within);
                store(board, context, address + within, value);
                EXPECT_EQ(board.dword(page.physical + within), value)
                    << std::hex << address + within;
            }
        }
        EXPECT_TRUE(board.gpu->report().faults.empty()) << board.gpu->report().faults[0];
    }
}

// Each of the four directories of a context with three levels.
TEST_P(WideMemory, ThreeLevelsHaveFourDirectories) {
    ContextBoard board(chip());
    Context context = board.make_context(false);
    for (std::uint64_t i = 0; i < 4; ++i) {
        const std::uint64_t address = (i << 30U) + 0x3fe00000;
        board.map(context, address, data_at + 0x1000 * i, PageSize::kib4);
        store(board, context, address + 4, static_cast<std::uint32_t>(i + 1));
        EXPECT_EQ(board.dword(data_at + 0x1000 * i + 4), i + 1);
    }
    EXPECT_TRUE(board.gpu->report().faults.empty());
    store(board, context, std::uint64_t{1} << 32U, 1);
    EXPECT_NE(only_fault(board).find("beyond the 32 bits"), std::string::npos);
}

TEST_P(WideMemory, AddressesAreCanonical) {
    ContextBoard board(chip());
    Context context = board.make_context();
    board.map(context, 0x800000001000, data_at, PageSize::kib4);
    store(board, context, 0xffff800000001004, 5);
    EXPECT_EQ(board.dword(data_at + 4), 5U);
    store(board, context, 0x0000800000001004, 6);
    EXPECT_NE(only_fault(board).find("not canonical"), std::string::npos);
}

TEST_P(WideMemory, WhatIsNotMappedIsAFaultThatNamesTheLevel) {
    for (unsigned level = 1; level <= 4; ++level) {
        ContextBoard board(chip());
        Context context = board.make_context();
        board.map(context, high, data_at, PageSize::kib4);
        store(board, context, high, 1);
        EXPECT_EQ(board.dword(data_at), 1U);
        const std::uint64_t place = board.entry_place(context, high, level);
        board.put_qword(place, board.qword(place) & ~ContextBoard::present);
        store(board, context, high, 2);
        EXPECT_EQ(board.dword(data_at), 1U);
        EXPECT_NE(only_fault(board).find("0x7f0000100000, whose level " + std::to_string(level)),
                  std::string::npos)
            << only_fault(board);
    }
}

TEST_P(WideMemory, TablesOutsideMemoryAreAFault) {
    for (unsigned level = 1; level <= 4; ++level) {
        ContextBoard board(chip());
        Context context = board.make_context();
        board.map(context, high, data_at, PageSize::kib4);
        board.put_qword(board.entry_place(context, high, level), 0x7ffffff000 | 3U);
        store(board, context, high, 2);
        EXPECT_NE(only_fault(board).find("where the machine has no memory"), std::string::npos)
            << level;
    }
}

TEST_P(WideMemory, ReadOnlyPagesKeepWhatTheyHave) {
    for (const PageSize size : {PageSize::kib4, PageSize::kib64, PageSize::mib2}) {
        ContextBoard board(chip());
        Context context = board.make_context();
        constexpr std::uint64_t address = 0x7f0000200000;
        board.map(context, address, spare_at, size, ContextBoard::present);
        board.put(spare_at + 0x10, {0x55});
        store(board, context, address + 0x10, 1);
        EXPECT_EQ(board.dword(spare_at + 0x10), 0x55U);
        // MI_LOAD_REGISTER_MEM sees the page, not what was dropped.
        board.run(board.engine("bcs0"), context,
                  {0x29U << 23U | 2U, 0x22600, static_cast<std::uint32_t>(address + 0x10),
                   static_cast<std::uint32_t>(address >> 32U)});
        EXPECT_EQ(board.read(0x22600), 0x55U);
        EXPECT_TRUE(board.gpu->report().faults.empty());
    }
}

TEST_P(WideMemory, PagesAndTablesLieAboveFourGigabytes) {
    ContextBoard board(chip());
    Context context = board.make_context();
    board.map(context, high, TestMachine::high_memory + 0x3000, PageSize::kib4);
    board.map(context, high + 0x200000, TestMachine::high_memory + 0x10000, PageSize::kib64);
    store(board, context, high + 8, 1);
    store(board, context, high + 0x200000 + 0xfff8, 2);
    EXPECT_EQ(board.dword(TestMachine::high_memory + 0x3008), 1U);
    EXPECT_EQ(board.dword(TestMachine::high_memory + 0x1fff8), 2U);
    // The page table itself.
    constexpr std::uint64_t table = TestMachine::high_memory + 0x20000;
    const std::uint64_t index = 8 * (high >> 12U & 0x1ffU);
    board.put_qword(table + index, (data_at + 0x2000) | 3U);
    board.put_qword(board.entry_place(context, high, 2), table | 3U);
    store(board, context, high + 8, 3);
    EXPECT_EQ(board.dword(data_at + 0x2008), 3U);
    EXPECT_TRUE(board.gpu->report().faults.empty());
}

// Between requests the kernel unmaps and maps anew, and no command says so to the model.
TEST_P(WideMemory, TranslationsAreForgottenBetweenRequests) {
    ContextBoard board(chip());
    Context context = board.make_context();
    board.map(context, high, data_at, PageSize::kib4);
    const auto& engine = board.engine("bcs0");
    board.run(
        engine, context,
        join({mi::store(high, 1), wait_at_least(chip(), high + 4, 1), mi::store(high + 8, 2)}));
    EXPECT_EQ(board.dword(data_at), 1U);
    board.gpu->pause();
    board.map(context, high, data_at + 0x1000, PageSize::kib4);
    board.put(data_at + 0x1004, {1});
    board.gpu->resume();
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 0x1008) == 2; }));
    EXPECT_EQ(board.dword(data_at + 8), 0U);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.head(context) == context.tail; }));
    // A batch too, whose dwords were read before.
    board.put(context.batch(), join({mi::store(high, 5), {mi::batch_end}}));
    board.run(engine, context, mi::call(ContextBoard::user_batch));
    board.put(data_at + 0x4000, join({mi::store(high, 6), {mi::batch_end}}));
    board.map(context, ContextBoard::user_batch, data_at + 0x4000, PageSize::kib4);
    board.run(engine, context, mi::call(ContextBoard::user_batch));
    EXPECT_EQ(board.dword(data_at + 0x1000), 6U);
}

TEST_P(WideMemory, EachContextHasItsOwn) {
    ContextBoard board(chip());
    Context first = board.make_context();
    Context second = board.make_context();
    board.map(first, high, data_at, PageSize::kib4);
    board.map(second, high, data_at + 0x1000, PageSize::kib4);
    board.emit(first, mi::store(high, 1));
    board.emit(second, mi::store(high, 2));
    board.submit(board.engine("bcs0"), &first, &second);
    EXPECT_EQ(board.dword(data_at), 1U);
    EXPECT_EQ(board.dword(data_at + 0x1000), 2U);
}

// 64 bits an entry; kernel gt/intel_ggtt.c, gen8_pte_encode.
TEST_P(WideMemory, GlobalEntriesReachBeyondFourGigabytes) {
    ContextBoard board(chip());
    const std::uint64_t page = ContextBoard::unmapped >> 12U;
    board.set_entry(page, (TestMachine::high_memory + 0x7000) | 1U);
    EXPECT_EQ(board.gpu->read_bar(0, ContextBoard::global_entries + 8 * page, 8),
              (TestMachine::high_memory + 0x7000) | 1U);
    Context context = board.make_context();
    board.run(board.engine("vcs0"), context,
              mi::store(ContextBoard::unmapped + 8, 0x12345678, mi::global));
    EXPECT_EQ(board.dword(TestMachine::high_memory + 0x7008), 0x12345678U);
    EXPECT_EQ(board.gpu->read_bar(aperture, ContextBoard::unmapped + 8, 4), 0x12345678U);
    store(board, context, ContextBoard::unmapped + 8, 1); // not a process address
    EXPECT_NE(only_fault(board).find("process address 0x1000008"), std::string::npos);
}

/// A fence over DATA_AT, 1 MiB, pitch 1024. Source: kernel gt/intel_ggtt_fencing.c,
/// i965_write_fence_reg.
void set_fence(ContextBoard& board, unsigned index, bool y_tiled) {
    board.write(0x100004 + 8 * index, (data_at + 0xff000) | (1024 / 128 - 1));
    board.write(0x100000 + 8 * index, data_at | (y_tiled ? 2U : 0U) | 1U);
}

/// X tiles: 8 rows of 512 bytes; Y tiles: 8 columns of 16 bytes, of 32 rows. No swizzling from gen8
/// on. Source: BDW PRM volume 5, "Tiled Memory".
std::uint32_t tiled(std::uint32_t x, std::uint32_t y, bool y_tiled) {
    constexpr std::uint32_t pitch = 1024;
    return y_tiled
               ? y / 32 * pitch * 32 + x / 128 * 4096 + x % 128 / 16 * 512 + y % 32 * 16 + x % 16
               : y / 8 * pitch * 8 + x / 512 * 4096 + y % 8 * 512 + x % 512;
}

TEST_P(WideMemory, FencesTileTheAperture) {
    for (const bool y_tiled : {false, true}) {
        for (const unsigned index : {0U, 17U, 31U}) {
            ContextBoard board(chip());
            set_fence(board, index, y_tiled);
            for (std::uint32_t y = 0; y < 40; ++y) {
                for (std::uint32_t x = 0; x < 1024; x += 8) {
                    board.gpu->write_bar(aperture, data_at + y * 1024 + x, y << 16U | x, 4);
                }
            }
            EXPECT_EQ(board.gpu->read_bar(aperture, data_at + 33 * 1024 + 520, 4),
                      33U << 16U | 520);
            board.write(0x100000 + 8 * index, 0);
            for (std::uint32_t y = 0; y < 40; ++y) {
                for (std::uint32_t x = 0; x < 1024; x += 8) {
                    const std::uint32_t place = data_at + tiled(x, y, y_tiled);
                    ASSERT_EQ(board.dword(place), y << 16U | x) << index << " " << y_tiled;
                    ASSERT_EQ(board.gpu->read_bar(aperture, place, 4), y << 16U | x);
                }
            }
        }
    }
}

/// A page of a process, and where it is in memory.
struct Piece {
    PageSize size;
    std::uint64_t address;
    std::uint64_t physical;
};

/// Rows of 8 KiB that cross from pages of 64 KiB into one of 2 MiB, and on into 4 KiB.
struct Surface {
    static constexpr std::uint64_t directory = std::uint64_t{2} << 20U;
    static constexpr std::uint32_t pitch = 0x2000;
    static constexpr std::uint32_t rows = 288; ///< 2 MiB and 256 KiB

    Surface(ContextBoard& board, Context& context, std::uint64_t first, std::uint64_t small,
            std::uint64_t large)
        : address(first - 0x20000), machine(board.machine) {
        pieces = {{PageSize::kib64, first - 0x20000, small + 0x10000},
                  {PageSize::kib64, first - 0x10000, small},
                  {PageSize::mib2, first, large}};
        for (std::uint64_t i = 0; i < 32; ++i) {
            pieces.push_back({PageSize::kib4, first + directory + 0x1000 * i,
                              small + 0x20000 + 0x1000 * (31 - i)});
        }
        for (const Piece& piece : pieces) {
            board.map(context, piece.address, piece.physical, piece.size);
        }
    }
    [[nodiscard]] std::byte& at(std::uint64_t offset) const {
        const auto piece = std::ranges::find_if(pieces, [&](const Piece& candidate) {
            return address + offset - candidate.address <
                   static_cast<std::uint64_t>(candidate.size);
        });
        return machine.memory(piece->physical + (address + offset - piece->address)).front();
    }

    std::uint64_t address;
    Machine& machine;
    std::vector<Piece> pieces;
};

TEST_P(WideMemory, ABlitCrossesPagesOfAllSizes) {
    ContextBoard board(chip());
    Context context = board.make_context();
    const Surface source(board, context, 0x7f0000200000, 0x780000, 0x800000);
    const Surface target(board, context, 0x7f0000a00000, 0x7c0000, 0xa00000);
    std::minstd_rand random(1);
    constexpr std::uint32_t bytes = Surface::pitch * Surface::rows;
    for (std::uint32_t i = 0; i < bytes; ++i) {
        source.at(i) = static_cast<std::byte>(random() >> 8U);
        target.at(i) = std::byte{0x5a};
    }
    // XY_SRC_COPY_BLT, 32 bits a pixel: (3, 1) to (2040, 280), from (5, 2). BDW PRM volume 2a.
    constexpr std::uint32_t x1 = 3;
    constexpr std::uint32_t y1 = 1;
    constexpr std::uint32_t x2 = 2040;
    constexpr std::uint32_t y2 = 280;
    constexpr std::uint32_t from_x = 5;
    constexpr std::uint32_t from_y = 2;
    board.put(context.batch(),
              {0x54f00008, 0x03cc0000 | Surface::pitch, y1 << 16U | x1, y2 << 16U | x2,
               static_cast<std::uint32_t>(target.address),
               static_cast<std::uint32_t>(target.address >> 32U), from_y << 16U | from_x,
               Surface::pitch, static_cast<std::uint32_t>(source.address),
               static_cast<std::uint32_t>(source.address >> 32U), mi::batch_end});
    board.run(board.engine("bcs0"), context, mi::call(ContextBoard::user_batch));
    ASSERT_TRUE(board.gpu->report().faults.empty()) << board.gpu->report().faults[0];
    for (std::uint32_t i = 0; i < bytes; ++i) {
        const std::uint32_t x = i % Surface::pitch / 4;
        const std::uint32_t y = i / Surface::pitch;
        const bool copied = x >= x1 && x < x2 && y >= y1 && y < y2;
        const std::byte expected =
            copied ? source.at(i + (from_y - y1) * Surface::pitch + (from_x - x1) * 4)
                   : std::byte{0x5a};
        ASSERT_EQ(target.at(i), expected) << x << ", " << y;
    }
}

} // namespace
} // namespace gem_upload::model::pci
