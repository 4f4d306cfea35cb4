// What would make the context status buffer worse than useless: an entry that says the wrong thing
// of the wrong context. The kernel looks at two bits of it on gen8 and would not notice; and one
// that comes at the wrong place makes it wait for ever.
#include "pci_context_board.h"

#include <gtest/gtest.h>

namespace gem_upload::model::pci {
namespace {

class StatusBuffer : public OnEachContextChip {
protected:
    /// The entry for an event, as the chip's generation writes it. Sources: BDW PRM volume 2c,
    /// "Context Status Descriptor"; TGL PRM volume 2c, the same; kernel
    /// gt/intel_execlists_submission.c, gen8_csb_parse and gen12_csb_parse.
    [[nodiscard]] static Status entry(const ContextBoard& board, const ContextEngine& engine,
                                      std::uint32_t event, bool new_queue, const Context* to,
                                      const Context* away) {
        if (board.chip.generation < 12) {
            return {event, board.upper(engine, away != nullptr ? *away : *to)};
        }
        const auto number = [](const Context* context) {
            return (context == nullptr ? 0x7ffU : context->number) << 15U;
        };
        return {number(to) | (new_queue ? 1U : 0U), number(away)};
    }
    static Status idle_to_active(const ContextBoard& board, const ContextEngine& engine,
                                 const Context& to) {
        return entry(board, engine, 0x01, true, &to, nullptr);
    }
    static Status to_idle(const ContextBoard& board, const ContextEngine& engine,
                          const Context& away) {
        return entry(board, engine, 0x18, false, nullptr, &away);
    }
};
INSTANTIATE_TEST_SUITE_P(Chips, StatusBuffer, testing::ValuesIn(context_chips()),
                         context_chip_name);

using Entries = std::vector<Status>;

TEST_P(StatusBuffer, TellsOfAContextThatComesAndGoesOnEachEngine) {
    ContextBoard board(chip());
    Context other = board.make_context();
    Context context = board.make_context();
    for (const ContextEngine& engine : board.engines) {
        board.run(engine, context, {mi::noop, mi::noop});
        EXPECT_EQ(board.events(engine), (Entries{idle_to_active(board, engine, context),
                                                 to_idle(board, engine, context)}))
            << engine.name;
    }
    const auto& blitter = board.engine("bcs0");
    board.run(blitter, other, {mi::noop, mi::noop});
    EXPECT_EQ(board.events(blitter),
              (Entries{idle_to_active(board, blitter, other), to_idle(board, blitter, other)}));
}

TEST_P(StatusBuffer, TellsOfTheSwitchToTheSecondPort) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context first = board.make_context();
    Context second = board.make_context();
    board.emit(first, {mi::noop, mi::noop});
    board.emit(second, {mi::noop, mi::noop});
    board.submit(engine, &first, &second);
    EXPECT_EQ(board.events(engine), (Entries{idle_to_active(board, engine, first),
                                             entry(board, engine, 0x14, false, &second, &first),
                                             to_idle(board, engine, second)}));
}

TEST_P(StatusBuffer, TellsOfALiteRestore) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context context = board.make_context();
    board.run(engine, context, wait_at_least(chip(), ContextBoard::user_data, 1));
    EXPECT_EQ(board.events(engine), (Entries{idle_to_active(board, engine, context)}));
    board.run(engine, context, {mi::noop, mi::noop});
    EXPECT_EQ(board.events(engine),
              (Entries{entry(board, engine, 0x8002, true, &context, &context)}));
    board.shared(ContextBoard::data_at).store(1);
    Entries last;
    EXPECT_TRUE(ContextBoard::eventually([&] { return !(last = board.events(engine)).empty(); }));
    EXPECT_EQ(last, (Entries{to_idle(board, engine, context)}));
}

TEST_P(StatusBuffer, TellsOfAPreemptionByAnotherContext) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context low = board.make_context();
    Context high = board.make_context();
    board.run(engine, low, wait_at_least(chip(), ContextBoard::user_data, 1));
    board.run(engine, high, {mi::noop, mi::noop});
    // The ports are the new ones: LOW comes again only when it is given again.
    EXPECT_EQ(board.events(engine), (Entries{idle_to_active(board, engine, low),
                                             entry(board, engine, 0x02, true, &high, &low),
                                             to_idle(board, engine, high)}));
    board.put(ContextBoard::data_at, {1});
    board.submit(engine, &low);
    EXPECT_EQ(board.events(engine),
              (Entries{idle_to_active(board, engine, low), to_idle(board, engine, low)}));
}

