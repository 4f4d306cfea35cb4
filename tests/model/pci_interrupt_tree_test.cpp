// What would make the interrupts of gen8 and later worse than useless: one of an engine's three
// that never comes, for the kernel finds another way and only gets slow; one that says it is
// another engine's; one that passes a mask, or is lost behind another.
#include "pci_context_board.h"

namespace gem_upload::model::pci {
namespace {

class InterruptTreeTest : public OnEachContextChip {
protected:
    /// Commands that end with an event of the engine. Sources: kernel gt/gen8_engine_cs.c; BDW PRM
    /// volume 2a, PIPE_CONTROL and MI_FLUSH_DW, bit 8.
    static Commands notify(const ContextEngine& engine) {
        if (engine.name == "rcs0") {
            return {0x7a000004, 1U << 8U, 0, 0, 0, 0};
        }
        return {0x26U << 23U | 1U << 8U | 2U, 0, 0, 0};
    }
    static Commands interrupt() { return {mi::user_interrupt, mi::noop}; }
    static void raise(ContextBoard& board, const ContextEngine& engine, std::uint32_t event) {
        Context context = board.make_context();
        board.run(engine, context,
                  event == user_event    ? interrupt()
                  : event == flush_event ? notify(engine)
                                         : Commands{mi::noop, mi::noop});
    }
    static constexpr std::uint32_t all_events = user_event | flush_event | switch_event;
};
INSTANTIATE_TEST_SUITE_P(Chips, InterruptTreeTest, testing::ValuesIn(context_chips()),
                         context_chip_name);

TEST_P(InterruptTreeTest, EachEventOfEachEngineComesByItself) {
    for (std::size_t i = 0; i < ContextBoard(chip()).engines.size(); ++i) {
        for (const std::uint32_t event : {user_event, flush_event, switch_event}) {
            ContextBoard board(chip());
            const ContextEngine& engine = board.engines[i];
            board.enable_interrupts(engine, event);
            EXPECT_FALSE(board.machine.pin());
            raise(board, engine, event);
            EXPECT_TRUE(board.machine.pin()) << engine.name << " " << event;
            EXPECT_EQ(board.read(board.master()), 1U << 31U | engine.master_bit) << engine.name;
            EXPECT_EQ(board.take_interrupts(engine), event) << engine.name;
            EXPECT_FALSE(board.machine.pin()) << engine.name;
            EXPECT_EQ(board.read(board.master()), 1U << 31U) << engine.name;
        }
    }
}

TEST_P(InterruptTreeTest, OnlyWhatHappenedComes) {
    ContextBoard board(chip());
    const ContextEngine& engine = board.engine("bcs0");
    board.enable_interrupts(engine, user_event | flush_event);
    raise(board, engine, switch_event);
    EXPECT_FALSE(board.machine.pin());
    EXPECT_EQ(board.take_interrupts(engine), 0U);
    raise(board, engine, flush_event);
    EXPECT_EQ(board.take_interrupts(engine), flush_event);
}

TEST_P(InterruptTreeTest, AFlushThatDoesNotAskForItIsSilent) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        board.enable_interrupts(engine, flush_event);
        Context context = board.make_context();
        Commands quiet = notify(engine);
        quiet[engine.name == "rcs0" ? 1 : 0] &= ~(1U << 8U);
        board.run(engine, context, quiet);
        EXPECT_EQ(board.take_interrupts(engine), 0U) << engine.name;
        EXPECT_TRUE(board.gpu->report().faults.empty());
    }
}

TEST_P(InterruptTreeTest, TheMasterSwitchHoldsAllBack) {
    ContextBoard board(chip());
    const ContextEngine& engine = board.engine("vecs0");
    board.enable_interrupts(engine, user_event);
    board.switch_interrupts(false);
    raise(board, engine, user_event);
    EXPECT_FALSE(board.machine.pin());
    EXPECT_EQ(board.read(board.master()), engine.master_bit); // it can be seen nevertheless
    board.switch_interrupts(true);
    EXPECT_TRUE(board.machine.pin());
    EXPECT_EQ(board.take_interrupts(engine), user_event);
}

