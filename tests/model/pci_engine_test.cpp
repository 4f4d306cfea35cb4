// What would make the engines worse than useless: a request that seems done and was not carried
// out, or is carried out twice or in pieces; a hang that the kernel could not see or end, or one
// that the device makes up; a looping batch that keeps the lock, so that nobody can end it; user
// space doing what only the kernel may.
#include "pci_board.h"

#include <gtest/gtest.h>
#include <thread>

namespace gem_upload::model::pci {
namespace {

class Ring : public testing::TestWithParam<const BoardLayout*> {};
INSTANTIATE_TEST_SUITE_P(Chips, Ring, testing::Values(&g33_layout, &snb_layout),
                         [](const auto& chip) { return std::string(chip.param->chip); });

constexpr std::uint32_t breadcrumb = 0x0c0 * 4; ///< where in the status page
constexpr std::uint32_t unknown_command = 0x3fU << 23U;

std::vector<std::uint32_t> request(std::uint32_t number) {
    return {mi::store_index, breadcrumb, number, mi::user_interrupt};
}

TEST_P(Ring, ARequestLeavesItsBreadcrumbAndAnInterrupt) {
    Board board(*GetParam());
    board.start();
    board.enable_interrupt();
    board.submit(request(0x1234));
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 0x1234U);
    EXPECT_EQ(board.head(), 16U);
    EXPECT_EQ(board.read(board.layout.identity), board.layout.user_bit);
    EXPECT_TRUE(board.machine.pin());
    board.write(board.layout.identity, board.layout.user_bit);
    EXPECT_FALSE(board.machine.pin());
    EXPECT_EQ(board.gpu->report().interrupts, 1U);
}

TEST_P(Ring, NothingRunsBeforeTheTailMoves) {
    Board board(*GetParam());
    board.start();
    board.emit(request(1));
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 0U);
    board.submit();
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 1U);
}

TEST_P(Ring, ADisabledRingDoesNotRun) {
    Board board(*GetParam());
    board.start();
    board.write(board.layout.ring + 0x3c, 0);
    board.submit(request(1));
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 0U);
    board.write(board.layout.ring + 0x3c, 1);
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 1U);
}

TEST_P(Ring, GoesOnAtItsStart) {
    Board board(*GetParam());
    board.start();
    // 4 KiB hold 256 of them; the last begins 8 bytes before the end, and wraps.
    board.submit({mi::noop, mi::noop});
    for (std::uint32_t i = 1; i <= 600; ++i) {
        board.submit(request(i));
        ASSERT_EQ(board.dword(Board::status_at + breadcrumb), i);
        ASSERT_EQ(board.head(), board.tail);
    }
}

TEST_P(Ring, HalfACommandWaitsForItsOtherHalf) {
    Board board(*GetParam());
    board.start();
    board.submit({mi::store_index, breadcrumb});
    EXPECT_EQ(board.head(), 0U);
    EXPECT_TRUE(board.gpu->report().faults.empty());
    board.submit({7, mi::noop});
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 7U);
}

TEST_P(Ring, ABatchRunsAndComesBack) {
    Board board(*GetParam());
    board.start();
    board.put(Board::batch_at, {mi::noop, mi::batch_end});
    board.emit(board.call_batch());
    board.submit(request(3));
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 3U);
    const Report report = board.gpu->report();
    EXPECT_EQ(report.engines.back().batches, 1U);
    EXPECT_EQ(report.engines.back().commands, 5U); // start, noop, end, store, interrupt
}

TEST_P(Ring, RegistersAreLoadedAndStored) {
    Board board(*GetParam());
    board.start();
    const std::uint32_t hwstam = board.layout.ring + 0x98;
    board.submit({mi::load_register, hwstam, 0xabcdef01, mi::store_register | mi::global, hwstam,
                  Board::data_at});
    EXPECT_EQ(board.read(hwstam), 0xabcdef01U);
    EXPECT_EQ(board.dword(Board::data_at), 0xabcdef01U);
}

TEST_P(Ring, AUserBatchMayNotDoWhatTheKernelDoes) {
    for (const std::uint32_t command : {mi::user_interrupt, mi::store_index}) {
        Board board(*GetParam());
        board.start();
        board.put(Board::batch_at, {command, breadcrumb, 5, mi::batch_end});
        board.submit(board.call_batch());
        EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 0U);
        ASSERT_EQ(board.gpu->report().faults.size(), 1U);
        EXPECT_NE(board.gpu->report().faults[0].find("only the kernel's ring may hold it"),
                  std::string::npos);
    }
}