// A context may also end of itself before it gets to an arbitration point.
TEST_P(StatusBuffer, TellsOfAQueueThatWaitedForTheEnd) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context low = board.make_context();
    Context high = board.make_context();
    board.put(low.batch(), join({mi::call(ContextBoard::user_batch), {mi::batch_end}}));
    board.run(engine, low, mi::call(ContextBoard::user_batch));
    board.run(engine, high, {mi::noop, mi::noop});
    EXPECT_EQ(board.events(engine), (Entries{idle_to_active(board, engine, low)}));
    board.gpu->write_bar(2, low.batch(), mi::batch_end, 4);
    Entries entries;
    EXPECT_TRUE(ContextBoard::eventually([&] {
        const Entries more = board.events(engine);
        entries.insert(entries.end(), more.begin(), more.end());
        return entries.size() >= 2;
    }));
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(board.head(high), high.tail);
    // The kernel must see that the new queue took over: bit 1, or bit 0 on gen12.
    EXPECT_NE(entries[0].low & (chip().generation < 12 ? 0x2U : 0x1U), 0U);
    EXPECT_EQ(entries[0].high, entry(board, engine, 0, true, &high, &low).high);
    EXPECT_EQ(entries[1], to_idle(board, engine, high));
}

TEST_P(StatusBuffer, ForceRestoreCountsAsANewQueue) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context context = board.make_context();
    board.run(engine, context, wait_at_least(chip(), ContextBoard::user_data, 1));
    (void)board.events(engine);
    board.submit(engine, &context, nullptr, 1U << 2U);
    const Entries entries = board.events(engine);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_NE(entries[0].low & (chip().generation < 12 ? 0x2U : 0x1U), 0U);
}

TEST_P(StatusBuffer, BeginsAtItsFirstEntryAndWraps) {
    ContextBoard board(chip());
    const auto& engine = board.engine("vcs0");
    const std::uint32_t entries = board.status_entries();
    std::vector<Context> contexts;
    for (unsigned i = 0; i < entries; ++i) {
        contexts.push_back(board.make_context());
    }
    for (std::uint32_t i = 0; i < 2 * entries; ++i) {
        Context& context = contexts[i % entries];
        board.run(engine, context, {mi::noop, mi::noop});
        const std::uint32_t position = (2 * i + 1) % entries;
        ASSERT_EQ(board.write_pointer(engine), position) << i;
        ASSERT_EQ(board.events(engine), (Entries{idle_to_active(board, engine, context),
                                                 to_idle(board, engine, context)}));
        // Nothing behind the last entry, but the pointer itself.
        ASSERT_EQ(board.dword(board.status_page(engine) + 0x40 + 8 * entries), 0U);
    }
}

// gen8: RING_CONTEXT_STATUS_BUF at 0x370, 6 of them; gen11: 6 more at 0x3c0.
TEST_P(StatusBuffer, IsMirroredInRegisters) {
    ContextBoard board(chip());
    const auto& engine = board.engine("rcs0");
    const std::uint32_t entries = board.status_entries();
    for (std::uint32_t i = 0; i < entries / 2; ++i) {
        Context context = board.make_context();
        board.run(engine, context, {mi::noop, mi::noop});
    }
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::uint32_t mirror = engine.base + (i < 6 ? 0x370 + 8 * i : 0x3c0 + 8 * (i - 6));
        const std::uint32_t place = board.status_page(engine) + 0x40 + 8 * i;
        EXPECT_EQ(board.read(mirror), board.dword(place)) << i;
        EXPECT_EQ(board.read(mirror + 4), board.dword(place + 4)) << i;
        EXPECT_NE(board.read(mirror), 0U) << i;
    }
    EXPECT_EQ(board.read(engine.base + 0x3a0) & 0xfU, entries - 1);
}

TEST_P(StatusBuffer, PowersOnAtTheLastEntry) {
    TestMachine machine;
    const auto gpu = make_gpu(chip().name, machine, immediate());
    const std::uint64_t pointers = gpu->read_bar(0, 0x223a0, 4);
    const std::uint64_t last = chip().generation < 11 ? 5 : 11;
    EXPECT_EQ(pointers & 0xfU, last);
}

// The kernel moves its read pointer (11:8) with a mask, and a reset moves both.
TEST_P(StatusBuffer, ThePointersAreWrittenWithAMask) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    const std::uint32_t pointers = engine.base + 0x3a0;
    Context context = board.make_context();
    board.run(engine, context, {mi::noop, mi::noop}); // writes entries 0 and 1
    const std::uint32_t last = board.status_entries() - 1;
    EXPECT_EQ(board.read(pointers), last << 8U | 1U);
    board.write(pointers, 0x0f000100);
    EXPECT_EQ(board.read(pointers), 0x101U);
    board.run(engine, context, {mi::noop, mi::noop});
    EXPECT_EQ(board.read(pointers), 0x103U);
    board.write(pointers, 0xffff0000 | last << 8U | last);
    board.run(engine, context, {mi::noop, mi::noop});
    EXPECT_EQ(board.read(pointers), last << 8U | 1U);
}

TEST_P(StatusBuffer, GoesWhereTheStatusPageIs) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context context = board.make_context();
    constexpr std::uint32_t elsewhere = ContextBoard::data_at + 0x3000;
    board.write(engine.base + 0x80, elsewhere);
    board.run(engine, context, {mi::noop, mi::noop});
    EXPECT_TRUE(board.events(engine).empty());
    EXPECT_EQ(board.dword(elsewhere + 0x40), idle_to_active(board, engine, context).low);
    EXPECT_EQ(board.dword(elsewhere + (chip().generation < 11 ? 0x7c : 0xbc)), 1U);
}

} // namespace
} // namespace gem_upload::model::pci
