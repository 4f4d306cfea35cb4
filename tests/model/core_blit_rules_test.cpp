// Worse than useless: a blitter that accepts what the hardware would not do as asked: a wrong
// pitch, depth, length or address then goes unnoticed until real hardware shows it. Each case is
// the right copy with one mistake, and the sentence must name the mistake.
#include "core_memory.h"

#include <gtest/gtest.h>

namespace gem_upload::model {
namespace {

constexpr std::uint32_t end = 0x05000000;
constexpr std::uint32_t destination = 0x1000000;
constexpr std::uint32_t source = 0x2000000;

using Dwords8 = std::vector<std::uint32_t>;

/// 16 x 4 pixels of 32 bits, pitch 64.
Dwords8 narrow() {
    return {0x54f00006, 0x03cc0040, 0, 0x00040010, destination, 0, 64, source, end, 0};
}
Dwords8 wide() {
    return {0x54f00008, 0x03cc0040, 0, 0x00040010, destination, 0, 0, 64, source, 0, end, 0};
}
Dwords8 fast() {
    return {0x50800008, 0x03000040, 0, 0x00040010, destination, 0, 0, 64, source, 0, end, 0};
}

/// Tiling Y, pitch 128 bytes = 32 dwords, that is 31 in the command.
Dwords8 block() {
    return {0x5050000a, 0x4000001f, 0,      0x00040010, destination, 0,   0,
            0,          0x0000003f, source, 0,          0x80000000,  end, 0};
}

struct Mistake {
    const char* chip;
    Dwords8 (*right)();
    std::size_t dword;
    std::uint32_t value;
    const char*
        sentence; ///< what comes after "...: COMMAND at dword 0 of the batch at 0x7000000: "
};

std::string outcome(const char* chip, const Dwords8& dwords) {
    TestGpu gpu(chip);
    gpu.memory.add(destination, 0x8000);
    gpu.memory.add(source, 0x8000);
    return gpu.run(dwords);
}

const Mistake mistakes[] = {
    {"g45", narrow, 0, 0x54f00005,
     "header 0x54f00005: the length field is 5 (7 dwords), it must be 6"},
    {"snb", narrow, 0, 0x54f00008,
     "header 0x54f00008: the length field is 8 (10 dwords), it must be 6"},
    {"bdw", wide, 0, 0x54f00006,
     "header 0x54f00006: the length field is 6 (8 dwords), it must be 8"},
    {"g45", narrow, 0, 0x54f10006,
     "dword 0 is 0x54f10006: bits 0x00010000 are reserved on gen4 and must be zero"},
    {"g33", narrow, 0, 0x54f08006,
     "dword 0 is 0x54f08006: bits 0x00008000 are reserved on gen3 and must be zero"},
    {"g33", narrow, 0, 0x54f00806,
     "dword 0 is 0x54f00806: bits 0x00000800 are reserved on gen3 and must be zero"},
    {"g45", narrow, 1, 0x83cc0040,
     "dword 1 is 0x83cc0040: bits 0x80000000 are reserved on gen4 and must be zero"},
    {"g45", narrow, 1, 0x43cc0040,
     "dword 1 (BR13) is 0x43cc0040: bit 30 (clipping; in SRC_COPY_BLT right to left) is not "
     "modelled"},
    {"g45", narrow, 1, 0x01cc0040,
     "dword 1 (BR13) is 0x01cc0040: colour depth (25:24) 1 means 16 bits per pixel, but header "
     "bits "
     "21:20 (3) write 32-bit pixels: the depth must be 3 or those bits 0"},
    {"g45", narrow, 1, 0x00cc0040,
     "dword 1 (BR13) is 0x00cc0040: colour depth (25:24) 0 means 8 bits per pixel, but header bits "
     "21:20 (3) write 32-bit pixels: the depth must be 3 or those bits 0"},
    {"g45", narrow, 0, 0x54c00006,
     "header 0x54c00006: bits 21:20 (write alpha, write RGB) are both clear, so nothing of the "
     "32-bit "
     "pixels is written"},
    {"g45", narrow, 1, 0x03660040,
     "dword 1 (BR13) is 0x03660040: raster operation (23:16) 0x66 (SRCINVERT) is not modelled, "
     "only "
     "0xcc (SRCCOPY)"},
    {"g45", narrow, 1, 0x03120040,
     "dword 1 (BR13) is 0x03120040: raster operation (23:16) 0x12 is not modelled, only 0xcc "
     "(SRCCOPY)"},
    {"g45", narrow, 1, 0x03cc003c,
     "dword 1 is 0x03cc003c: destination pitch (15:0) 60 means 60 bytes, less than the 64 bytes up "
     "to "
     "the right edge of the rectangle"},
    {"g45", narrow, 6, 60,
     "dword 6 is 0x0000003c: source pitch (15:0) 60 means 60 bytes, less than the 64 bytes up to "
     "the "
     "right edge of the rectangle"},
    {"g45", narrow, 1, 0x03cc0042,
     "dword 1 is 0x03cc0042: destination pitch (15:0) 66 means 66 bytes: it must be a multiple of "
     "4 "
     "bytes"},
    {"g45", narrow, 1, 0x03ccffc0,
     "dword 1 is 0x03ccffc0: destination pitch (15:0) -64 is negative: it must lie in 1 to 32767"},
    {"g45", narrow, 1, 0x03cc0000,
     "dword 1 is 0x03cc0000: destination pitch (15:0) 0 means 0 bytes, less than the 64 bytes up "
     "to "
     "the right edge of the rectangle"},
    {"g45", narrow, 6, 0x00010040,
     "dword 6 is 0x00010040: bits 0x00010000 are reserved on gen4 and must be zero"},
    {"g45", narrow, 0, 0x54f00806,
     "dword 1 is 0x03cc0040: destination pitch (15:0) 64 means 256 bytes (a tiled surface's pitch "
     "is "
     "in dwords): it must be a multiple of 512 bytes"},
    {"g45", narrow, 2, 0x00000010,
     "dwords 2 and 3 say (16, 0) to (16, 4): the rectangle is empty; x2 and y2 are exclusive and "
     "must "
     "lie beyond x1 and y1"},
    {"g45", narrow, 3, 0x00000010,
     "dwords 2 and 3 say (0, 0) to (16, 0): the rectangle is empty; x2 and y2 are exclusive and "
     "must "
     "lie beyond x1 and y1"},
    {"g45", narrow, 2, 0xffff0000, "dword 2 is 0xffff0000: coordinates must lie in 0 to 32767"},
    {"g45", narrow, 3, 0x00048000, "dword 3 is 0x00048000: coordinates must lie in 0 to 32767"},
    {"g45", narrow, 5, 0x0000fff0, "dword 5 is 0x0000fff0: coordinates must lie in 0 to 32767"},
    {"g45", narrow, 4, destination + 2,
     "dword 4 (destination address) is 0x1000002: a linear surface must begin at a multiple of 4 "
     "on "
     "gen4"},
    {"bdw", wide, 8, source + 16,
     "dword 8 (source address) is 0x2000010: a linear surface must begin at a multiple of 64 on "
     "gen8"},
    {"bdw", wide, 5, 0x8000,
     "address 0x800001000000 is not canonical: bits 63:48 must repeat bit 47"},
    {"bdw", wide, 9, 1,
     "reading the source surface at 0x102000000, pitch 64, at address 0x102000000 (row 0, byte 0): "
     "nothing is bound there"},
    {"bdw", wide, 7, 0x00010040,
     "dword 7 is 0x00010040: bits 0x00010000 are reserved on gen8 and must be zero"},
    {"g45", narrow, 4, 0,
     "writing the destination surface at 0x0, pitch 64, at address 0x0 (row 0, byte 0): nothing is "
     "bound there"}, // a relocation that was never applied
    {"skl", fast, 0, 0x50b00008,
     "header 0x50b00008: tiling (21:20) 3 is not modelled, only 0 (linear), 1 (X) and 2 (Y)"},
    {"skl", fast, 0, 0x50810008,
     "dword 0 is 0x50810008: bits 0x00010000 are reserved on gen9 and must be zero"},
    {"skl", fast, 1, 0x02000040,
     "dword 1 is 0x02000040: colour depth (26:24) must be 0 (8 bits), 1 (16), 3 (32), 4 (64) or 5 "
     "(128)"},
    {"skl", fast, 1, 0x43000040, "dword 1 is 0x43000040: bit 30 (Yf tiles) is not modelled"},
    {"icl", fast, 1, 0x83000040, "dword 1 is 0x83000040: bit 31 (Yf tiles) is not modelled"},
    {"skl", fast, 1, 0x23000040,
     "dword 1 is 0x23000040: bits 0x20000000 are reserved on gen9 and must be zero"},
    {"tgl", fast, 0, 0x50900008,
     "header 0x50900008: tiling (21:20) 1 (X) does not exist in this command on gen12: use "
     "XY_SRC_COPY_BLT"},
    {"tgl", fast, 0, 0x50802008,
     "header 0x50802008: tiling (14:13) 1 (X) does not exist in this command on gen12: use "
     "XY_SRC_COPY_BLT"},
    {"skl", fast, 6, 2,
     "dword 6 is 0x00000002: x 2 of 4-byte pixels is byte 8 of the row: this command begins at "
     "multiples of 16"},
    {"skl", fast, 2, 1,
     "dword 2 is 0x00000001: x 1 of 4-byte pixels is byte 4 of the row: this command begins at "
     "multiples of 16"},
    {"skl", fast, 7, 72,
     "dword 7 is 0x00000048: source pitch (15:0) 72 means 72 bytes: it must be a multiple of 16 "
     "bytes"},
    {"tgl", block, 0, 0x50500014,
     "header 0x50500014: the length field is 20 (22 dwords), it must be 10"},
    {"tgl", block, 0, 0x5050100a,
     "dword 0 is 0x5050100a: bits 0x00001000 are reserved on gen12 and must be zero"},
    {"tgl", block, 0, 0x5070000a,
     "header 0x5070000a: colour depth (21:19) must be 0 (8 bits), 1 (16), 2 (32), 3 (64), 4 (96) "
     "or 5 (128)"},
    {"tgl", block, 0, 0x5060000a,
     "header 0x5060000a: colour depth (21:19) 4 (96 bits) is for linear surfaces alone"},
    {"tgl", block, 1, 0x6000001f,
     "dword 1 is 0x6000001f: bits 0x20000000 are reserved on gen12 and must be zero"}, // compression
    {"tgl", block, 8, 0x0014003f,
     "dword 8 is 0x0014003f: bits 0x00140000 are reserved on gen12 and must be zero"},
    {"tgl", block, 1, 0x8000001f,
     "dword 1 is 0x8000001f: tiling (31:30) must be 0 (linear) or 1 (Y): this command has no other "
     "on this chip"},
    {"tgl", block, 8, 0xc000003f,
     "dword 8 is 0xc000003f: tiling (31:30) must be 0 (linear) or 1 (Y): this command has no other "
     "on this chip"},
    {"tgl", block, 8, 0x0020003f,
     "dword 8 is 0x0020003f: bit 21 (protected content) is not modelled"},
    {"tgl", block, 1, 0x40000020,
     "dword 1 is 0x40000020: destination pitch (17:0) 32 means 132 bytes (a tiled surface's pitch "
     "is in dwords): it must be a multiple of 128 bytes"},
    {"tgl", block, 8, 0x0000003b,
     "dword 8 is 0x0000003b: source pitch (17:0) 59 means 60 bytes, less than the 64 bytes up to "
     "the right edge of the rectangle"},
    {"tgl", block, 8, 0x00000040,
     "dword 8 is 0x00000040: source pitch (17:0) 64 means 65 bytes: it must be a multiple of 4 "
     "bytes"},
    {"tgl", block, 4, destination + 64,
     "dword 4 (destination address) is 0x1000040: a tiled surface must begin at a multiple of 4096 "
     "on gen12"},
    {"tgl", block, 9, source + 2,
     "dword 9 (source address) is 0x2000002: a linear surface must begin at a multiple of 4 on "
     "gen12"},
    {"tgl", block, 6, 0x00010000,
     "dword 6 is 0x00010000: an offset of the surface's first pixel (29:0) is not modelled, it "
     "must be 0"},
    {"tgl", block, 11, 0x80000003,
     "dword 11 is 0x80000003: an offset of the surface's first pixel (29:0) is not modelled, it "
     "must be 0"},
    {"tgl", block, 3, 0,
     "dwords 2 and 3 say (0, 0) to (0, 0): the rectangle is empty; x2 and y2 are exclusive and "
     "must lie beyond x1 and y1"},
    {"tgl", block, 7, 0xffff0000, "dword 7 is 0xffff0000: coordinates must lie in 0 to 32767"},
};

TEST(BlitRules, TheRightCopiesPass) {
    EXPECT_EQ(outcome("g33", narrow()), "");
    EXPECT_EQ(outcome("g45", narrow()), "");
    EXPECT_EQ(outcome("snb", narrow()), "");
    EXPECT_EQ(outcome("bdw", wide()), "");
    EXPECT_EQ(outcome("skl", fast()), "");
    EXPECT_EQ(outcome("icl", fast()), "");
    EXPECT_EQ(outcome("adlp", fast()), "");
    for (const char* chip : {"tgl", "rkl", "adls", "adlp", "rpls"}) {
        EXPECT_EQ(outcome(chip, block()), "") << chip;
    }
}

TEST(BlitRules, TheBlockCopyBeginsWithGen12) {
    EXPECT_NE(outcome("icl", block())
                  .find("XY_BLOCK_COPY_BLT does not exist on gen11, only on gen12 to gen12"),
              std::string::npos);
}

TEST(BlitRules, BlockCopiesHaveWidePitches) {
    // Two rows of 16 pixels, 128 KiB apart: more than bits 15:0 can say.
    TestGpu gpu("tgl");
    gpu.memory.add(destination, 0x8000);
    gpu.memory.add(source, 0x21000);
    gpu.memory.object(source)[0x20000] = std::byte{0x5a};
    std::vector<std::uint32_t> dwords = block();
    dwords[1] = 0x0000003f;
    dwords[3] = 0x00020010;
    dwords[8] = 0x0001ffff;
    ASSERT_EQ(gpu.run(dwords), "");
    EXPECT_EQ(gpu.memory.object(destination)[64], std::byte{0x5a});
}

TEST(BlitRules, EachMistakeIsNamed) {
    for (const Mistake& mistake : mistakes) {
        Dwords8 dwords = mistake.right();
        dwords[mistake.dword] = mistake.value;
        const std::string fault = outcome(mistake.chip, dwords);
        const std::string place = "_BLT at dword 0 of the batch at 0x7000000: ";
        const std::size_t words = fault.find(place);
        ASSERT_NE(words, std::string::npos) << fault << " for " << mistake.sentence;
        EXPECT_EQ(fault.substr(words + place.size()), mistake.sentence);
    }
}

TEST(BlitRules, TiledSurfacesBeginAtPages) {
    // 128 x 8 pixels of X tiles, pitch 512 bytes = 128 dwords.
    EXPECT_EQ(outcome("g45",
                      {0x54f00806, 0x03cc0080, 0, 0x00080080, destination, 0, 512, source, end, 0}),
              "");
    EXPECT_NE(outcome("g45", {0x54f00806, 0x03cc0080, 0, 0x00080080, destination + 512, 0, 512,
                              source, end, 0})
                  .find("a tiled surface must begin at a multiple of 4096"),
              std::string::npos);
}

TEST(BlitRules, TheLinearCopyHasItsOwn) {
    const std::vector<std::uint32_t> right = {0x50f00004, 0x03cc0040, 0x00040040, destination,
                                              64,         source,     end,        0};
    EXPECT_EQ(outcome("g45", right), "");
    const auto with = [&](std::size_t dword, std::uint32_t value) {
        std::vector<std::uint32_t> dwords = right;
        dwords[dword] = value;
        return outcome("g45", dwords);
    };
    EXPECT_NE(with(2, 0x00000040).find("must not be 0"), std::string::npos);
    EXPECT_NE(with(2, 0x00040000).find("must not be 0"), std::string::npos);
    EXPECT_NE(with(2, 0x0004003e).find("a multiple of the pixel's 4 bytes"), std::string::npos);
    EXPECT_NE(with(4, 32).find("source pitch"), std::string::npos);
    EXPECT_NE(with(0, 0x50f00804).find("bits 0x00000800 are reserved"), std::string::npos);
    EXPECT_NE(with(1, 0x43cc0040).find("right to left"), std::string::npos);
}

} // namespace
} // namespace gem_upload::model