// From gen11 on the engine's own mask has no say (kernel: gen11 leaves RING_IMR alone).
TEST_P(InterruptTreeTest, TheEnginesOwnMaskGatesUpToGen10) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        board.enable_interrupts(engine, all_events);
        const bool gates = chip().generation < 11;
        board.write(engine.base + 0xa8, ~(switch_event << engine.shift));
        raise(board, engine, user_event);
        EXPECT_EQ(board.take_interrupts(engine), gates ? switch_event : user_event | switch_event)
            << engine.name;
    }
}

TEST_P(InterruptTreeTest, MaskAndEnableGateWhatTheySay) {
    for (std::size_t i = 0; i < ContextBoard(chip()).engines.size(); ++i) {
        ContextBoard board(chip());
        const ContextEngine& engine = board.engines[i];
        board.enable_interrupts(engine, all_events);
        const std::uint32_t mask =
            chip().generation < 11 ? ContextBoard::bank(engine) + 4 : engine.mask;
        board.write(mask, ~0U);
        raise(board, engine, user_event);
        EXPECT_FALSE(board.machine.pin()) << engine.name;
        EXPECT_EQ(board.take_interrupts(engine), 0U) << engine.name;

        board.enable_interrupts(engine, all_events);
        const std::uint32_t enable =
            chip().generation < 11 ? ContextBoard::bank(engine) + 0xc : engine.enable;
        board.write(enable, 0);
        raise(board, engine, user_event);
        EXPECT_FALSE(board.machine.pin()) << engine.name;
    }
}

// The halves of enables and masks: what is let through for one engine is not for the others.
TEST_P(InterruptTreeTest, OneEnginesEnablesAreNotAnothers) {
    for (std::size_t i = 0; i < ContextBoard(chip()).engines.size(); ++i) {
        ContextBoard board(chip());
        const ContextEngine& enabled = board.engines[i];
        board.enable_interrupts(enabled, all_events);
        for (const ContextEngine& other : board.engines) {
            // Decoders share the enable, but not the mask.
            if (&other != &enabled) {
                raise(board, other, user_event);
                EXPECT_FALSE(board.machine.pin()) << enabled.name << " enabled, " << other.name;
            }
        }
        raise(board, enabled, user_event);
        EXPECT_TRUE(board.machine.pin()) << enabled.name;
    }
}

TEST_P(InterruptTreeTest, TwoEnginesArePendingAtOnce) {
    ContextBoard board(chip());
    const ContextEngine& render = board.engine("rcs0");
    const ContextEngine& enhancer = board.engine("vecs0");
    board.enable_interrupts(render, user_event);
    board.enable_interrupts(enhancer, user_event);
    raise(board, render, user_event);
    raise(board, enhancer, user_event);
    EXPECT_EQ(board.read(board.master()), 1U << 31U | render.master_bit | enhancer.master_bit);
    EXPECT_EQ(board.take_interrupts(render), user_event);
    EXPECT_TRUE(board.machine.pin());
    EXPECT_EQ(board.take_interrupts(enhancer), user_event);
    EXPECT_FALSE(board.machine.pin());
}

class MessagesOfContexts : public InterruptTreeTest {
protected:
    static void enable_messages(ContextBoard& board) {
        const std::uint32_t place = board.gpu->read_config(0x34, 1);
        ASSERT_EQ(board.gpu->read_config(place, 1), 0x05U);
        board.gpu->write_config(place + 4, 0xfee01000, 4);
        board.gpu->write_config(place + 8, 0x4123, 2);
        board.gpu->write_config(place + 2, 1, 2);
    }
};
INSTANTIATE_TEST_SUITE_P(Chips, MessagesOfContexts, testing::ValuesIn(context_chips()),
                         context_chip_name);

