// What would make resets and registers of gen8 and later worse than useless: a reset that takes
// other engines with it or leaves a hang behind, an engine that says that it is idle while it works
// (the kernel then takes its memory away), and a masked write that changes what it does not name.
#include "pci_context_board.h"

namespace gem_upload::model::pci {
namespace {

constexpr std::uint64_t data = ContextBoard::user_data;
constexpr std::uint32_t data_at = ContextBoard::data_at;
constexpr std::uint64_t batch = ContextBoard::user_batch;
constexpr std::uint32_t idle = 1U << 9U;
constexpr std::uint32_t reset_control = 0x941c;

class ContextReset : public OnEachContextChip {
protected:
    /// A batch that jumps to itself, without an arbitration point.
    static void spin(ContextBoard& board, const ContextEngine& engine, Context& context) {
        board.put(context.batch(), mi::call(batch));
        board.run(engine, context, mi::call(batch));
    }
};
INSTANTIATE_TEST_SUITE_P(Chips, ContextReset, testing::ValuesIn(context_chips()),
                         context_chip_name);

TEST_P(ContextReset, EndsAHangOnOneEngineAndLeavesTheOthers) {
    for (std::size_t i = 0; i < ContextBoard(chip()).engines.size(); ++i) {
        ContextBoard board(chip());
        const ContextEngine& hung = board.engines[i];
        Context spinner = board.make_context();
        spin(board, hung, spinner);
        std::vector<Context> others;
        for (const ContextEngine& engine : board.engines) {
            others.push_back(board.make_context());
            if (&engine != &hung) {
                board.run(engine, others.back(),
                          join({wait_at_least(chip(), data, 1), mi::store(data + 8, 1)}));
            }
            (void)board.events(engine);
        }
        board.write(reset_control, hung.reset_bit);
        EXPECT_EQ(board.read(reset_control), 0U);
        board.start(hung);
        EXPECT_EQ(board.read(hung.base + 0x9c) & idle, idle) << hung.name;
        Context fresh = board.make_context();
        board.run(hung, fresh, mi::store(data + 4, 7));
        EXPECT_EQ(board.dword(data_at + 4), 7U) << hung.name;
        EXPECT_EQ(board.events(hung).size(), 2U); // nothing of the one that hung
        // The others work on.
        for (const ContextEngine& engine : board.engines) {
            if (&engine != &hung) {
                EXPECT_EQ(board.read(engine.base + 0x9c) & idle, 0U) << engine.name;
            }
        }
        board.shared(data_at).store(1);
        for (std::size_t j = 0; j < others.size(); ++j) {
            if (&board.engines[j] != &hung) {
                EXPECT_TRUE(ContextBoard::eventually([&] {
                    return board.events(board.engines[j]).size() == 1;
                })) << hung.name
                    << " was reset, " << board.engines[j].name;
            }
        }
        const Report report = board.gpu->report();
        EXPECT_EQ(report.resets, 0U);
        for (const EngineReport& engine : report.engines) {
            EXPECT_EQ(engine.resets, engine.name == hung.name ? 1U : 0U) << engine.name;
        }
    }
}

TEST_P(ContextReset, OfTheWholeGpuTakesEveryEngine) {
    ContextBoard board(chip());
    std::vector<Context> spinners(board.engines.size());
    for (std::size_t i = 0; i < spinners.size(); ++i) {
        spinners[i] = board.make_context();
        spin(board, board.engines[i], spinners[i]);
    }
    board.write(reset_control, 1);
    EXPECT_EQ(board.read(reset_control), 0U);
    EXPECT_EQ(board.gpu->report().resets, 1U);
    for (const ContextEngine& engine : board.engines) {
        board.start(engine);
        board.put(data_at, {0});
        Context fresh = board.make_context();
        board.run(engine, fresh, mi::store(data, 1));
        EXPECT_EQ(board.dword(data_at), 1U) << engine.name;
        EXPECT_EQ(board.events(engine).size(), 2U) << engine.name;
    }
}

TEST_P(ContextReset, EndsAFaultAndWhatWaitedBehindIt) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context wrong = board.make_context();
    Context behind = board.make_context();
    board.emit(behind, mi::store(data, 1));
    board.emit(wrong, mi::store(0x12340000, 1));
    board.submit(engine, &wrong, &behind);
    EXPECT_EQ(board.dword(data_at), 0U);
    EXPECT_EQ(board.gpu->report().faults.size(), 1U);
    EXPECT_EQ(board.read(engine.base + 0x9c) & idle, 0U);
    EXPECT_EQ(board.read(engine.base + 0x74), wrong.ring());
    EXPECT_EQ(board.read(engine.base + 0x68), 0x20U << 23U | 2U);
    board.write(reset_control, engine.reset_bit);
    EXPECT_EQ(board.dword(data_at), 0U);
    board.start(engine);
    board.submit(engine, &behind);
    EXPECT_EQ(board.dword(data_at), 1U);
}

TEST_P(ContextReset, ABadImageIsAFaultAndNoMore) {
    ContextBoard board(chip());
    const auto& engine = board.engine("vcs0");
    Context nowhere{ContextBoard::unmapped, 9, true};
    board.submit(engine, &nowhere);
    ASSERT_EQ(board.gpu->report().faults.size(), 1U);
    EXPECT_NE(board.gpu->report().faults[0].find("global address 0x1001014"), std::string::npos)
        << board.gpu->report().faults[0];
    board.write(reset_control, engine.reset_bit);
    board.start(engine);
    Context context = board.make_context();
    board.run(engine, context, mi::store(data, 1));
    EXPECT_EQ(board.dword(data_at), 1U);
}

// gen8_engine_reset_prepare and gen8_engine_reset_cancel.
TEST_P(ContextReset, AnEngineIsReadyWhenItIsAsked) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        const std::uint32_t control = engine.base + 0xd0;
        EXPECT_EQ(board.read(control), 0U);
        board.write(control, 0x00010001);
        EXPECT_EQ(board.read(control) & 3U, 3U) << engine.name;
        board.write(control, 0x00010000);
        EXPECT_EQ(board.read(control) & 3U, 0U) << engine.name;
        board.write(control, 0x00000001); // names no bit
        EXPECT_EQ(board.read(control) & 3U, 0U) << engine.name;
    }
}

