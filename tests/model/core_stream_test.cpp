// What would make a resumable command streamer worse than useless: commands lost or carried out
// twice where it stopped, work that is put away and taken up somewhere else, and a batch that gains
// the kernel's rights by the way that it is reached.
#include "core_memory.h"

#include <gtest/gtest.h>

namespace gem_upload::model {
namespace {

using State = Progress::State;

constexpr std::uint32_t end = 0x05000000;
constexpr std::uint64_t target = 0x1000;
constexpr std::uint64_t first = 0x10000;
constexpr std::uint64_t second = 0x20000;
constexpr std::uint64_t ring = 0x30000;

/// A host with one address space, which remembers what was asked of it.
class TestHost final : public EngineHost {
public:
    explicit TestHost(AddressSpace& memory) : memory_(memory) {}
    [[nodiscard]] AddressSpace& global_memory() override { return memory_; }
    [[nodiscard]] AddressSpace& process_memory() override { return memory_; }
    [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override {
        return registers[offset];
    }
    void write_register(std::uint32_t offset, std::uint32_t value) override {
        registers[offset] = value;
    }
    [[nodiscard]] std::uint32_t register_base() const override { return 0x22000; }
    [[nodiscard]] std::uint64_t status_page() const override { return target; }
    void user_interrupt() override { ++interrupts; }
    void flush_interrupt() override { ++flushes; }
    [[nodiscard]] bool is_wanted() const override { return wanted; }
    void fetch(std::uint64_t /*address*/, std::uint32_t /*header*/) override {}
    void see(const Sight& command) override { seen.emplace_back(command.name); }
    bool batch_begins() override { return ++batches != hangs_at; }

    std::map<std::uint32_t, std::uint32_t> registers;
    std::vector<std::string> seen;
    unsigned interrupts = 0;
    unsigned flushes = 0;
    unsigned batches = 0;
    unsigned hangs_at = 0; ///< the batch before which the engine hangs; 0: none
    bool wanted = false;   ///< other work waits for the engine

private:
    AddressSpace& memory_;
};

/// A blitter on a ring of 64 bytes.
struct TestRing {
    explicit TestRing(std::string_view name = "snb") : chip(*find_chip_model(name)) {
        memory.add(target, 4096);
        memory.add(ring, 64);
    }
    void fill(const std::vector<std::uint32_t>& dwords) {
        std::memcpy(memory.object(ring).data(), dwords.data(), 4 * dwords.size());
        if (stream.empty()) {
            stream.enter({CommandReader::ring(memory, Engine::blt, ring, 64, 0), &memory, true});
        }
        stream.outermost().set_tail(static_cast<std::uint32_t>(4 * dwords.size()));
    }
    Progress advance(unsigned jumps) { return streamer.advance(stream, Engine::blt, jumps); }
    std::uint32_t dword(std::uint64_t address) {
        std::uint32_t value = 0;
        std::memcpy(&value, memory.object(target).data() + (address - target), sizeof value);
        return value;
    }

