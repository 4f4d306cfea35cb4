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
    void fetch(std::uint64_t /*address*/, std::uint32_t /*header*/) override {}
    void see(const Sight& command) override { seen.emplace_back(command.name); }
    [[nodiscard]] bool is_wanted() const override { return false; }
    bool batch_begins() override { return ++batches != hangs_at; }

    std::map<std::uint32_t, std::uint32_t> registers;
    std::vector<std::string> seen;
    unsigned interrupts = 0;
    unsigned flushes = 0;
    unsigned batches = 0;
    unsigned hangs_at = 0; ///< the batch before which the engine hangs; 0: none

private:
    AddressSpace& memory_;
};

/// Sandy Bridge's blitter on a ring of 64 bytes.
struct TestRing {
    TestRing() {
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

    const ChipModel& chip = *find_chip_model("snb");
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
