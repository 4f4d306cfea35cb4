// Worse than useless: a command streamer that lets a wrong command pass, for then a benchmark's bug
// is found on the machine only; and one that refuses a right one. The dwords are put together by
// hand from the hardware reference and the kernel's intel_gpu_commands.h.
#include "core_memory.h"

#include <gtest/gtest.h>

namespace gem_upload::model {
namespace {

constexpr std::uint32_t end = 0x05000000;
constexpr std::uint64_t batch = TestGpu::batch_address;
constexpr std::uint64_t other = 0x7800000;
constexpr std::uint64_t target = 0x100000;

std::uint32_t dword_at(TestGpu& gpu, std::uint64_t address, std::size_t index) {
    std::uint32_t value = 0;
    std::memcpy(&value, gpu.memory.object(address).data() + index * 4, 4);
    return value;
}

TEST(Batch, EndsAtItsEnd) {
    for (const ChipModel& chip : chip_models()) {
        TestGpu gpu(chip.name);
        EXPECT_EQ(gpu.run({0, 0, end, 0xdeadbeef}), "") << chip.name;
        EXPECT_EQ(gpu.run(Engine::render, {0x00400123, end}), "") << chip.name; // NOOP with an id
    }
}

TEST(Batch, NoBltEngineBeforeGen6) {
    EXPECT_EQ(TestGpu("g45").run(Engine::blt, {end, 0}),
              "g45: gen4 has no BLT engine, its blits go to the render engine");
    EXPECT_EQ(TestGpu("snb").run(Engine::blt, {end, 0}), "");
}

TEST(Batch, RunsOffItsEnd) {
    TestGpu gpu("snb");
    EXPECT_EQ(gpu.run({0, 0}), "snb, BLT engine: a command at dword 2 of the batch at 0x7000000: "
                               "reading the batch at 0x7000008: nothing is bound there");
    EXPECT_EQ(gpu.run({0, 0x54f00006, 0}),
              "snb, BLT engine: XY_SRC_COPY_BLT at dword 1 of the batch at 0x7000000: reading the "
              "batch at 0x700000c: nothing is bound there");
}

TEST(Batch, ObeysItsLength) {
    TestGpu gpu("g45");
    gpu.memory.add_dwords(batch, {0, 0, 0, end});
    EXPECT_FALSE(gpu.streamer.run_batch(gpu.memory, Engine::render, batch, 16));
    EXPECT_EQ(
        gpu.streamer.run_batch(gpu.memory, Engine::render, batch, 8)->what,
        "g45, render engine: a command at dword 2 of the batch at 0x7000000: the batch's 8 bytes "
        "end within it, before any MI_BATCH_BUFFER_END");
    gpu.memory.add_dwords(batch, {0x54f00006, 0, 0, end});
    EXPECT_EQ(
        gpu.streamer.run_batch(gpu.memory, Engine::render, batch, 16)->what,
        "g45, render engine: XY_SRC_COPY_BLT at dword 0 of the batch at 0x7000000: the batch's "
        "16 bytes end within it, before any MI_BATCH_BUFFER_END");
}

TEST(Batch, MustBeAligned) {
    TestGpu gpu("g45");
    gpu.memory.add_dwords(batch, {0, end, end, end});
    const std::string wrong = "must begin and end at a multiple of 8";
    EXPECT_NE(gpu.streamer.run_batch(gpu.memory, Engine::render, batch + 4, 0)->what.find(wrong),
              std::string::npos);
    EXPECT_NE(gpu.streamer.run_batch(gpu.memory, Engine::render, batch, 12)->what.find(wrong),
              std::string::npos);
}

TEST(Batch, IsReadAcrossPieces) {
    TestGpu gpu("snb", 4);
    gpu.memory.add(target, 8);
    EXPECT_EQ(gpu.run({0x10000002, 0, target, 0x12345678, end, 0}), "");
    EXPECT_EQ(dword_at(gpu, target, 0), 0x12345678U);
}

TEST(Batch, UnknownAndMisplacedCommands) {
    EXPECT_EQ(
        TestGpu("snb").run({0x1f800000, end}),
        "snb, BLT engine: a command at dword 0 of the batch at 0x7000000: header 0x1f800000: MI "
        "opcode 0x3f is not a command that the model knows");
    EXPECT_EQ(
        TestGpu("snb").run({0, 0x5fc00000, end}),
        "snb, BLT engine: a command at dword 1 of the batch at 0x7000000: header 0x5fc00000: 2D "
        "opcode 0x7f is not a command that the model knows");
    EXPECT_EQ(
        TestGpu("snb").run({0x20000000, end}),
        "snb, BLT engine: a command at dword 0 of the batch at 0x7000000: header 0x20000000: no "
        "command of this chip begins with 1 in bits 31:29");
    EXPECT_EQ(
        TestGpu("snb").run(Engine::render, {0x54f00006, 0, 0, 0, 0, 0, 0, 0, end}),
        "snb, render engine: a command at dword 0 of the batch at 0x7000000: XY_SRC_COPY_BLT is "
        "a 2D command, and the render engine has no blitter on gen6: give it to the BLT engine");
    EXPECT_EQ(
        TestGpu("bdw").run({0x50c00004, 0, 0, 0, 0, 0, end}),
        "bdw, BLT engine: a command at dword 0 of the batch at 0x7000000: SRC_COPY_BLT does not "
        "exist on gen8, only on gen2 to gen7");
    EXPECT_EQ(
        TestGpu("bdw").run({0x50800008, 0, 0, 0, 0, 0, 0, 0, 0, 0, end}),
        "bdw, BLT engine: a command at dword 0 of the batch at 0x7000000: XY_FAST_COPY_BLT does "
        "not exist on gen8, only on gen9 to gen12");
}

TEST(Batch, KernelsCommandsAreNotForBatches) {
    for (const std::uint32_t header : {0x01000000U, 0x04000001U, 0x10800001U}) {
        const std::string fault = TestGpu("snb").run({header, 0, 0, end});
        EXPECT_NE(fault.find("only the kernel's ring may hold it, not a batch"), std::string::npos)
            << fault;
    }
}

TEST(Flush, EachGenerationHasItsOwn) {
    EXPECT_EQ(TestGpu("g33").run({0x02000000, end}), "");
    EXPECT_EQ(TestGpu("g45").run({0x02000001, end}), "");
    EXPECT_EQ(TestGpu("g45").run({0x02000080, end}),
              "g45, render engine: MI_FLUSH at dword 0 of the batch at 0x7000000: dword 0 is "
              "0x02000080: bits 0x00000080 are reserved on gen4 and must be zero");
    EXPECT_EQ(TestGpu("snb").run({0x02000000, end}),
              "snb, BLT engine: a command at dword 0 of the batch at 0x7000000: MI_FLUSH does not "
              "exist on gen6, only on gen2 to gen5");
    EXPECT_EQ(
        TestGpu("g45").run({0x13000001, 0, 0, end}),
        "g45, render engine: a command at dword 0 of the batch at 0x7000000: MI_FLUSH_DW does "
        "not exist on gen4, only on gen6 to gen12");
    EXPECT_EQ(
        TestGpu("snb").run(Engine::render, {0x13000002, 0, 0, 0, end}),
        "snb, render engine: a command at dword 0 of the batch at 0x7000000: MI_FLUSH_DW is not "
        "a command of the render engine");
    EXPECT_EQ(TestGpu("snb").run({0x13000001, 0, 0, end}), "");    // as the kernel has it
    EXPECT_EQ(TestGpu("snb").run({0x13000002, 0, 0, 0, end}), ""); // as IGT has it
    EXPECT_EQ(TestGpu("bdw").run({0x13000002, 0, 0, 0, end}), "");
    EXPECT_EQ(
        TestGpu("bdw").run({0x13000001, 0, 0, end}),
        "bdw, BLT engine: MI_FLUSH_DW at dword 0 of the batch at 0x7000000: header 0x13000001: "
        "the length field is 1 (3 dwords), it must be 2 to 3");
}

TEST(Flush, WritesItsData) {
    TestGpu snb("snb");
    snb.memory.add(target, 16);
    EXPECT_EQ(snb.run({0x13004002, target + 8, 0x11111111, 0x22222222, end}), "");
    EXPECT_EQ(dword_at(snb, target, 2), 0x11111111U);
    EXPECT_EQ(dword_at(snb, target, 3), 0x22222222U);
    TestGpu bdw("bdw");
    bdw.memory.add(0x7f0000100000, 16);
    EXPECT_EQ(bdw.run({0x13004002, 0x100000, 0x7f00, 0x33333333, end}), "");
    EXPECT_EQ(dword_at(bdw, 0x7f0000100000, 0), 0x33333333U);
    EXPECT_EQ(dword_at(bdw, 0x7f0000100000, 1), 0U);
}

TEST(Flush, RefusesWhatIsTheKernels) {
    TestGpu gpu("snb");
    for (const std::uint32_t bit : {8U, 21U}) {
        EXPECT_NE(gpu.run({0x13000002 | 1U << bit, 0, 0, 0, end}).find("are the kernel's"),
                  std::string::npos);
    }
    EXPECT_NE(gpu.run({0x13004002, target | 4, 0, 0, end}).find("bit 2 names the global"),
              std::string::npos);
    EXPECT_NE(gpu.run({0x1300c002, target, 0, 0, end}).find("bits 15:14 are 3"), std::string::npos);
    EXPECT_NE(gpu.run({0x13002002, target, 0, 0, end}).find("bits 0x00002000 are reserved"),
              std::string::npos);
}

struct StoreForm {
    std::string_view chip;
    std::vector<std::uint32_t> dwords;
};

// The forms are those of IGT's gem_exec_store.
TEST(Store, HasAFormForEachGeneration) {
    const std::uint32_t at = target + 4;
    const StoreForm forms[] = {
        {"g33", {0x10400001, at, 0xabcd, end}},    {"g45", {0x10400002, 0, at, 0xabcd, end}},
        {"snb", {0x10000002, 0, at, 0xabcd, end}}, {"bdw", {0x10000002, at, 0, 0xabcd, end}},
        {"icl", {0x10000002, at, 0, 0xabcd, end}}, {"adls", {0x10000002, at, 0, 0xabcd, end}},
    };
    for (const StoreForm& form : forms) {
        TestGpu gpu(form.chip);
        gpu.memory.add(target, 12);
        EXPECT_EQ(gpu.run(form.dwords), "") << form.chip;
        EXPECT_EQ(dword_at(gpu, target, 0), 0U) << form.chip;
        EXPECT_EQ(dword_at(gpu, target, 1), 0xabcdU) << form.chip;
        EXPECT_EQ(dword_at(gpu, target, 2), 0U) << form.chip;
    }
    TestGpu gpu("bdw");
    gpu.memory.add(target, 16);
    EXPECT_EQ(gpu.run({0x10200003, target + 8, 0, 1, 2, end}), "");
    EXPECT_EQ(dword_at(gpu, target, 2), 1U);
    EXPECT_EQ(dword_at(gpu, target, 3), 2U);
}

TEST(Store, RefusesMistakes) {
    const auto fault = [](std::string_view chip, const std::vector<std::uint32_t>& dwords) {
        TestGpu gpu(chip);
        gpu.memory.add(target, 16);
        return gpu.run(dwords);
    };
    EXPECT_EQ(
        fault("g33", {0x10000001, target, 1, end}),
        "g33, render engine: MI_STORE_DWORD_IMM at dword 0 of the batch at 0x7000000: header "
        "0x10000001: bit 22 is clear, which makes the address a physical one; a batch must set "
        "it");
    EXPECT_NE(fault("snb", {0x10400002, 0, target, 1, end}).find("only the kernel may write"),
              std::string::npos);
    EXPECT_NE(fault("snb", {0x10000002, target, 0, 1, end}).find("dword 1 is 0x00100000: bits"),
              std::string::npos); // gen8's form
    EXPECT_NE(fault("bdw", {0x10000002, 0, target, 1, end}).find("is not canonical"),
              std::string::npos); // gen6's form
    EXPECT_NE(fault("bdw", {0x10000003, target, 0, 1, 2, end}).find("disagree"), std::string::npos);
    EXPECT_NE(fault("snb", {0x10000002, 0, target + 2, 1, end}).find("must be a multiple of 4"),
              std::string::npos);
    EXPECT_NE(fault("bdw", {0x10200003, target + 4, 0, 1, 2, end}).find("must be a multiple of 8"),
              std::string::npos);
    EXPECT_NE(fault("snb", {0x10000002, 0, target + 16, 1, end}).find("nothing is bound there"),
              std::string::npos);
}

TEST(Registers, OnlyTheTilingControlMayBeLoaded) {
    EXPECT_EQ(TestGpu("snb").run({0x11000001, 0x22200, 0x00030003, end}), "");
    EXPECT_EQ(
        TestGpu("snb").run({0x11000001, 0x22204, 0x00030003, end}),
        "snb, BLT engine: MI_LOAD_REGISTER_IMM at dword 0 of the batch at 0x7000000: dword 1 "
        "names register 0x22204: a batch on the BLT engine may load only BCS_SWCTRL (0x22200)");
    EXPECT_NE(TestGpu("snb").run(Engine::render, {0x11000001, 0x22200, 0x00030003, end}), "");
    EXPECT_NE(TestGpu("g45").run({0x11000001, 0x22200, 0x00030003, end}), "");
    EXPECT_NE(TestGpu("snb").run({0x11000002, 0x22200, 0x00030003, 0, end}).find("must be odd"),
              std::string::npos);
    for (const std::uint32_t value : {0x00000003U, 0x00040000U, 0x00010002U}) {
        EXPECT_NE(TestGpu("snb").run({0x11000001, 0x22200, value, end}).find("BCS_SWCTRL takes"),
                  std::string::npos);
    }
}

struct ChainForm {
    std::string_view chip;
    std::vector<std::uint32_t> dwords;
};

TEST(Chain, GoesOnInAnotherBatch) {
    const ChainForm forms[] = {
        {"g33", {0x18800080, other | 1}},
        {"g45", {0x18800080, other}},
        {"snb", {0x18800100, other}},
        {"bdw", {0x18800101, other, 0}},
    };
    for (const ChainForm& form : forms) {
        TestGpu gpu(form.chip);
        gpu.memory.add_dwords(other, {0x1f800000, 0});
        EXPECT_NE(gpu.run(form.dwords).find("dword 0 of the batch at 0x7800000"), std::string::npos)
            << form.chip; // it arrives there, and says where it stands
        gpu.memory.add_dwords(other, {end, 0});
        EXPECT_EQ(gpu.run(form.dwords), "") << form.chip;
    }
}

TEST(Chain, IsNotBoundByTheFirstBatchsLength) {
    TestGpu gpu("snb");
    gpu.memory.add_dwords(batch, {0x18800100, other});
    gpu.memory.add_dwords(other, {0, 0, 0, 0, end});
    EXPECT_FALSE(gpu.streamer.run_batch(gpu.memory, Engine::blt, batch, 8));
}

TEST(Chain, ASecondLevelBatchComesBack) {
    TestGpu gpu("bdw");
    gpu.memory.add(target, 8);
    gpu.memory.add_dwords(other, {0x10000002, target, 0, 1, end});
    EXPECT_EQ(gpu.run({0x18c00101, other, 0, 0x10000002, target + 4, 0, 2, end}), "");
    EXPECT_EQ(dword_at(gpu, target, 0), 1U);
    EXPECT_EQ(dword_at(gpu, target, 1), 2U);
    gpu.memory.add_dwords(other, {0x18c00101, other, 0, end});
    EXPECT_NE(gpu.run({0x18c00101, other, 0, end}).find("may not call another"), std::string::npos);
}

TEST(Chain, RefusesMistakes) {
    EXPECT_NE(TestGpu("snb").run({0x18800000, other, end}).find("bit 8 is clear"),
              std::string::npos);
    EXPECT_NE(TestGpu("bdw").run({0x18800001, other, 0, end}).find("bit 8 is clear"),
              std::string::npos);
    EXPECT_NE(TestGpu("bdw").run({0x18800100, other, end}).find("length field is 0"),
              std::string::npos);
    EXPECT_NE(TestGpu("snb").run({0x18800101, other, 0, end}).find("length field is 1"),
              std::string::npos);
    EXPECT_NE(TestGpu("snb").run({0x18800100, other, end}).find("nothing is bound there"),
              std::string::npos);
    EXPECT_NE(TestGpu("snb").run({0x18c00100, other, end}).find("bits 0x00400000 are reserved"),
              std::string::npos);
}

TEST(Chain, AnEndlessLoopIsAFault) {
    EXPECT_EQ(
        TestGpu("snb").run({0x18800100, batch}),
        "snb, BLT engine: MI_BATCH_BUFFER_START at dword 0 of the batch at 0x7000000: it is jump "
        "4097 of this batch, which seems to loop for ever");
}

TEST(Render, SkipsWhatIsFor3D) {
    // 3DSTATE_PIPELINED_POINTERS of 7 dwords, PIPELINE_SELECT of 1, and a primitive of 6.
    const std::vector<std::uint32_t> gen4 = {0x78000005, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, 0x69040000,
                                             0x7b000004, ~0U, ~0U, ~0U, ~0U, ~0U, end};
    EXPECT_EQ(TestGpu("g45").run(Engine::render, gen4), "");
    EXPECT_EQ(TestGpu("snb").run(Engine::render, gen4), "");
    EXPECT_NE(TestGpu("snb").run(Engine::blt, gen4), "");
    // gen3: one dword of state, 3DSTATE_LOAD_STATE_IMMEDIATE_1 of 3, an inline primitive of 4,
    // one of three indices in 2 dwords, one of a sequence.
    EXPECT_EQ(
        TestGpu("g33").run(Engine::render, {0x6c000000, 0x7d040001, ~0U, ~0U, 0x7f000002, ~0U, ~0U,
                                            ~0U, 0x7f820003, ~0U, ~0U, 0x7f800003, ~0U, end}),
        "");
}

} // namespace
} // namespace gem_upload::model
