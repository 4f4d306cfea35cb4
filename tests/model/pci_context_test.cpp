// What would make contexts worse than useless: work that is lost or done twice when one gives way
// to another, one that gives way where it must not, and one that does what is another's.
#include "pci_context_board.h"

namespace gem_upload::model::pci {
namespace {

constexpr std::uint64_t data = ContextBoard::user_data;
constexpr std::uint32_t data_at = ContextBoard::data_at;
constexpr std::uint64_t batch = ContextBoard::user_batch;

/// A while in which a device's thread would do what it must not.
void let_some_time_pass() {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

class Contexts : public OnEachContextChip {
protected:
    /// A batch that stores 1, loops with these commands, and stores 2 when somebody ends the loop.
    static void put_loop(ContextBoard& board, const Context& context, const Commands& in_loop) {
        board.put(context.batch(), join({mi::store(data, 1),
                                         in_loop,
                                         mi::call(batch + 16), // behind the store
                                         {mi::batch_end}}));
    }
    static void end_loop(ContextBoard& board, const Context& context, std::size_t in_loop) {
        // One dword ends it, where the jump begins.
        board.gpu->write_bar(2, context.batch() + 16 + 4 * in_loop, mi::batch_end, 4);
    }
};
INSTANTIATE_TEST_SUITE_P(Chips, Contexts, testing::ValuesIn(context_chips()), context_chip_name);

TEST_P(Contexts, RunOnEveryEngineAndSaveTheirHead) {
    ContextBoard board(chip());
    Context context = board.make_context();
    std::uint32_t value = 0;
    for (const ContextEngine& engine : board.engines) {
        ++value;
        board.run(engine, context, mi::store(data, value));
        EXPECT_EQ(board.dword(data_at), value) << engine.name;
        EXPECT_EQ(board.head(context), context.tail) << engine.name;
    }
    const Report report = board.gpu->report();
    EXPECT_TRUE(report.faults.empty());
    ASSERT_EQ(report.engines.size(), board.engines.size());
    for (const ContextEngine& engine : board.engines) {
        EXPECT_EQ(std::ranges::count(report.engines, engine.name, &EngineReport::name), 1);
    }
}

TEST_P(Contexts, RunOnlyOnTheEngineThatWasGivenThem) {
    ContextBoard board(chip());
    Context context = board.make_context();
    board.run(board.engine("vcs0"), context, {mi::noop, mi::noop});
    for (const ContextEngine& engine : board.engines) {
        EXPECT_EQ(board.events(engine).empty(), engine.name != "vcs0") << engine.name;
    }
}

TEST_P(Contexts, GoOnAtTheRingsStart) {
    ContextBoard board(chip());
    Context context = board.make_context();
    const auto& engine = board.engine("bcs0");
    board.run(engine, context, {mi::noop, mi::noop}); // so that stores do not fit at the end
    for (std::uint32_t i = 1; i <= 600; ++i) {
        board.run(engine, context, mi::store(data, i));
        ASSERT_EQ(board.dword(data_at), i);
        ASSERT_EQ(board.head(context), context.tail);
    }
}

TEST_P(Contexts, GoOnWhereTheImageSays) {
    ContextBoard board(chip());
    Context context = board.make_context();
    const auto& engine = board.engine("rcs0");
    board.run(engine, context, join({mi::store(data, 1), mi::store(data + 4, 1)}));
    board.put(data_at, {0, 0});
    // The kernel winds a ring back after a reset.
    board.put_image(context, 0x05, 16);
    board.submit(engine, &context);
    EXPECT_EQ(board.dword(data_at), 0U);
    EXPECT_EQ(board.dword(data_at + 4), 1U);
}

TEST_P(Contexts, BothPortsRunInOrder) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context first = board.make_context();
    Context second = board.make_context();
    board.emit(first, mi::store(data, 1));
    board.emit(second, mi::store(data, 2));
    board.submit(engine, &first, &second);
    EXPECT_EQ(board.dword(data_at), 2U);
    board.emit(first, mi::store(data, 3));
    board.emit(second, mi::store(data, 4));
    board.submit(engine, &second, &first);
    EXPECT_EQ(board.dword(data_at), 3U);
}

// The kernel's breadcrumbs: into page 0 of the context, not into the engine's status page.
TEST_P(Contexts, HaveAStatusPageOfTheirOwn) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    for (std::uint32_t value : {0x11U, 0x22U}) {
        Context context = board.make_context();
        constexpr std::uint32_t place = 0x34 * 4;
        const Commands flush{0x26U << 23U | 1U << 21U | 1U << 14U | 2U, (place + 8) | 4U, 0, value};
        board.run(engine, context, join({{mi::store_index, place, value}, flush}));
        EXPECT_EQ(board.dword(context.place + place), value);
        EXPECT_EQ(board.dword(context.place + place + 8), value);
        EXPECT_EQ(board.dword(board.status_page(engine) + place), 0U);
        EXPECT_EQ(board.dword(board.status_page(engine) + place + 8), 0U);
    }
}

TEST_P(Contexts, HaveAClock) {
    ContextBoard board(chip());
    Context context = board.make_context();
    board.run(board.engine("bcs0"), context, {mi::noop, mi::noop});
    EXPECT_NE(board.dword(context.image(0x23)), 0U);
}

TEST_P(Contexts, ALiteRestoreTakesTheNewTailAndLoadsNothing) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context context = board.make_context();
    board.run(engine, context, wait_at_least(chip(), data, 1));
    // What the image says of the head is nothing to an engine that has the context.
    board.put_image(context, 0x05, 0x800);
    board.run(engine, context, mi::store(data + 4, 7));
    board.shared(data_at).store(1);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 4) == 7; }));
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.head(context) == context.tail; }));
    EXPECT_TRUE(board.gpu->report().faults.empty());
}

