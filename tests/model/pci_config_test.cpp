// What would make configuration space and registers worse than useless: a BAR that a kernel sizes
// wrongly, a register that forgets or keeps what it must not, and one that the model does not know
// passing unnoticed.
#include "pci_board.h"

#include <gtest/gtest.h>

namespace gem_upload::model::pci {
namespace {

TEST(GpuChips, AreMadeByNameAndAlias) {
    TestMachine machine;
    EXPECT_EQ(gpu_chips().size(), 13U);
    for (const ChipModel* chip : gpu_chips()) {
        EXPECT_NE(make_gpu(chip->name, machine, immediate()), nullptr);
        EXPECT_NE(make_gpu(chip->alias, machine, immediate()), nullptr);
    }
    EXPECT_EQ(make_gpu("g45", machine, immediate()), nullptr);
    EXPECT_EQ(make_gpu("", machine, immediate()), nullptr);
}

TEST(Config, SaysWhatItIs) {
    Board g33(g33_layout);
    EXPECT_EQ(g33.gpu->read_config(0, 4), 0x29c28086U);
    EXPECT_EQ(g33.gpu->read_config(0x0a, 2), 0x0300U);
    EXPECT_EQ(g33.gpu->read_config(0x3d, 1), 1U);
    EXPECT_EQ(g33.gpu->read_config(6, 2) & 0x10U, 0U);
    Board snb(snb_layout);
    EXPECT_EQ(snb.gpu->read_config(0, 4), 0x01268086U);
    EXPECT_EQ(snb.gpu->read_config(6, 2) & 0x10U, 0x10U); // capabilities
    EXPECT_EQ(snb.gpu->read_config(snb.gpu->read_config(0x34, 1), 2), 0x0005U);
    EXPECT_EQ(snb.gpu->read_config(0x50, 2), 0x0200U); // a page table of 2 MiB, nothing stolen
    snb.gpu->write_config(0, 0x12345678, 4);
    EXPECT_EQ(snb.gpu->read_config(0, 4), 0x01268086U);
}

struct BarRow {
    const BoardLayout* layout;
    unsigned bar;
    std::uint32_t bytes;
    std::uint32_t type;
};

// As a kernel does it: write ones, read the size, put the address back.
TEST(Config, BarsAreSized) {
    const BarRow rows[] = {
        {&g33_layout, 0, 0x80000, 0},    {&g33_layout, 1, 16, 1},
        {&g33_layout, 2, 0x10000000, 8}, {&g33_layout, 3, 0x100000, 0},
        {&g33_layout, 4, 0, 0},          {&snb_layout, 0, 0x400000, 0},
        {&snb_layout, 1, 0, 0},          {&snb_layout, 2, 0x10000000, 8},
        {&snb_layout, 3, 0, 0},          {&snb_layout, 4, 64, 1},
        {&snb_layout, 5, 0, 0},
    };
    for (const BarRow& row : rows) {
        Board board(*row.layout);
        const std::uint32_t place = 0x10 + 4 * row.bar;
        EXPECT_EQ(board.gpu->bar_bytes(row.bar), row.bytes);
        board.gpu->write_config(place, ~0U, 4);
        EXPECT_EQ(board.gpu->read_config(place, 4), row.bytes == 0 ? 0 : -row.bytes | row.type);
        board.gpu->write_config(place, 0xe0000000, 4);
        EXPECT_EQ(board.gpu->read_config(place, 4), row.bytes == 0 ? 0 : 0xe0000000 | row.type);
    }
    Board board(g33_layout);
    EXPECT_EQ(board.gpu->bar_bytes(6), 0U);
    EXPECT_EQ(board.gpu->read_bar(5, 0, 4), 0xffffffffU);
    board.gpu->write_bar(6, 0, 0, 4);
}

TEST(Config, StolenMemoryIsWhereItWasPut) {
    Settings settings = immediate();
    settings.stolen_base = 0x06000000;
    Board board(snb_layout, settings);
    EXPECT_EQ(board.gpu->read_config(0x5c, 4), 0x06000000U);
    EXPECT_EQ(board.gpu->read_config(0x50, 2), 0x0208U); // 32 MiB
}

TEST(Config, G33sResetBitClearsItself) {
    Board board(g33_layout);
    board.gpu->write_config(0xc0, 1, 1);
    EXPECT_EQ(board.gpu->read_config(0xc0, 1) & 1U, 0U);
    EXPECT_EQ(board.gpu->report().resets, 1U);
}

TEST(Registers, MaskedOnesChangeOnlyWhatIsNamed) {
    Board board(snb_layout);
    board.write(0x2120, 0x00f00050);
    EXPECT_EQ(board.read(0x2120), 0x50U);
    board.write(0x2120, 0x0010ffff);
    EXPECT_EQ(board.read(0x2120), 0x50U);
    board.write(0x2120, 0x00500000);
    EXPECT_EQ(board.read(0x2120), 0U);
    board.write(0x220c0, 0x02200220); // INSTPM: the flush that bit 5 asks for is over at once
    EXPECT_EQ(board.read(0x220c0), 0x200U);
}

TEST(Registers, SomeBitsClearByOneBesideStorage) {
    Board board(g33_layout); // PIPEASTAT: events below, their enables above
    board.write(0x70024, 0x12340000);
    board.write(0x70024, 0x12350001);
    EXPECT_EQ(board.read(0x70024), 0x12350000U);
}

TEST(Registers, ReadOnlyOnesStay) {
    Board board(g33_layout);
    EXPECT_EQ(board.read(0x2020), 2U); // 256 KiB
    EXPECT_EQ(board.gpu->read_bar(0, 0x10206, 2), board.gpu->read_bar(0, 0x10606, 2));
    board.write(0x10204, 0x1234);
    EXPECT_EQ(board.gpu->read_bar(0, 0x10206, 2), board.gpu->read_bar(0, 0x10606, 2));
}

TEST(Registers, TakeAllSizes) {
    Board board(snb_layout);
    board.gpu->write_bar(0, 0x138128, 0x1122334455667788, 8);
    EXPECT_EQ(board.read(0x138128), 0x55667788U);
    EXPECT_EQ(board.read(0x13812c), 0x11223344U);
    EXPECT_EQ(board.gpu->read_bar(0, 0x138128, 8), 0x1122334455667788U);
    board.gpu->write_bar(0, 0x138129, 0xab, 1);
    board.gpu->write_bar(0, 0x13812a, 0xcdef, 2);
    EXPECT_EQ(board.read(0x138128), 0xcdefab88U);
    EXPECT_EQ(board.gpu->read_bar(0, 0x138129, 1), 0xabU);
    // The last dword of the registers, and nothing beyond.
    (void)board.gpu->read_bar(0, 0x1ffffc, 8);
}

TEST(Registers, ForcewakeIsAcknowledgedAndTheMicrocontrollerAnswers) {
    Board board(snb_layout);
    board.write(0xa18c, 0x00010001);
    EXPECT_EQ(board.read(0x130090), 1U);
    board.write(0xa18c, 0x00010000);
    EXPECT_EQ(board.read(0x130090), 0U);
    EXPECT_GT(board.read(0x120008), 20U); // free entries
    board.write(0x138124, 0x80000000 | 5U);
    EXPECT_EQ(board.read(0x138124) & 0x800000ffU, 0U);
}

TEST(Registers, UnknownOnesAreStorageAndAreReported) {
    std::vector<std::string> complaints;
    Settings settings = immediate();
    settings.complaint = [&complaints](std::string_view line) { complaints.emplace_back(line); };
    Board board(snb_layout, settings);
    board.write(0x4f100, 5);
    EXPECT_EQ(board.read(0x4f100), 5U);
    (void)board.read(0x4f104);
    const auto unknown = board.gpu->report().unknown_registers;
    ASSERT_EQ(unknown.size(), 2U);
    EXPECT_EQ(unknown[0].offset, 0x4f100U);
    EXPECT_EQ(unknown[0].near, "WM1S_LP_ILK + 0x9fe0");
    EXPECT_TRUE(unknown[0].read && unknown[0].written);
    EXPECT_TRUE(unknown[1].read && !unknown[1].written);
    EXPECT_EQ(complaints.size(), 2U);
}

TEST(Registers, TheTraceNamesThem) {
    std::vector<std::string> trace;
    Settings settings = immediate();
    settings.trace = [&trace](std::string_view line) { trace.emplace_back(line); };
    Board board(snb_layout, settings);
    board.write(0x22038, 0x1000);
    (void)board.read(0x100008);
    ASSERT_EQ(trace.size(), 2U);
    EXPECT_EQ(trace[0], "write 0x22038 bcs0 RING_START = 0x1000");
    EXPECT_EQ(trace[1], "read 0x100008 FENCE[2] = 0x0");
}

} // namespace
} // namespace gem_upload::model::pci