TEST_P(Ring, AnUnknownCommandHangsItVisibly) {
    Board board(*GetParam());
    board.start();
    board.submit({mi::noop, unknown_command});
    EXPECT_EQ(board.head(), 4U);
    EXPECT_EQ(board.read(board.layout.active_head), Board::ring_at + 4);
    EXPECT_EQ(board.read(board.layout.header), unknown_command);
    const std::vector<std::string> unknown = board.gpu->report().unknown_commands;
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_NE(unknown[0].find("0x1f800000"), std::string::npos) << unknown[0];
    board.submit(request(1));
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 0U);
}

TEST_P(Ring, AFaultHangsItUntilAResetAndNoLonger) {
    Board board(*GetParam());
    board.start();
    const bool g33 = board.layout.chip == "g33";
    const std::uint32_t store = 0x20U << 23U | (g33 ? mi::global | 1U : 2U);
    board.put(Board::batch_at, g33 ? std::vector{store, Board::unmapped, 1U, mi::batch_end}
                                   : std::vector{store, 0U, Board::unmapped, 1U, mi::batch_end});
    board.emit(board.call_batch());
    board.submit(request(1));
    // The request's remains tell what hung: the batch's address, its command, a head behind it.
    EXPECT_EQ(board.read(board.layout.active_head), Board::batch_at);
    EXPECT_EQ(board.read(board.layout.header), store);
    EXPECT_EQ(board.head(), 8U);
    ASSERT_EQ(board.gpu->report().faults.size(), 1U);
    EXPECT_NE(board.gpu->report().faults[0].find("0x800000, whose page table entry 0x0 is not"),
              std::string::npos)
        << board.gpu->report().faults[0];
    board.submit();
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 0U);

    board.reset_gpu();
    EXPECT_EQ(board.read(board.layout.ring + 0x3c), 0U);
    EXPECT_EQ(board.head(), 0U);
    board.start_ring();
    board.submit(request(2));
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 2U);
    EXPECT_EQ(board.gpu->report().resets, 1U);
    EXPECT_EQ(board.gpu->report().engines.back().resets, 1U);
}

TEST_P(Ring, StopsAndSaysThatItIsIdle) {
    constexpr std::uint32_t stop = 0x01000100;
    constexpr std::uint32_t go = 0x01000000;
    constexpr std::uint32_t idle = 0x200;
    Board board(*GetParam());
    board.start();
    const std::uint32_t mode = board.layout.ring + 0x9c;
    EXPECT_EQ(board.read(mode), idle);
    board.write(mode, stop);
    board.submit(request(1));
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 0U);
    EXPECT_EQ(board.read(mode), 0x100U | idle);
    board.write(mode, go);
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 1U);
    board.submit({unknown_command, mi::noop});
    EXPECT_EQ(board.read(mode), 0U); // it hangs, and is not idle
}

class Spinner : public testing::TestWithParam<std::pair<const BoardLayout*, Timing>> {
protected:
    static Settings settings() {
        Settings settings;
        settings.timing = GetParam().second;
        settings.delay = std::chrono::microseconds(100);
        return settings;
    }
    /// A batch that jumps to itself.
    static void spin(Board& board) {
        board.start();
        const std::vector<std::uint32_t> jump = board.call_batch();
        board.put(Board::batch_at, {jump[0], jump[1], mi::batch_end, mi::noop});
        board.emit(board.call_batch());
        board.submit(request(9));
    }
};
INSTANTIATE_TEST_SUITE_P(Chips, Spinner,
                         testing::Values(std::pair{&g33_layout, Timing::immediate},
                                         std::pair{&g33_layout, Timing::asynchronous},
                                         std::pair{&snb_layout, Timing::immediate},
                                         std::pair{&snb_layout, Timing::asynchronous}));

TEST_P(Spinner, IsEndedByTheCpu) {
    Board board(*GetParam().first, settings());
    spin(board);
    EXPECT_NE(board.head(), board.tail);
    EXPECT_TRUE(board.gpu->report().faults.empty());
    board.gpu->write_bar(2, Board::batch_at, mi::batch_end, 4);
    EXPECT_TRUE(board.drained());
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 9U);
}

