#include "model/blitter.h"
#include "model/commands.h"
#include "model/rejection.h"

#include <array>
#include <fmt/format.h>

namespace gem_upload::model {
namespace {

constexpr std::uint32_t coordinate_limit = 32768;
constexpr std::uint32_t upper_half = 0xffff0000;

constexpr std::uint32_t rop_copy_source = 0xcc;
constexpr std::uint32_t rop_copy_pattern = 0xf0;

struct Rop {
    std::uint32_t code;
    std::string_view name;
};

// Win32 names of the raster operations, which the PRM's table of ROPs refers to.
constexpr Rop rops[] = {
    {0x00, "BLACKNESS"}, {0x11, "NOTSRCERASE"}, {0x33, "NOTSRCCOPY"}, {0x44, "SRCERASE"},
    {0x55, "DSTINVERT"}, {0x5a, "PATINVERT"},   {0x66, "SRCINVERT"},  {0x88, "SRCAND"},
    {0xaa, "NOP"},       {0xbb, "MERGEPAINT"},  {0xc0, "MERGECOPY"},  {0xcc, "SRCCOPY"},
    {0xee, "SRCPAINT"},  {0xf0, "PATCOPY"},     {0xfb, "PATPAINT"},   {0xff, "WHITENESS"}};

std::string rop_name(std::uint32_t code) {
    for (const Rop& rop : rops) {
        if (rop.code == code) {
            return fmt::format("{:#04x} ({})", code, rop.name);
        }
    }
    return fmt::format("{:#04x}", code);
}

/// What DW0 and BR13 say of the pixels.
struct Pixels {
    unsigned bytes;
    ByteMask mask;
};

Pixels pixels_of(Dwords dwords, std::uint32_t rop) {
    const std::uint32_t depth = field(dwords[1], 25, 24);
    const std::uint32_t channels = field(dwords[0], 21, 20);
    if (field(dwords[1], 23, 16) != rop) {
        reject("dword 1 (BR13) is {:#010x}: raster operation (23:16) {} is not modelled, "
               "only {}",
               dwords[1], rop_name(field(dwords[1], 23, 16)), rop_name(rop));
    }
    if (field(dwords[1], 30, 30) != 0) {
        reject("dword 1 (BR13) is {:#010x}: bit 30 (clipping; in SRC_COPY_BLT right to "
               "left) is not modelled",
               dwords[1]);
    }
    if (depth != 3) {
        if (channels != 0) {
            reject("dword 1 (BR13) is {:#010x}: colour depth (25:24) {} means {} bits per "
                   "pixel, but header bits 21:20 ({}) write 32-bit pixels: the depth must "
                   "be 3 or those bits 0",
                   dwords[1], depth, depth == 0 ? 8 : 16, channels);
        }
        return Pixels{depth == 0 ? 1U : 2U, all_bytes};
    }
    if (channels == 0) {
        reject("header {:#010x}: bits 21:20 (write alpha, write RGB) are both clear, so "
               "nothing of the 32-bit pixels is written",
               dwords[0]);
    }
    return Pixels{4, ((channels & 2U) != 0 ? 0x8U : 0U) | ((channels & 1U) != 0 ? 0x7U : 0U)};
}

struct Corner {
    std::uint32_t x;
    std::uint32_t y;
};

Corner corner_of(Dwords dwords, std::size_t index) {
    const Corner corner{field(dwords[index], 15, 0), field(dwords[index], 31, 16)};
    if (corner.x >= coordinate_limit || corner.y >= coordinate_limit) {
        reject("dword {} is {:#010x}: coordinates must lie in 0 to 32767", index, dwords[index]);
    }
    return corner;
}

struct Rectangle {
    Corner first;
    std::uint32_t width; ///< pixels
    std::uint32_t rows;
};

Rectangle rectangle_of(Dwords dwords) {
    const Corner one = corner_of(dwords, 2);
    const Corner two = corner_of(dwords, 3);
    if (two.x <= one.x || two.y <= one.y) {
        reject("dwords 2 and 3 say ({}, {}) to ({}, {}): the rectangle is empty; x2 and y2 "
               "are exclusive and must lie beyond x1 and y1",
               one.x, one.y, two.x, two.y);
    }
    return Rectangle{one, two.x - one.x, two.y - one.y};
}

/// One surface as a command's dwords give it.
struct SurfaceFields {
    std::string_view name; ///< "destination"
    std::size_t pitch;     ///< the dword that holds the pitch
    std::size_t address;   ///< the (first) dword of the address
    Tiling tiling;
};

/// What a command asks of surfaces.
struct SurfaceRules {
    unsigned alignment;      ///< of a linear surface's address, in bytes
    unsigned pitch_multiple; ///< of a linear surface's pitch, in bytes
    bool wide_pitch = false; ///< the pitch is in bits 17:0, less 1; else in bits 15:0, signed
};

/// Of the commands before gen9. Source: Mesa's crocus_blt.c and i965's intel_blit.c, which quote
/// the BDW PRM on cache lines.
SurfaceRules classic_rules(const ChipModel& chip, unsigned bytes_per_pixel) {
    return {.alignment = chip.generation >= 8 ? 64 : bytes_per_pixel, .pitch_multiple = 4};
}

std::uint64_t address_of(const ChipModel& chip, Dwords dwords, const SurfaceFields& fields,
                         const SurfaceRules& rules) {
    const std::uint64_t address = wide_address(
        dwords[fields.address], chip.generation >= 8 ? dwords[fields.address + 1] : 0U);
    const bool tiled = fields.tiling != Tiling::linear;
    const std::uint64_t alignment = tiled ? tile_bytes : rules.alignment;
    if (address % alignment != 0) {
        reject("dword {} ({} address) is {:#x}: a {} surface must begin at a multiple of "
               "{} on gen{}",
               fields.address, fields.name, address, tiled ? "tiled" : "linear", alignment,
               chip.generation);
    }
    return address;
}

/// The pitch in bytes, wide enough for rows of WIDTH bytes.
std::uint32_t pitch_of(Dwords dwords, const SurfaceFields& fields, const SurfaceRules& rules,
                       std::uint32_t width) {
    const unsigned highest_bit = rules.wide_pitch ? 17 : 15;
    const std::uint32_t given = field(dwords[fields.pitch], highest_bit, 0);
    const auto wrong = [&](const std::string& why) {
        reject("dword {} is {:#010x}: {} pitch ({}:0) {}", fields.pitch, dwords[fields.pitch],
               fields.name, highest_bit, why);
    };
    if (!rules.wide_pitch && given >= coordinate_limit) {
        wrong(fmt::format("{} is negative: it must lie in 1 to 32767",
                          static_cast<int>(given) - 2 * static_cast<int>(coordinate_limit)));
    }
    const bool tiled = fields.tiling != Tiling::linear;
    const std::uint32_t units = given + (rules.wide_pitch ? 1 : 0);
    const std::uint32_t pitch = tiled ? units * 4 : units;
    const std::uint32_t multiple = tiled ? tile_shape(fields.tiling).width : rules.pitch_multiple;
    if (pitch % multiple != 0) {
        wrong(fmt::format("{} means {} bytes{}: it must be a multiple of {} bytes", given, pitch,
                          tiled ? " (a tiled surface's pitch is in dwords)" : "", multiple));
    }
    if (pitch < width) {
        wrong(fmt::format("{} means {} bytes{}, less than the {} bytes up to the right edge of "
                          "the rectangle",
                          given, pitch, tiled ? " (a tiled surface's pitch is in dwords)" : "",
                          width));
    }
    return pitch;
}

BlitSurface surface_of(const ChipModel& chip, Dwords dwords, const SurfaceFields& fields,
                       const SurfaceRules& rules, unsigned bytes, Corner corner,
                       std::uint32_t width) {
    const std::uint64_t address = address_of(chip, dwords, fields, rules);
    const std::uint32_t pitch = pitch_of(dwords, fields, rules, (corner.x + width) * bytes);
    return BlitSurface{address, fields.tiling, pitch, corner.x * bytes, corner.y};
}

BlitContext context_of(const Execution& execution) {
    return {execution.chip, execution.fences, execution.memory, execution.engine};
}

/// A copy between two surfaces whose corners and extent are known.
struct Copy {
    SurfaceFields destination;
    SurfaceFields source;
    SurfaceRules rules;
    Pixels pixels;
    Rectangle rectangle;
    Corner source_corner;
    bool may_overlap; ///< the hardware chooses a direction that makes overlapping copies right
};

void carry_out(Execution& execution, Dwords dwords, const Copy& copy) {
    const BlitSurface destination =
        surface_of(execution.chip, dwords, copy.destination, copy.rules, copy.pixels.bytes,
                   copy.rectangle.first, copy.rectangle.width);
    const BlitSurface source =
        surface_of(execution.chip, dwords, copy.source, copy.rules, copy.pixels.bytes,
                   copy.source_corner, copy.rectangle.width);
    const BlitContext context = context_of(execution);
    const BlitSize size{copy.rectangle.width * copy.pixels.bytes, copy.rectangle.rows};
    if (!copy.may_overlap && blit_overlaps(destination, source, size)) {
        reject("source and destination overlap, which this command does not order: use "
               "XY_SRC_COPY_BLT");
    }
    blit_copy(context, destination, source, size, copy.pixels.mask);
}

/// What a tiling bit of DW0 means: from gen6 on BCS_SWCTRL makes it Y.
Tiling tiling_of(bool tiled, bool y) {
    if (!tiled) {
        return Tiling::linear;
    }
    return y ? Tiling::y : Tiling::x;
}

Tiling source_tiling(const Execution& execution, std::uint32_t header) {
    return tiling_of(field(header, 15, 15) != 0, field(execution.swctrl, 0, 0) != 0);
}

Tiling destination_tiling(const Execution& execution, std::uint32_t header) {
    return tiling_of(field(header, 11, 11) != 0, field(execution.swctrl, 1, 1) != 0);
}

void xy_src_copy(Execution& execution, Dwords dwords) {
    const Pixels pixels = pixels_of(dwords, rop_copy_source);
    const Rectangle rectangle = rectangle_of(dwords);
    const std::size_t wide = execution.chip.generation >= 8 ? 1 : 0;
    const Corner corner = corner_of(dwords, 5 + wide);
    carry_out(execution, dwords,
              {.destination = {"destination", 1, 4, destination_tiling(execution, dwords[0])},
               .source = {"source", 6 + wide, 7 + wide, source_tiling(execution, dwords[0])},
               .rules = classic_rules(execution.chip, pixels.bytes),
               .pixels = pixels,
               .rectangle = rectangle,
               .source_corner = corner,
               .may_overlap = true});
}

/// SRC_COPY_BLT counts its width in bytes whatever the depth.
void src_copy(Execution& execution, Dwords dwords) {
    const Pixels pixel = pixels_of(dwords, rop_copy_source);
    const std::uint32_t width = field(dwords[2], 15, 0);
    const std::uint32_t rows = field(dwords[2], 31, 16);
    if (width == 0 || rows == 0 || width % pixel.bytes != 0) {
        reject("dword 2 is {:#010x}: width (15:0, bytes) {} and height (31:16) {} must not "
               "be 0, the width a multiple of the pixel's {} bytes",
               dwords[2], width, rows, pixel.bytes);
    }
    carry_out(execution, dwords,
              {.destination = {"destination", 1, 3, Tiling::linear},
               .source = {"source", 4, 5, Tiling::linear},
               .rules = classic_rules(execution.chip, pixel.bytes),
               .pixels = pixel,
               .rectangle = {{0, 0}, width / pixel.bytes, rows},
               .source_corner = {0, 0},
               .may_overlap = false});
}

void xy_color(Execution& execution, Dwords dwords) {
    const Pixels pixel = pixels_of(dwords, rop_copy_pattern);
    const Rectangle rectangle = rectangle_of(dwords);
    const BlitSurface surface = surface_of(
        execution.chip, dwords, {"destination", 1, 4, destination_tiling(execution, dwords[0])},
        classic_rules(execution.chip, pixel.bytes), pixel.bytes, rectangle.first, rectangle.width);
    blit_fill(context_of(execution), surface, {rectangle.width * pixel.bytes, rectangle.rows},
              dwords.back(), pixel.bytes, pixel.mask);
}

/// XY_FAST_COPY_BLT's tiling field: 0 linear, 1 X, 2 Y. NEW_Y_BIT of dword 1 makes a Y tile one of
/// the new layout, Yf. Gen12 has no X tiles there (i915's gem/selftests/i915_gem_client_blt.c,
/// supports_x_tiling(), and IGT's lib/intel_cmds_info.c).
Tiling fast_tiling(const ChipModel& chip, Dwords dwords, unsigned low, unsigned new_y_bit) {
    const std::uint32_t tiling = field(dwords[0], low + 1, low);
    if (tiling == 3) {
        reject("header {:#010x}: tiling ({}:{}) 3 is not modelled, only 0 (linear), 1 (X) "
               "and 2 (Y)",
               dwords[0], low + 1, low);
    }
    if (tiling == 1 && chip.generation >= 12) {
        reject("header {:#010x}: tiling ({}:{}) 1 (X) does not exist in this command on gen{}: use "
               "XY_SRC_COPY_BLT",
               dwords[0], low + 1, low, chip.generation);
    }
    if (field(dwords[1], new_y_bit, new_y_bit) != 0) {
        reject("dword 1 is {:#010x}: bit {} (Yf tiles) is not modelled", dwords[1], new_y_bit);
    }
    return tiling == 0 ? Tiling::linear : tiling == 1 ? Tiling::x : Tiling::y;
}

unsigned fast_depth(std::uint32_t dword) {
    switch (field(dword, 26, 24)) {
    case 0:
        return 1U;
    case 1:
        return 2U;
    case 3:
        return 4U;
    case 4:
        return 8U;
    case 5:
        return 16U;
    default:
        reject("dword 1 is {:#010x}: colour depth (26:24) must be 0 (8 bits), 1 (16), 3 "
               "(32), 4 (64) or 5 (128)",
               dword);
    }
}

/// The unit in which XY_FAST_COPY_BLT thinks.
constexpr unsigned oword_bytes = 16;

void check_oword(Dwords dwords, std::size_t index, Corner corner, unsigned bytes) {
    if (corner.x * bytes % oword_bytes != 0) {
        reject("dword {} is {:#010x}: x {} of {}-byte pixels is byte {} of the row: this command "
               "begins at multiples of 16",
               index, dwords[index], corner.x, bytes, corner.x * bytes);
    }
}

/// Sources of the alignments: Mesa's i965 intel_blit.c, can_fast_copy_blit(), which quotes the SKL
/// PRM, and for gen12 intel-media-driver's mhw_blt.h.
void xy_fast_copy(Execution& execution, Dwords dwords) {
    const Tiling to = fast_tiling(execution.chip, dwords, 13, 30);
    const Tiling from = fast_tiling(execution.chip, dwords, 20, 31);
    const unsigned bytes = fast_depth(dwords[1]);
    const Rectangle rectangle = rectangle_of(dwords);
    const Corner corner = corner_of(dwords, 6);
    check_oword(dwords, 2, rectangle.first, bytes);
    check_oword(dwords, 6, corner, bytes);
    carry_out(execution, dwords,
              {.destination = {"destination", 1, 4, to},
               .source = {"source", 7, 8, from},
               .rules = {.alignment = 64, .pitch_multiple = oword_bytes},
               .pixels = {bytes, all_bytes},
               .rectangle = rectangle,
               .source_corner = corner,
               .may_overlap = false});
}

unsigned block_depth(std::uint32_t header) {
    constexpr std::array<unsigned, 6> bytes{1, 2, 4, 8, 12, 16};
    const std::uint32_t depth = field(header, 21, 19);
    if (depth >= bytes.size()) {
        reject("header {:#010x}: colour depth (21:19) must be 0 (8 bits), 1 (16), 2 (32), 3 (64), "
               "4 (96) or 5 (128)",
               header);
    }
    return bytes.at(depth);
}

/// What a surface's dword says beside the pitch.
Tiling block_tiling(Dwords dwords, std::size_t index) {
    const std::uint32_t dword = dwords[index];
    const std::uint32_t tiling = field(dword, 31, 30);
    if (tiling > 1) {
        reject("dword {} is {:#010x}: tiling (31:30) must be 0 (linear) or 1 (Y): this command has "
               "no other on this chip",
               index, dword);
    }
    if (field(dword, 21, 21) != 0) {
        reject("dword {} is {:#010x}: bit 21 (protected content) is not modelled", index, dword);
    }
    return tiling == 0 ? Tiling::linear : Tiling::y;
}

/// Bit 31 tells local from system memory, and the chips of the model have the latter alone.
void check_block_offset(Dwords dwords, std::size_t index) {
    if (field(dwords[index], 30, 0) != 0) {
        reject("dword {} is {:#010x}: an offset of the surface's first pixel (29:0) is not "
               "modelled, it must be 0",
               index, dwords[index]);
    }
}

/// In the form of gen12.0: 12 dwords. DG2 and later have 22, with compression and mip maps.
/// Sources: intel-media-driver's mhw_blt.h, XY_BLOCK_COPY_BLT_CMD; IGT's lib/intel_blt.c and
/// lib/intel_cmds_info.c.
void xy_block_copy(Execution& execution, Dwords dwords) {
    const unsigned bytes = block_depth(dwords[0]);
    const Tiling to = block_tiling(dwords, 1);
    const Tiling from = block_tiling(dwords, 8);
    if (bytes == 12 && (to != Tiling::linear || from != Tiling::linear)) {
        reject("header {:#010x}: colour depth (21:19) 4 (96 bits) is for linear surfaces alone",
               dwords[0]);
    }
    check_block_offset(dwords, 6);
    check_block_offset(dwords, 11);
    const Rectangle rectangle = rectangle_of(dwords);
    const Corner corner = corner_of(dwords, 7);
    const unsigned alignment = bytes == 12 ? 4 : bytes; // 96 bits are three channels of 32
    carry_out(execution, dwords,
              {.destination = {"destination", 1, 4, to},
               .source = {"source", 8, 9, from},
               .rules = {.alignment = alignment, .pitch_multiple = alignment, .wide_pitch = true},
               .pixels = {bytes, all_bytes},
               .rectangle = rectangle,
               .source_corner = corner,
               .may_overlap = true});
}

constexpr std::uint32_t xy_header = 0x000f7700;     ///< all but 21:20, 15, 11 and the length
constexpr std::uint32_t src_header = 0x000fff00;    ///< no tiling bits
constexpr std::uint32_t color_header = 0x000ff700;  ///< only the destination may be tiled
constexpr std::uint32_t br13 = 0xbc000000;          ///< 31 and 29:26
constexpr std::uint32_t block_surface = 0x301c0000; ///< compression and its surfaces, from DG2 on

// Sources: G45 PRM volume 1b and SNB PRM volume 1 part 5 (blitter), BDW PRM volume 2a and SKL PRM
// volume 2a (commands); kernel gt/intel_gpu_commands.h.
// clang-format off
constexpr Command blit_table[] = {
    {"XY_BLOCK_COPY_BLT", 0x41, 12, newest, Engines::blitter, Giver::anyone, {0xff, 12, 12},
     {0x0007ff00, block_surface, 0, 0, 0, 0, 0, 0, block_surface}, xy_block_copy},
    {"XY_FAST_COPY_BLT", 0x42, 9, newest, Engines::blitter, Giver::anyone, {0xff, 10, 10},
     {0x000f9f00, 0x38ff0000, 0, 0, 0, 0, 0, upper_half}, xy_fast_copy},
    {"SRC_COPY_BLT", 0x43, 2, 7, Engines::blitter, Giver::anyone, {0xff, 6, 6},
     {src_header, br13, 0, 0, upper_half}, src_copy},
    {"XY_COLOR_BLT", 0x50, 2, 3, Engines::blitter, Giver::anyone, {0xff, 6, 6},
     {src_header, br13}, xy_color},
    {"XY_COLOR_BLT", 0x50, 4, 7, Engines::blitter, Giver::anyone, {0xff, 6, 6},
     {color_header, br13}, xy_color},
    {"XY_COLOR_BLT", 0x50, 8, newest, Engines::blitter, Giver::anyone, {0xff, 7, 7},
     {color_header, br13}, xy_color},
    {"XY_SRC_COPY_BLT", 0x53, 2, 3, Engines::blitter, Giver::anyone, {0xff, 8, 8},
     {src_header, br13, 0, 0, 0, 0, upper_half}, xy_src_copy},
    {"XY_SRC_COPY_BLT", 0x53, 4, 7, Engines::blitter, Giver::anyone, {0xff, 8, 8},
     {xy_header, br13, 0, 0, 0, 0, upper_half}, xy_src_copy},
    {"XY_SRC_COPY_BLT", 0x53, 8, newest, Engines::blitter, Giver::anyone, {0xff, 10, 10},
     {xy_header, br13, 0, 0, 0, 0, 0, upper_half}, xy_src_copy},
};
// clang-format on

} // namespace

std::span<const Command> blit_commands() {
    return blit_table;
}

} // namespace gem_upload::model