TEST_P(Contexts, AForcedRestoreLoadsTheImage) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context context = board.make_context();
    board.run(engine, context, wait_at_least(chip(), data, 1));
    // The kernel emits a ring anew, elsewhere.
    board.put(context.ring() + 0x1000, mi::store(data + 4, 9));
    board.put_image(context, 0x09, context.ring() + 0x1000);
    board.put_image(context, 0x07, 16);
    board.gpu->pause(); // the write below saves the head, and loads later
    board.submit(engine, &context, nullptr, 1U << 2U);
    board.put_image(context, 0x05, 0);
    board.gpu->resume();
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 4) == 9; }));
    EXPECT_EQ(board.dword(data_at), 0U);
}

TEST_P(Contexts, GiveWayAtAnArbitrationPointAndComeBackThere) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context low = board.make_context();
    Context high = board.make_context();
    put_loop(board, low, {mi::arb_check});
    board.run(engine, low, join({mi::call(batch), mi::store(data + 8, 3)}));
    EXPECT_EQ(board.dword(data_at), 1U);
    board.gpu->write_bar(2, data_at, 0, 4);
    board.run(engine, high, mi::store(data + 4, 2));
    EXPECT_EQ(board.dword(data_at + 4), 2U);
    EXPECT_EQ(board.head(high), high.tail);
    EXPECT_EQ(board.dword(data_at + 8), 0U);
    // It stands in its batch, past the call in the ring.
    EXPECT_EQ(board.head(low), 12U);
    board.submit(engine, &low);
    let_some_time_pass();
    EXPECT_EQ(board.shared(data_at), 0U); // the batch did not begin anew
    EXPECT_EQ(board.shared(data_at + 8), 0U);
    end_loop(board, low, 1);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 8) == 3; }));
    EXPECT_EQ(board.shared(data_at), 0U);
}

TEST_P(Contexts, GiveWayAtASemaphoreAndWaitOnAfterwards) {
    ContextBoard board(chip());
    const auto& engine = board.engine("vcs0");
    Context low = board.make_context();
    Context high = board.make_context();
    board.run(
        engine, low,
        join({mi::store(data, 1), wait_at_least(chip(), data + 4, 1), mi::store(data + 8, 3)}));
    board.put(data_at, {0});
    board.run(engine, high, mi::store(data + 12, 2));
    EXPECT_EQ(board.dword(data_at + 12), 2U);
    EXPECT_EQ(board.dword(data_at + 8), 0U);
    EXPECT_EQ(board.head(low), 16U); // at the semaphore
    board.submit(engine, &low);
    board.shared(data_at + 4).store(1);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 8) == 3; }));
    EXPECT_EQ(board.dword(data_at), 0U); // what was done was not done again
}

// Preemption keeps a batch's place only as long as the kernel does not wind the ring back.
TEST_P(Contexts, AWoundBackRingBeginsItsBatchAnew) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context low = board.make_context();
    Context high = board.make_context();
    put_loop(board, low, {mi::arb_check});
    board.run(engine, low, mi::call(batch));
    board.run(engine, high, {mi::noop, mi::noop});
    board.gpu->write_bar(2, data_at, 0, 4);
    board.put_image(low, 0x05, 0);
    board.submit(engine, &low);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at) == 1; }));
}