    const ChipModel& chip;
    FenceRegisters fences{chip};
    TestMemory memory;
    TestHost host{memory};
    CommandStreamer streamer{chip, fences, &host};
    Stream stream;
};

std::vector<std::uint32_t> store(std::uint32_t address, std::uint32_t value) {
    return {0x10000002, 0, address, value};
}

std::vector<std::uint32_t> jump(std::uint64_t address) {
    return {0x18800100, static_cast<std::uint32_t>(address)};
}

std::vector<std::uint32_t> all(std::initializer_list<std::vector<std::uint32_t>> pieces) {
    std::vector<std::uint32_t> dwords;
    for (const auto& piece : pieces) {
        dwords.insert(dwords.end(), piece.begin(), piece.end());
    }
    return dwords;
}

TEST(Stream, YieldsAtAJumpAndGoesOnThere) {
    TestRing gpu;
    gpu.memory.add_dwords(first, all({store(target, 1), jump(second)}));
    gpu.memory.add_dwords(second, all({store(target + 4, 2), {end}}));
    gpu.fill(all({jump(first), {0x01000000, 0}}));
    EXPECT_EQ(gpu.advance(1).state, State::yielded);
    EXPECT_EQ(gpu.dword(target), 1U);
    EXPECT_EQ(gpu.dword(target + 4), 0U);
    EXPECT_EQ(gpu.host.interrupts, 0U);
    EXPECT_EQ(gpu.stream.outermost().head(), 8U); // past the command that called the batch
    EXPECT_EQ(gpu.advance(1).state, State::finished);
    EXPECT_EQ(gpu.dword(target + 4), 2U);
    EXPECT_EQ(gpu.host.interrupts, 1U);
    EXPECT_EQ(gpu.host.batches, 1U);
}

TEST(Stream, HangsWhereItsHostSays) {
    TestRing gpu;
    gpu.host.hangs_at = 1;
    gpu.memory.add_dwords(first, all({store(target, 1), {end}}));
    gpu.fill(jump(first));
    EXPECT_EQ(gpu.advance(1).state, State::blocked);
    EXPECT_EQ(gpu.dword(target), 0U);
    EXPECT_EQ(gpu.stream.outermost().head(), 0U);
}

TEST(Stream, IsPutAwayAndTakenUp) {
    TestRing gpu;
    gpu.memory.add_dwords(first, jump(first));
    gpu.fill(jump(first));
    EXPECT_EQ(gpu.advance(10).state, State::yielded);
    Stream kept = gpu.stream;
    gpu.stream.clear();
    gpu.fill(store(target, 3)); // other work, on the same engine
    EXPECT_EQ(gpu.advance(10).state, State::finished);
    EXPECT_EQ(gpu.dword(target), 3U);
    EXPECT_EQ(kept.reader().start(), first);
    gpu.memory.add_dwords(first, {end, 0});
    EXPECT_EQ(gpu.streamer.advance(kept, Engine::blt, 10).state, State::finished);
}

TEST(Stream, BlocksOnASemaphoreAndTriesAgain) {
    TestRing gpu;
    gpu.fill({0x0b140001, 7, 0, 0x01000000}); // BRSYNC must exceed 7
    EXPECT_EQ(gpu.advance(1).state, State::blocked);
    gpu.host.registers[0x22040] = 7;
    EXPECT_EQ(gpu.advance(1).state, State::blocked);
    gpu.host.registers[0x22040] = 8;
    EXPECT_EQ(gpu.advance(1).state, State::finished);
    EXPECT_EQ(gpu.host.interrupts, 1U);
}

TEST(Stream, AUserBatchHasNoRightsWhereverItGoes) {
    for (const std::uint32_t way : {0x18800100U, 0x18800000U}) {
        TestRing gpu;
        // From a user batch: to another, naming the global space or not.
        gpu.memory.add_dwords(first, {way, static_cast<std::uint32_t>(second)});
        gpu.memory.add_dwords(second, {0x01000000, end});
        gpu.fill(jump(first));
        const Progress progress = gpu.advance(10);
        EXPECT_EQ(progress.state, State::faulted);
        EXPECT_EQ(gpu.host.interrupts, 0U);
    }
}

TEST(Stream, TheKernelsOwnBatchMayDoWhatTheRingMay) {
    TestRing gpu;
    gpu.memory.add_dwords(first, {0x01000000, end});
    gpu.fill({0x18800000, static_cast<std::uint32_t>(first)}); // bit 8 clear: secure
    EXPECT_EQ(gpu.advance(10).state, State::finished);
    EXPECT_EQ(gpu.host.interrupts, 1U);
}

TEST(Stream, AFaultInARingSaysWhere) {
    TestRing gpu;
    gpu.fill({0, 0x1f800000});
    const Progress progress = gpu.advance(1);
    EXPECT_EQ(progress.state, State::faulted);
    EXPECT_TRUE(progress.fault.unknown_command);
    EXPECT_EQ(progress.fault.what,
              "snb, BLT engine: a command at dword 1 of the ring at 0x30000: header 0x1f800000: MI "
              "opcode 0x3f is not a command that the model knows");
}

TEST(Stream, RegistersAreTheKernels) {
    TestRing gpu;
    gpu.fill({0x11000001, 0x22098, 0x55, 0x12400001, 0x22098, target});
    EXPECT_EQ(gpu.advance(1).state, State::finished);
    EXPECT_EQ(gpu.host.registers[0x22098], 0x55U);
    EXPECT_EQ(gpu.dword(target), 0x55U);
    TestGpu user("snb"); // without a host: there is nothing that they could reach
    EXPECT_NE(user.run({0x12400001, 0x22098, target, end}), "");
    EXPECT_NE(user.run({0x0b140001, 7, 0, end}), "");
}

// Sources for the commands from here on: kernel gt/intel_gpu_commands.h; BDW, ICL and TGL PRM
// volume 2a.
constexpr std::uint32_t wait = 0x0e000002 | 1U << 15U; ///< MI_SEMAPHORE_WAIT, by polling

struct Comparison {
    std::uint32_t operation;
    bool below, equal, above; ///< whether memory that is so passes
};

TEST(SemaphoreWait, ComparesMemoryWithItsData) {
    const Comparison rows[] = {{0, false, false, true}, {1, false, true, true},
                               {2, true, false, false}, {3, true, true, false},
                               {4, false, true, false}, {5, true, false, true}};
    for (const Comparison& row : rows) {
        const std::pair<std::uint32_t, bool> cases[] = {
            {0x7fffffff, row.below}, {0x80000000, row.equal}, {0x80000001, row.above}};
        for (const auto& [value, passes] : cases) {
            for (const std::string_view chip : {"bdw", "tgl"}) {
                const bool five = chip == "tgl";
                TestRing gpu(chip);
                std::memcpy(gpu.memory.object(target).data() + 8, &value, 4);
                std::vector<std::uint32_t> command{wait | row.operation << 12U, 0x80000000,
                                                   target + 8, 0};
                command.resize(five ? 5 : 4);
                command[0] += five ? 1 : 0;
                gpu.fill(all({command, {0x01000000}}));
                EXPECT_EQ(gpu.advance(1).state, passes ? State::finished : State::blocked)
                    << chip << " " << row.operation << " " << value;
                EXPECT_EQ(gpu.host.interrupts, passes ? 1U : 0U);
            }
        }
    }
}

TEST(SemaphoreWait, RefusesWhatIsNotModelled) {
    for (const std::uint32_t header : {wait | 6U << 12U, wait | 7U << 12U, wait & ~(1U << 15U),
                                       wait | 1U << 8U, wait | 1U << 17U, wait + 2}) {
        TestRing gpu("bdw");
        gpu.fill({header, 0, target, 0, 0, 0});
        EXPECT_EQ(gpu.advance(1).state, State::faulted) << std::hex << header;
    }
}

TEST(SemaphoreWait, InAUserBatchReachesNeitherRegistersNorTheGlobalSpace) {
    const std::pair<std::uint32_t, std::string_view> rows[] = {
        {1U << 16U, "only the kernel may"}, {1U << 22U, "names the global address space"}};
    for (const auto& [bit, words] : rows) {
        TestRing gpu("skl");
        gpu.memory.add_dwords(first, {wait | bit, 0, target, 0, end});
        gpu.fill({0x18800101, static_cast<std::uint32_t>(first), 0, 0});
        const Progress progress = gpu.advance(10);
        EXPECT_EQ(progress.state, State::faulted);
        EXPECT_NE(progress.fault.what.find(words), std::string::npos) << progress.fault.what;
        // The kernel's ring may.
        TestRing kernel("skl");
        kernel.fill({wait | bit | 4U << 12U, 0, target, 0});
        EXPECT_EQ(kernel.advance(1).state, State::finished);
    }
}

TEST(SemaphoreWait, PollsARegister) {
    TestRing gpu("tgl");
    gpu.fill({(wait + 1) | 1U << 16U | 4U << 12U, 5, 0x4208, 0, 0, 0x01000000});
    EXPECT_EQ(gpu.advance(1).state, State::blocked);
    gpu.host.registers[0x4208] = 5;
    EXPECT_EQ(gpu.advance(1).state, State::finished);
    EXPECT_EQ(gpu.host.interrupts, 1U);
}

TEST(SemaphoreWait, InAUserFrontThatNobodySignalsIsSaid) {
    TestGpu user("skl");
    user.memory.add(target, 8);
    EXPECT_NE(user.run({wait, 0, target, 0, end}).find("waits for what nobody will write"),
              std::string::npos);
    EXPECT_EQ(user.run({wait | 4U << 12U, 0, target, 0, end}), "");
    EXPECT_NE(user.run({wait | 1U << 16U, 0, 0x4208, 0, end}), "");
}

TEST(Registers, AreCopiedFromOneToAnother) {
    TestRing gpu("bdw");
    gpu.host.registers[0x2358] = 0x99;
    gpu.fill({0x15000001, 0x2358, 0x22600});
    EXPECT_EQ(gpu.advance(1).state, State::finished);
    EXPECT_EQ(gpu.host.registers[0x22600], 0x99U);
    EXPECT_NE(TestGpu("bdw").run({0x15000001, 0x2358, 0x22600, end}), "");
    EXPECT_NE(TestGpu("snb").run({0x15000001, 0x2358, 0x22600, end}), "");
}

// MI_LRI_LRM_CS_MMIO is bit 19; MI_LOAD_REGISTER_REG's source has bit 18.
TEST(Registers, AreNamedRelativelyFromGen11On) {
    TestRing gpu("icl");
    gpu.host.registers[0x22610] = 0x33;
    gpu.host.registers[0x610] = 0x44;
    gpu.fill({0x11080001, 0x600, 0x55, 0x15040001, 0x610, 0x604, 0x15080001, 0x610, 0x608,
              0x12480002, 0x600, target, 0, 0});
    EXPECT_EQ(gpu.advance(1).state, State::finished);
    EXPECT_EQ(gpu.host.registers[0x22600], 0x55U); // the engine's own begin at 0x22000
    EXPECT_EQ(gpu.host.registers[0x604], 0x33U);
    EXPECT_EQ(gpu.host.registers[0x22608], 0x44U);
    EXPECT_EQ(gpu.dword(target), 0x55U);
    TestRing load("icl");
    load.fill({0x11080001, 0x600, 7, 0x14c80002, 0x604, target, 0, 0});
    EXPECT_EQ(load.advance(1).state, State::finished);
    EXPECT_EQ(load.host.registers[0x22600], 7U);
    EXPECT_EQ(load.host.registers.count(0x22604), 1U);
}

TEST(Arbitration, HandsOverWhereOtherWorkWaits) {
    for (const bool wanted : {false, true}) {
        TestRing gpu("skl");
        gpu.host.wanted = wanted;
        gpu.fill({0x02800000, 0x01000000});
        EXPECT_EQ(gpu.advance(1).state, wanted ? State::preempted : State::finished);
        EXPECT_EQ(gpu.host.interrupts, wanted ? 0U : 1U);
        gpu.host.wanted = false;
        EXPECT_EQ(gpu.advance(1).state, State::finished); // behind the point, not at it
        EXPECT_EQ(gpu.host.interrupts, 1U);
    }
}

TEST(Arbitration, IsSwitchedOffAndOn) {
    TestRing gpu("skl");
    gpu.host.wanted = true;
    gpu.fill({0x04000000, 0x02800000, 0x01000000, 0x04000001, 0x02800000, 0x01000000});
    EXPECT_EQ(gpu.advance(1).state, State::preempted);
    EXPECT_EQ(gpu.host.interrupts, 1U);
    TestRing semaphore("skl");
    semaphore.host.wanted = true;
    semaphore.fill({wait, 0, target, 0});
    EXPECT_EQ(semaphore.advance(1).state, State::preempted);
    semaphore.stream.arbitrates() = false;
    EXPECT_EQ(semaphore.advance(1).state, State::blocked);
}

// gen12's kernel switches the pre-parser by it: bit 8 names bit 0.
TEST(Arbitration, SwitchesThePreparserOnGen12) {
    EXPECT_EQ(TestGpu("tgl").run({0x02800100, 0x02800101, end}), "");
    EXPECT_NE(TestGpu("icl").run({0x02800100, end}), "");
    EXPECT_NE(TestGpu("tgl").run({0x02800200, end}), "");
}

TEST(PipeControl, WritesAfterTheFlush) {
    TestGpu snb("snb");
    snb.memory.add(target, 16);
    EXPECT_EQ(snb.run(Engine::render, {0x7a000003, 1U << 14U, target, 0x11, 0x22, end}), "");
    TestGpu bdw("bdw");
    bdw.memory.add(target, 16);
    EXPECT_EQ(bdw.run(Engine::render, {0x7a000004, 1U << 14U, target, 0, 0x11, 0x22, end}), "");
    for (TestGpu* gpu : {&snb, &bdw}) {
        std::uint64_t value = 0;
        std::memcpy(&value, gpu->memory.object(target).data(), sizeof value);
        EXPECT_EQ(value, 0x2200000011U);
    }
    EXPECT_NE(snb.run(Engine::render, {0x7a000003, 1U << 14U, 0x5000, 0, 0, end})
                  .find("nothing is bound there"),
              std::string::npos);
    EXPECT_NE(snb.run(Engine::render, {0x7a000003, 1U << 21U, 0, 0, 0, end})
                  .find("bit 21 (status page) is the kernel's"),
              std::string::npos);
}

} // namespace
} // namespace gem_upload::model