// A reset halfway through the four writes of ELSP must not leave the next submission shifted.
TEST_P(ContextReset, ForgetsHalfASubmission) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    board.write(engine.base + (chip().generation < 11 ? 0x230 : 0x510), 0x12345);
    board.write(reset_control, engine.reset_bit);
    board.start(engine);
    Context context = board.make_context();
    board.run(engine, context, mi::store(data, 1));
    EXPECT_EQ(board.dword(data_at), 1U);
    EXPECT_TRUE(board.gpu->report().faults.empty());
}

class ContextIdle : public ContextReset {};
INSTANTIATE_TEST_SUITE_P(Chips, ContextIdle, testing::ValuesIn(context_chips()), context_chip_name);

TEST_P(ContextIdle, IsSaidWhenThereIsNothingToDo) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        const std::uint32_t mode = engine.base + 0x9c;
        Context context = board.make_context();
        EXPECT_EQ(board.read(mode), idle) << engine.name;
        board.put(data_at, {0});
        board.run(engine, context, wait_at_least(chip(), data, 1));
        EXPECT_EQ(board.read(mode), 0U) << engine.name;
        board.shared(data_at).store(1);
        EXPECT_TRUE(ContextBoard::eventually([&] { return board.read(mode) == idle; }));
        EXPECT_EQ(board.head(context), context.tail);
    }
}

