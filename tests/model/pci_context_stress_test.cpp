// Worse than useless: a device whose races show once in a thousand runs, in somebody's kernel
// test. Engines run on the device's thread here while contexts are given more work, and wait for
// one another all the time.
#include "pci_context_board.h"

namespace gem_upload::model::pci {
namespace {

constexpr std::uint32_t data_at = ContextBoard::data_at;
constexpr std::uint64_t data = ContextBoard::user_data;

class ContextStress : public OnEachContextChip {
protected:
    static Settings soon() {
        Settings settings;
        settings.delay = std::chrono::microseconds(5);
        return settings;
    }
};
INSTANTIATE_TEST_SUITE_P(Chips, ContextStress, testing::ValuesIn(context_chips()),
                         context_chip_name);

/// One of two engines, each with a context that waits for the other's breadcrumbs.
struct Side {
    const ContextEngine& engine;
    Context context;
    std::uint32_t own;   ///< breadcrumb, as distance in the data
    std::uint32_t other; ///< breadcrumb of the other side
    std::uint32_t values;
};

TEST_P(ContextStress, ChainsAcrossEnginesKeepTheirOrder) {
    constexpr std::uint32_t requests = 2000;
    constexpr std::uint32_t ahead = 30; ///< requests that the ring of 4 KiB holds
    ContextBoard board(chip(), soon());
    Side sides[] = {{board.engine("bcs0"), board.make_context(), 0x0, 0x40, 0x1000},
                    {board.engine("rcs0"), board.make_context(), 0x40, 0x0, 0x9000}};
    for (std::uint32_t i = 1; i <= requests; ++i) {
        for (std::uint32_t which = 0; which < 2; ++which) {
            Side& side = sides[which];
            if (i > ahead) {
                ASSERT_TRUE(ContextBoard::eventually([&] {
                    return board.shared(data_at + side.own).load() + ahead >= i;
                })) << side.engine.name
                    << " at request " << i;
            }
            // The first side goes ahead, the second answers.
            const std::uint32_t needed = which == 0 ? i - 1 : i;
            board.run(side.engine, side.context,
                      join({wait_at_least(chip(), data + side.other, needed),
                            mi::store(data + side.values + 4 * i, i * 3 + which),
                            mi::store(data + side.own, i),
                            {mi::arb_check}}));
        }
    }
    for (const Side& side : sides) {
        EXPECT_TRUE(ContextBoard::eventually([&] {
            return (board.read(side.engine.base + 0x9c) & 1U << 9U) != 0;
        })) << side.engine.name;
        EXPECT_EQ(board.shared(data_at + side.own), requests);
        EXPECT_EQ(board.shared(side.context.image(0x05)), side.context.tail);
        for (std::uint32_t i = 1; i <= requests; ++i) {
            ASSERT_EQ(board.shared(data_at + side.values + 4 * i),
                      i * 3 + (&side == &sides[0] ? 0 : 1));
        }
    }
    EXPECT_TRUE(board.gpu->report().faults.empty());
}

// Two contexts on one engine that push each other out in the middle of their batches; each counts
// in memory, by commands that read what the last one left.
TEST_P(ContextStress, PreemptionLosesNothing) {
    constexpr std::uint32_t rounds = 1000;
    ContextBoard board(chip(), soon());
    const auto& engine = board.engine("bcs0");
    Context contexts[] = {board.make_context(), board.make_context()};
    const std::uint32_t place = 0x100;
    for (std::uint32_t i = 1; i <= rounds; ++i) {
        for (std::uint32_t which = 0; which < 2; ++which) {
            Context& context = contexts[which];
            const std::uint64_t own = data + place + 0x40 * which;
            // The kernel gives a context again as long as it has not ended; the wait makes it give
            // way, and the store behind it must come once it is back.
            board.emit(context, join({mi::store(own, i),
                                      {mi::arb_check},
                                      wait_at_least(chip(), data + place + 0x80, i),
                                      mi::store(own + 4, i)}));
            board.submit(engine, &context, &contexts[1 - which]);
        }
        board.shared(data_at + place + 0x80).store(i);
        // What was pushed out is in no port any more, or in the second.
        ASSERT_TRUE(ContextBoard::eventually([&] {
            const bool done =
                board.shared(data_at + place + 4) == i && board.shared(data_at + place + 0x44) == i;
            if (!done && (board.read(engine.base + 0x9c) & 1U << 9U) != 0) {
                board.submit(engine, &contexts[i % 2], &contexts[1 - i % 2]);
            }
            return done;
        })) << "round "
            << i;
    }
    EXPECT_TRUE(board.gpu->report().faults.empty());
}

} // namespace
} // namespace gem_upload::model::pci
