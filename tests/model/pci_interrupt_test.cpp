// What would make interrupts worse than useless: one that arrives although the kernel masked it,
// one that is lost while another is pending (the kernel would wait for ever, or poll and not tell),
// a level that stays up, and a word to the machine while that resets.
#include "pci_board.h"

#include <gtest/gtest.h>

namespace gem_upload::model::pci {
namespace {

class Interrupt : public testing::TestWithParam<const BoardLayout*> {};
INSTANTIATE_TEST_SUITE_P(Chips, Interrupt, testing::Values(&g33_layout, &snb_layout),
                         [](const auto& chip) { return std::string(chip.param->chip); });

const std::vector<std::uint32_t> interrupting = {mi::user_interrupt, mi::noop};

TEST_P(Interrupt, DoesNotPassItsMask) {
    Board board(*GetParam());
    board.start();
    board.enable_interrupt();
    board.write(board.layout.mask, ~0U);
    board.submit(interrupting);
    EXPECT_EQ(board.read(board.layout.identity), 0U);
    EXPECT_FALSE(board.machine.pin());
    // Unmasking does not bring back what was masked.
    board.write(board.layout.mask, ~board.layout.user_bit);
    EXPECT_FALSE(board.machine.pin());
}

TEST_P(Interrupt, WaitsUntilItIsEnabled) {
    Board board(*GetParam());
    board.start();
    board.enable_interrupt();
    board.write(board.layout.enable, 0);
    board.submit(interrupting);
    EXPECT_EQ(board.read(board.layout.identity), board.layout.user_bit);
    EXPECT_FALSE(board.machine.pin());
    board.write(board.layout.enable, board.layout.user_bit);
    EXPECT_TRUE(board.machine.pin());
    EXPECT_EQ(board.gpu->read_config(6, 2) & 8U, 8U); // interrupt status
}

TEST_P(Interrupt, IsClearedByWritingOneAndByNothingElse) {
    Board board(*GetParam());
    board.start();
    board.enable_interrupt();
    board.submit(interrupting);
    board.write(board.layout.identity, ~board.layout.user_bit);
    EXPECT_TRUE(board.machine.pin());
    EXPECT_EQ(board.read(board.layout.identity), board.layout.user_bit);
    board.write(board.layout.identity, ~0U);
    EXPECT_FALSE(board.machine.pin());
    EXPECT_EQ(board.machine.pin_changes(), 2U);
}

TEST_P(Interrupt, RespectsThePinsDisableBit) {
    Board board(*GetParam());
    board.start();
    board.enable_interrupt();
    board.gpu->write_config(4, 0x0406, 2);
    board.submit(interrupting);
    EXPECT_FALSE(board.machine.pin());
    board.gpu->write_config(4, 0x0006, 2);
    EXPECT_TRUE(board.machine.pin());
}

TEST_P(Interrupt, AResetOfTheMachineIsSilent) {
    Board board(*GetParam());
    board.start();
    board.enable_interrupt();
    board.submit(interrupting);
    const unsigned changes = board.machine.pin_changes();
    board.gpu->reset();
    EXPECT_EQ(board.machine.pin_changes(), changes);
    EXPECT_EQ(board.read(board.layout.identity), 0U);
    EXPECT_EQ(board.head(), 0U);
    board.start();
    board.enable_interrupt();
    board.submit(interrupting);
    EXPECT_TRUE(board.machine.pin());
    EXPECT_EQ(board.gpu->report().interrupts, 2U); // the report lives on
}

TEST(SandyBridgeInterrupt, PassesTheEnginesMaskAndTheMasterSwitch) {
    Board board(snb_layout);
    board.start();
    board.enable_interrupt();
    board.write(0x220a8, ~0U);
    board.submit(interrupting);
    EXPECT_EQ(board.read(0x44018), 0U);
    board.write(0x220a8, ~(1U << 22U));
    board.write(0x4400c, 0); // the master switch is bit 31 of DEIER
    board.submit(interrupting);
    EXPECT_EQ(board.read(0x44018), 1U << 22U);
    EXPECT_FALSE(board.machine.pin());
    board.write(0x4400c, 1U << 31U);
    EXPECT_TRUE(board.machine.pin());
}

class MessageInterrupt : public testing::Test {
protected:
    MessageInterrupt() {
        board.start();
        board.enable_interrupt();
        board.gpu->write_config(0x94, 0xfee01000, 4);
        board.gpu->write_config(0x98, 0x4123, 2);
        board.gpu->write_config(0x92, 1, 2);
    }
    Board board{snb_layout};
};

TEST_F(MessageInterrupt, GoesWhereTheKernelSaid) {
    board.submit(interrupting);
    const auto messages = board.machine.messages();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].first, 0xfee01000U);
    EXPECT_EQ(messages[0].second, 0x4123U);
    EXPECT_EQ(board.machine.pin_changes(), 0U);
}

TEST_F(MessageInterrupt, IsNotRepeatedWhilePendingAndComesAgainAfterwards) {
    board.submit(interrupting);
    board.submit(interrupting);
    EXPECT_EQ(board.machine.messages().size(), 1U);
    board.write(0x44018, 1U << 22U);
    board.submit(interrupting);
    EXPECT_EQ(board.machine.messages().size(), 2U);
}

// i915's ironlake_irq_handler: the master switch off, the causes read and cleared, the switch on.
// What arrives in between must make a message of its own.
TEST_F(MessageInterrupt, IsNotLostInsideTheHandler) {
    board.submit(interrupting);
    board.write(0x4400c, 0);
    board.write(0x44018, board.read(0x44018));
    board.submit(interrupting);
    EXPECT_EQ(board.machine.messages().size(), 1U);
    board.write(0x4400c, 1U << 31U);
    EXPECT_EQ(board.machine.messages().size(), 2U);
}

// A cause in another bank stays pending when the first is cleared.
TEST_F(MessageInterrupt, OfASecondCauseComesWhenTheHandlerEnds) {
    board.write(0x44014, 0);
    board.write(0x4401c, 1U << 22U | 1U << 26U);
    board.write(0x220a8, 0);
    board.submit(interrupting);
    board.submit({0x26U << 23U | 1U << 8U | 1U, 0, 0, mi::noop}); // MI_FLUSH_DW's interrupt
    EXPECT_EQ(board.machine.messages().size(), 1U);
    board.write(0x4400c, 0);
    board.write(0x44018, 1U << 22U);
    board.write(0x4400c, 1U << 31U);
    EXPECT_EQ(board.machine.messages().size(), 2U);
}

} // namespace
} // namespace gem_upload::model::pci