TEST_P(ContextIdle, IsNotSaidInABatch) {
    ContextBoard board(chip());
    const auto& engine = board.engine("rcs0");
    Context context = board.make_context();
    spin(board, engine, context);
    EXPECT_EQ(board.read(engine.base + 0x9c), 0U);
    board.gpu->write_bar(2, context.batch(), mi::batch_end, 4);
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.read(engine.base + 0x9c) == idle; }));
}

// Between a submission and its beginning the engine has work, too.
TEST_P(ContextIdle, IsNotSaidBeforeTheWorkBegins) {
    ContextBoard board(chip());
    const auto& engine = board.engine("bcs0");
    Context context = board.make_context();
    board.gpu->pause();
    board.run(engine, context, {mi::noop, mi::noop});
    EXPECT_EQ(board.read(engine.base + 0x9c), 0U);
    board.gpu->resume();
    EXPECT_TRUE(ContextBoard::eventually([&] { return board.read(engine.base + 0x9c) == idle; }));
}

TEST_P(ContextIdle, AStoppedEngineIsIdleAndRunsNothing) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        const std::uint32_t mode = engine.base + 0x9c;
        Context context = board.make_context();
        board.put(data_at, {0});
        board.write(mode, 0x01000100);
        EXPECT_EQ(board.read(mode), 0x100U | idle) << engine.name;
        board.run(engine, context, mi::store(data, 1));
        EXPECT_EQ(board.dword(data_at), 0U) << engine.name;
        EXPECT_EQ(board.read(mode), 0x100U | idle) << engine.name;
        board.write(mode, 0x01000000);
        EXPECT_EQ(board.dword(data_at), 1U) << engine.name;
        EXPECT_EQ(board.read(mode), idle) << engine.name;
    }
}

class ContextRegisters : public OnEachContextChip {};
INSTANTIATE_TEST_SUITE_P(Chips, ContextRegisters, testing::ValuesIn(context_chips()),
                         context_chip_name);

// Those that i915 writes with _MASKED_BIT_ENABLE and its like; an engine's by their distance.
TEST_P(ContextRegisters, AMaskedWriteChangesWhatItNames) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        for (const std::uint32_t offset : {0x9cU, 0xc0U, 0x29cU, 0x244U, 0x50U}) {
            const std::uint32_t place = engine.base + offset;
            constexpr std::uint32_t bits = 0x5002; // of no meaning to the model
            board.write(place, bits << 16U | bits);
            const std::uint32_t held = board.read(place);
            EXPECT_EQ(held & bits, bits) << engine.name << " " << std::hex << offset;
            EXPECT_EQ(held >> 16U, 0U) << engine.name << " " << std::hex << offset;
            board.write(place, 0x0000ffff & ~bits); // no mask: nothing
            EXPECT_EQ(board.read(place), held) << engine.name << " " << std::hex << offset;
            board.write(place, 0x10000000 | (0xefff & ~bits)); // clears one bit
            EXPECT_EQ(board.read(place), held & ~0x1000U) << engine.name << std::hex << offset;
            board.write(place, bits << 16U);
            EXPECT_EQ(board.read(place), held & ~bits) << engine.name << std::hex << offset;
        }
    }
}

/// A request and its acknowledgement. Source: kernel intel_uncore.c, intel_uncore_fw_domains_init.
struct Forcewake {
    std::uint32_t request;
    std::uint32_t acknowledge;
};