TEST_P(Contexts, DoNotGiveWayWhileArbitrationIsOff) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context low = board.make_context();
    Context high = board.make_context();
    put_loop(board, low, {mi::arb_check});
    board.run(engine, low,
              join({{mi::arb_off},
                    mi::call(batch),
                    mi::store(data + 8, 3),
                    {mi::arb_on, mi::arb_check},
                    mi::store(data + 12, 5)}));
    board.run(engine, high, mi::store(data + 4, 2));
    let_some_time_pass();
    EXPECT_EQ(board.shared(data_at + 4), 0U);
    end_loop(board, low, 1);
    // Behind MI_ARB_ON_OFF it does, and its last store waits.
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 4) == 2; }));
    EXPECT_EQ(board.shared(data_at + 8), 3U);
    EXPECT_EQ(board.shared(data_at + 12), 0U);
    board.submit(engine, &low);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 12) == 5; }));
}

TEST_P(Contexts, ASemaphoreDoesNotGiveWayWhileArbitrationIsOff) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context low = board.make_context();
    Context high = board.make_context();
    board.run(engine, low, join({{mi::arb_off}, wait_at_least(chip(), data, 1), {mi::arb_on}}));
    board.run(engine, high, mi::store(data + 4, 2));
    let_some_time_pass();
    EXPECT_EQ(board.shared(data_at + 4), 0U);
    board.shared(data_at).store(1);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 4) == 2; }));
}

TEST_P(Contexts, ALoopWithoutAnArbitrationPointDoesNotGiveWay) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context low = board.make_context();
    Context high = board.make_context();
    put_loop(board, low, {mi::noop});
    board.run(engine, low, mi::call(batch));
    board.run(engine, high, mi::store(data + 4, 2));
    let_some_time_pass();
    EXPECT_EQ(board.shared(data_at + 4), 0U);
    end_loop(board, low, 1);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 4) == 2; }));
}

// Arbitration is the context's: one that has switched it off is not asked for the next.
TEST_P(Contexts, ArbitrationIsOnInAContextThatComes) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context first = board.make_context();
    Context low = board.make_context();
    Context high = board.make_context();
    board.run(engine, first, {mi::arb_off, mi::noop});
    put_loop(board, low, {mi::arb_check});
    board.run(engine, low, mi::call(batch));
    board.run(engine, high, mi::store(data + 4, 2));
    EXPECT_EQ(board.dword(data_at + 4), 2U);
}

TEST_P(Contexts, AUserBatchMayNotDoWhatTheKernelDoes) {
    const Commands forbidden[] = {{mi::user_interrupt},
                                  {mi::store_index, 0xd0, 5},
                                  {mi::arb_off},
                                  mi::store(data_at, 5, mi::global),
                                  {mi::load_register, 0x22098, 5}};
    for (const Commands& commands : forbidden) {
        ContextBoard board(chip());
        Context context = board.make_context();
        board.put(context.batch(), join({commands, {mi::batch_end}}));
        board.run(board.engine("bcs0"), context, mi::call(batch));
        EXPECT_EQ(board.gpu->report().faults.size(), 1U) << std::hex << commands[0];
        EXPECT_EQ(board.dword(data_at), 0U);
    }
}

class Semaphores : public Contexts {};
INSTANTIATE_TEST_SUITE_P(Chips, Semaphores, testing::ValuesIn(context_chips()), context_chip_name);

TEST_P(Semaphores, AreReleasedByAnotherEnginesStore) {
    ContextBoard board(chip());
    for (const ContextEngine& waiter : board.engines) {
        const ContextEngine& signaller = board.engine(waiter.name == "bcs0" ? "vecs0" : "bcs0");
        Context waiting = board.make_context();
        Context signalling = board.make_context();
        board.put(data_at, {0, 0});
        board.run(waiter, waiting,
                  join({wait_at_least(chip(), data_at, 5, mi::global), mi::store(data + 4, 6)}));
        board.run(signaller, signalling, mi::store(data, 4));
        let_some_time_pass();
        EXPECT_EQ(board.shared(data_at + 4), 0U) << waiter.name;
        board.run(signaller, signalling, mi::store(data, 5));
        EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 4) == 6; }))
            << waiter.name;
    }
}

TEST_P(Semaphores, AreReleasedByAPlainStoreOfTheCpu) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        Context context = board.make_context();
        board.put(data_at, {0, 0});
        board.put(context.batch(), join({wait_at_least(chip(), data, 1), {mi::batch_end}}));
        board.run(engine, context, join({mi::call(batch), mi::store(data + 4, 6)}));
        let_some_time_pass();
        EXPECT_EQ(board.shared(data_at + 4), 0U) << engine.name;
        board.shared(data_at).store(1);
        EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 4) == 6; }))
            << engine.name;
    }
}