TEST_P(Spinner, IsEndedByAReset) {
    Board board(*GetParam().first, settings());
    spin(board);
    board.reset_gpu();
    board.start_ring();
    board.submit(request(10));
    EXPECT_TRUE(board.drained());
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 10U);
}

TEST_P(Spinner, DoesNotKeepAMachineFromGoingAway) {
    Board board(*GetParam().first, settings());
    spin(board);
}

TEST_P(Ring, RunsLaterOnAThread) {
    Settings later;
    later.delay = std::chrono::hours(1);
    Board patient(*GetParam(), later);
    patient.start();
    patient.submit(request(1));
    EXPECT_EQ(patient.dword(Board::status_at + breadcrumb), 0U);
    EXPECT_EQ(patient.head(), 0U);

    Settings soon;
    soon.delay = std::chrono::microseconds(100);
    Board board(*GetParam(), soon);
    board.start();
    board.enable_interrupt();
    board.submit(request(2));
    EXPECT_TRUE(board.machine.wait_for_pin());
    EXPECT_TRUE(board.drained());
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 2U);
}

TEST_P(Ring, PausesAndGoesOn) {
    Board board(*GetParam());
    board.start();
    board.gpu->pause();
    board.submit(request(1));
    EXPECT_EQ(board.head(), 0U);
    board.gpu->resume();
    EXPECT_TRUE(board.drained());
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 1U);
}

// Two engines that wait for each other: the mailbox of pre-5.0 kernels.
TEST(SandyBridge, ASemaphoreHoldsAnEngineUntilAnotherSignals) {
    Board board(snb_layout);
    board.start();
    constexpr std::uint32_t wait = 0x16U << 23U | 1U << 20U | 1U << 18U | 1U; // BRSYNC
    board.emit({wait, 4, 0, mi::noop});
    board.submit(request(1));
    EXPECT_EQ(board.head(), 0U);
    constexpr std::uint32_t render_ring = Board::data_at + 0x8000;
    board.put(render_ring, {mi::load_register, 0x22040, 5, mi::noop});
    board.write(0x2038, render_ring);
    board.write(0x203c, 1);
    board.write(0x2030, 16);
    EXPECT_TRUE(board.drained());
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 1U);
}

TEST(SandyBridge, BreadcrumbsOfAFlush) {
    Board board(snb_layout);
    board.start();
    // MI_FLUSH_DW: write a dword (15:14), index into the status page (21), global (2), interrupt.
    constexpr std::uint32_t flush = 0x26U << 23U | 1U << 21U | 1U << 14U | 1U;
    board.submit({flush, breadcrumb | 4U, 0x77, mi::noop});
    EXPECT_EQ(board.dword(Board::status_at + breadcrumb), 0x77U);
    board.write(0x44014, 0);
    board.write(0x220a8, 0);
    board.submit({flush | 1U << 8U, breadcrumb | 4U, 0x78, mi::noop});
    EXPECT_EQ(board.read(0x44018), 1U << 26U);
    // PIPE_CONTROL on the render ring: write (15:14) to a global address (bit 2), notify (8).
    constexpr std::uint32_t render_ring = Board::data_at + 0x8000;
    board.put(render_ring,
              {0x7a000003, 1U << 14U | 1U << 8U, (Board::data_at + 8) | 4U, 0x11, 0x22, mi::noop});
    board.write(0x20a8, 0);
    board.write(0x2038, render_ring);
    board.write(0x203c, 1);
    board.write(0x2030, 24);
    EXPECT_EQ(board.dword(Board::data_at + 8), 0x11U);
    EXPECT_EQ(board.dword(Board::data_at + 12), 0x22U);
    EXPECT_EQ(board.read(0x44018), 1U << 26U | 1U << 4U);
    EXPECT_TRUE(board.gpu->report().faults.empty());
}

TEST(SandyBridge, ResetsOneEngineAndLeavesTheOthers) {
    Board board(snb_layout);
    board.start();
    board.write(0x2038, 0x5000);
    board.write(0x12038, 0x6000);
    board.write(0x941c, 1U << 3U); // the blitter
    EXPECT_EQ(board.read(0x941c), 0U);
    EXPECT_EQ(board.read(0x22038), 0U);
    EXPECT_EQ(board.read(0x2038), 0x5000U);
    EXPECT_EQ(board.read(0x12038), 0x6000U);
    EXPECT_EQ(board.gpu->report().resets, 0U);
}

} // namespace
} // namespace gem_upload::model::pci