TEST_P(ContextRegisters, ForcewakeIsAcknowledgedBitByBit) {
    ContextBoard board(chip());
    const int generation = chip().generation;
    std::vector<Forcewake> domains;
    if (generation == 8) {
        domains = {{0xa188, 0x130044}};
    } else {
        domains = {{0xa188, 0x130044}, {0xa278, 0xd84}};
        if (generation == 9) {
            domains.push_back({0xa270, 0xd88});
        }
        for (std::uint32_t i = 0; generation >= 11 && i < 4; ++i) {
            domains.push_back({0xa540 + 4 * i, 0xd50 + 4 * i});
            domains.push_back({0xa560 + 4 * i, 0xd70 + 4 * i});
        }
    }
    for (const Forcewake& domain : domains) {
        EXPECT_EQ(board.read(domain.acknowledge) & 0xffffU, 0U);
        board.write(domain.request, 0x00010001);
        EXPECT_EQ(board.read(domain.acknowledge), 1U) << std::hex << domain.request;
        board.write(domain.request, 0x80008000); // FORCEWAKE_KERNEL_FALLBACK
        EXPECT_EQ(board.read(domain.acknowledge), 0x8001U) << std::hex << domain.request;
        for (const Forcewake& other : domains) {
            if (other.request != domain.request) {
                EXPECT_EQ(board.read(other.acknowledge) & 0xffffU, 0U) << std::hex << other.request;
            }
        }
        board.write(domain.request, 0x00010000);
        EXPECT_EQ(board.read(domain.acknowledge), 0x8000U) << std::hex << domain.request;
        board.write(domain.request, 0xffff0000);
        EXPECT_EQ(board.read(domain.acknowledge), 0U) << std::hex << domain.request;
    }
}

// The kernel waits until they read 0.
TEST_P(ContextRegisters, RequestsAreDoneAtOnce) {
    ContextBoard board(chip());
    std::vector<std::uint32_t> requests{0x941c};
    if (chip().generation < 12) {
        requests.insert(requests.end(), {0x4260, 0x4264, 0x4268, 0x426c, 0x4270});
    } else {
        requests.insert(requests.end(),
                        {0xced8, 0xcedc, 0xcee0, 0xcee4, 0x4208, 0x4218, 0x4228, 0x4238, 0x4248});
    }
    for (const std::uint32_t place : requests) {
        board.write(place, 1);
        EXPECT_EQ(board.read(place) & 1U, 0U) << std::hex << place;
    }
    board.write(0x138124, 1U << 31U | 6U);
    EXPECT_EQ(board.read(0x138124) & 0x800000ffU, 0U);
    EXPECT_TRUE(board.gpu->report().unknown_registers.empty());
}

TEST_P(ContextRegisters, TheClockGoesOn) {
    ContextBoard board(chip());
    const std::uint32_t before = board.read(0x2358);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_NE(board.read(0x2358), before);
}

// A ring is the kernel's, but a device that dies of it would take the machine along.
TEST_P(ContextRegisters, ACommandMayNotNameOneBeyondTheBar) {
    const Commands wrong[] = {
        {mi::load_register, 0xfffffffc, 1},
        {mi::load_register, 0x00800000, 1},
        {0x24U << 23U | 2U | mi::global, 0x00800000, data_at, 0},
        wait_at_least(chip(), 0xfffffffc, 1, mi::poll_register),
    };
    for (const Commands& commands : wrong) {
        ContextBoard board(chip());
        Context context = board.make_context();
        board.run(board.engine("bcs0"), context, commands);
        EXPECT_EQ(board.gpu->report().faults.size(), 1U) << std::hex << commands[0];
    }
}

// Offsets from the engine's own registers, where bit 19 of the header says so.
TEST_P(ContextRegisters, CommandsNameThemRelativelyFromGen11) {
    ContextBoard board(chip());
    for (const ContextEngine& engine : board.engines) {
        Context context = board.make_context();
        board.run(engine, context, {mi::load_register | 1U << 19U, 0x600, 0x77});
        if (chip().generation >= 11) {
            EXPECT_EQ(board.read(engine.base + 0x600), 0x77U) << engine.name;
        }
        board.run(engine, context, {mi::load_register, engine.base + 0x604, 0x78});
        EXPECT_EQ(board.read(engine.base + 0x604), 0x78U) << engine.name;
    }
}

} // namespace
} // namespace gem_upload::model::pci