// gen12's kernel waits in the ring until an invalidation register reads 0.
TEST_P(Semaphores, PollARegister) {
    ContextBoard board(chip());
    const auto& engine = board.engine("rcs0");
    Context context = board.make_context();
    const std::uint32_t polled = board.engine("bcs0").base + 0x600; // a general-purpose register
    board.run(engine, context,
              join({wait_at_least(chip(), polled, 3, mi::poll_register), mi::store(data, 1)}));
    let_some_time_pass();
    EXPECT_EQ(board.shared(data_at), 0U);
    board.write(polled, 3);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at) == 1; }));
}

class WorkaroundBatches : public Contexts {
protected:
    /// Where the image has them; 0: nowhere. Source: kernel gt/intel_lrc.c,
    /// lrc_ring_wa_bb_per_ctx.
    static std::uint32_t place(const ContextEngine& engine) {
        if (chip().generation >= 12) {
            return 0x12;
        }
        return chip().generation >= 9 || engine.name == "rcs0" ? 0x18 : 0;
    }
    /// Lines of 64 bytes that end with their length.
    static void put_indirect(ContextBoard& board, const Context& context, std::uint32_t index,
                             Commands commands, std::uint32_t lines) {
        commands.resize(16 * std::size_t{lines}, mi::noop);
        board.put(context.workarounds(), commands);
        // Just behind it: not to be reached.
        board.put(context.workarounds() + 64 * lines, mi::store(data_at + 0x100, 1, mi::global));
        board.put_image(context, index + 3, context.workarounds() | lines);
    }
};
INSTANTIATE_TEST_SUITE_P(Chips, WorkaroundBatches, testing::ValuesIn(context_chips()),
                         context_chip_name);

TEST_P(WorkaroundBatches, RunWhenTheContextIsLoadedAndNoOtherTime) {
    for (std::size_t i = 0; i < ContextBoard(chip()).engines.size(); ++i) {
        ContextBoard board(chip());
        const ContextEngine& engine = board.engines[i];
        const std::uint32_t index = place(engine);
        Context context = board.make_context();
        // gen8's other engines have none: the same dwords mean something else there.
        put_indirect(board, context, index == 0 ? 0x18 : index, mi::store(data_at, 1, mi::global),
                     2);
        const std::uint32_t expected = index == 0 ? 0 : 1;
        board.run(engine, context, wait_at_least(chip(), data + 8, 1));
        EXPECT_EQ(board.dword(data_at), expected) << engine.name;
        EXPECT_EQ(board.dword(data_at + 0x100), 0U);
        board.put(data_at, {0});
        board.run(engine, context, {mi::noop, mi::noop}); // a lite restore
        board.shared(data_at + 8).store(1);
        EXPECT_TRUE(ContextBoard::eventually([&] { return board.head(context) == context.tail; }));
        EXPECT_EQ(board.dword(data_at), 0U) << engine.name;
        board.run(engine, context, {mi::noop, mi::noop});
        EXPECT_EQ(board.dword(data_at), expected) << engine.name;
        EXPECT_TRUE(board.gpu->report().faults.empty());
    }
}

TEST_P(WorkaroundBatches, OfTheContextEndThemselvesAndAreEnabledByABit) {
    ContextBoard board(chip());
    const auto& engine = board.engine("rcs0");
    Context context = board.make_context();
    board.put(context.workarounds(), join({mi::store(data_at, 1, mi::global),
                                           {mi::batch_end},
                                           mi::store(data_at + 4, 1, mi::global)}));
    board.put_image(context, place(engine) + 1, context.workarounds());
    board.run(engine, context, {mi::noop, mi::noop});
    EXPECT_EQ(board.dword(data_at), 0U);
    board.put_image(context, place(engine) + 1, context.workarounds() | 1U);
    board.run(engine, context, mi::store(data + 8, 1));
    EXPECT_EQ(board.dword(data_at), 1U);
    EXPECT_EQ(board.dword(data_at + 4), 0U);
    EXPECT_EQ(board.dword(data_at + 8), 1U);
}

// gen12's kernel polls in them.
TEST_P(WorkaroundBatches, ThatWaitGoOnWhereTheyWaited) {
    ContextBoard board(chip());
    const auto& engine = board.engine("rcs0");
    Context context = board.make_context();
    put_indirect(board, context, place(engine),
                 join({wait_at_least(chip(), data_at, 1, mi::global),
                       mi::store(data_at + 4, 1, mi::global)}),
                 1);
    board.run(engine, context, mi::store(data + 8, 1));
    let_some_time_pass();
    EXPECT_EQ(board.shared(data_at + 8), 0U);
    board.shared(data_at).store(1);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.shared(data_at + 8) == 1; }));
    EXPECT_EQ(board.shared(data_at + 4), 1U);
}

} // namespace
} // namespace gem_upload::model::pci