// gen8_irq_handler and gen11_irq_handler: the switch off, causes read and cleared, the switch on.
TEST_P(MessagesOfContexts, WhatComesInsideTheHandlerMakesAMessageAfterIt) {
    ContextBoard board(chip());
    enable_messages(board);
    const ContextEngine& engine = board.engine("bcs0");
    const ContextEngine& decoder = board.engine("vcs0");
    board.enable_interrupts(engine, user_event);
    board.enable_interrupts(decoder, user_event);
    raise(board, engine, user_event);
    ASSERT_EQ(board.machine.messages().size(), 1U);
    EXPECT_EQ(board.machine.messages()[0], std::pair(std::uint64_t{0xfee01000}, 0x4123U));
    raise(board, engine, user_event); // still pending: no second message
    EXPECT_EQ(board.machine.messages().size(), 1U);
    board.switch_interrupts(false);
    EXPECT_EQ(board.take_interrupts(engine), user_event);
    raise(board, decoder, user_event);
    EXPECT_EQ(board.machine.messages().size(), 1U);
    board.switch_interrupts(true);
    EXPECT_EQ(board.machine.messages().size(), 2U);
    board.switch_interrupts(false);
    EXPECT_EQ(board.take_interrupts(decoder), user_event);
    board.switch_interrupts(true);
    EXPECT_EQ(board.machine.messages().size(), 2U);
    EXPECT_FALSE(board.machine.pin());
}

class InterruptSelectorTest : public InterruptTreeTest {};
std::vector<const ChipModel*> selecting_chips() {
    std::vector<const ChipModel*> chips = context_chips();
    std::erase_if(chips, [](const ChipModel* chip) { return chip->generation < 11; });
    return chips;
}
INSTANTIATE_TEST_SUITE_P(Chips, InterruptSelectorTest, testing::ValuesIn(selecting_chips()),
                         context_chip_name);

// GEN11_INTR_IDENTITY_REG: valid (31), class (18:16), instance (25:20), events (15:0).
TEST_P(InterruptSelectorTest, TheIdentitySaysWhoAndWhat) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        board.enable_interrupts(engine, all_events);
        raise(board, engine, user_event);
        const std::uint32_t identity = 0x190060 + 4 * engine.dword;
        EXPECT_EQ(board.read(identity) >> 31U, 0U);
        EXPECT_EQ(board.read(0x190018 + 4 * engine.dword), engine.dword_bit) << engine.name;
        board.write(0x190070 + 4 * engine.dword, engine.dword_bit);
        EXPECT_EQ(board.read(identity), 1U << 31U | engine.instance << 20U |
                                            engine.engine_class << 16U | user_event | switch_event)
            << engine.name;
        board.write(identity, 1U << 31U);
        EXPECT_EQ(board.read(identity) >> 31U, 0U);
        board.write(0x190018 + 4 * engine.dword, engine.dword_bit);
        EXPECT_EQ(board.read(0x190018 + 4 * engine.dword), 0U) << engine.name;
    }
}

TEST_P(InterruptSelectorTest, NothingIsBehindABitThatIsNotSet) {
    ContextBoard board(chip());
    const ContextEngine& render = board.engine("rcs0");
    const ContextEngine& blitter = board.engine("bcs0");
    board.enable_interrupts(blitter, user_event);
    raise(board, blitter, user_event);
    EXPECT_EQ(board.select(render), 0U);
    EXPECT_NE(board.select(blitter), 0U);
    EXPECT_EQ(board.select(blitter), 0U); // it has been handed over
}

// The kernel reads the identity first and clears the bit then: an event between the two must not
// be lost.
TEST_P(InterruptSelectorTest, ABitStaysWhenMoreCameSinceItsIdentity) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        board.enable_interrupts(engine, user_event | flush_event);
        raise(board, engine, user_event);
        EXPECT_EQ(board.select(engine) & 0xffffU, user_event);
        raise(board, engine, flush_event);
        board.write(0x190018 + 4 * engine.dword, engine.dword_bit);
        EXPECT_EQ(board.read(0x190018 + 4 * engine.dword), engine.dword_bit) << engine.name;
        EXPECT_TRUE(board.machine.pin());
        EXPECT_EQ(board.take_interrupts(engine), flush_event) << engine.name;
        EXPECT_FALSE(board.machine.pin());
    }
}

TEST_P(InterruptSelectorTest, ABitIsClearedByOneAlone) {
    ContextBoard board(chip());
    const ContextEngine& engine = board.engine("bcs0");
    board.enable_interrupts(engine, user_event);
    raise(board, engine, user_event);
    EXPECT_NE(board.select(engine), 0U);
    board.write(0x190018, ~engine.dword_bit);
    EXPECT_EQ(board.read(0x190018), engine.dword_bit);
    board.write(0x190018, engine.dword_bit);
    EXPECT_EQ(board.read(0x190018), 0U);
}

} // namespace
} // namespace gem_upload::model::pci
