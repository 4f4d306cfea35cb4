// The commands that the model understands, one row for each form a command has over the
// generations. A front that has rings looks its commands up in the same table.
#pragma once

#include "model/fences.h"
#include "model/gpu.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gem_upload::model {

using Dwords = std::span<const std::uint32_t>;

/// Where a batch goes on; set by the commands that change it.
struct Flow {
    bool end = false;                  ///< MI_BATCH_BUFFER_END
    std::optional<std::uint64_t> jump; ///< MI_BATCH_BUFFER_START
    bool second_level = false;         ///< the batch that is jumped to comes back
};

/// What commands act upon.
struct Execution {
    const ChipModel& chip;
    const FenceRegisters& fences;
    AddressSpace& memory;
    Engine engine;
    std::uint32_t& swctrl; ///< BCS_SWCTRL, which tells the blitter what "tiled" means
    Flow flow;
};

/// Carries a command out; throws Rejection.
using Handler = void (*)(Execution&, Dwords);

enum class Engines {
    any,
    render,
    blt,
    blitter ///< where 2D commands go: the render ring up to gen5, BLT from gen6 on
};

/// Who may give a command: one that only the kernel's ring may hold is a mistake in a batch.
enum class Giver { anyone, kernel };

/// How many dwords a command has: LENGTH_MASK selects the header's field (dwords - 2); 0: one
/// dword.
struct LengthRule {
    std::uint32_t length_mask;
    unsigned least;
    unsigned most;
};

/// For rows: up to the latest generation that the model has.
inline constexpr int newest = 12;

struct Command {
    std::string_view name;
    std::uint32_t opcode; ///< MI: bits 28:23, 2D: bits 28:22
    int first_generation;
    int last_generation;
    Engines engines;
    Giver giver;
    LengthRule length;
    std::array<std::uint32_t, 10> zero; ///< bits that must be zero, by dword
    Handler execute; ///< nullptr for the kernel's commands: the ring's owner carries them out
};

/// The commands of a client (0 MI, 2 2D).
[[nodiscard]] std::span<const Command> mi_commands();
[[nodiscard]] std::span<const Command> blit_commands();

/// The row for a header; Rejection where this chip and engine have no such command.
[[nodiscard]] const Command& find_command(const ChipModel& chip, Engine engine,
                                          std::uint32_t header);

/// A command's number of dwords; Rejection if the header's length field may not be what it is.
[[nodiscard]] unsigned command_length(const Command& command, std::uint32_t header);

/// Checks the bits that must be zero, then carries out a command that has a handler.
/// Throws Rejection.
void execute(const Command& command, Execution& execution, Dwords dwords);

/// Dwords of a 3D command (client 3), which the render engine skips: the model draws nothing.
[[nodiscard]] std::uint32_t skipped_3d_length(const ChipModel& chip, std::uint32_t header);

/// An address in two dwords, as gen8 and later have it, without its sign extension; Rejection if
/// bits 63:48 do not repeat bit 47.
[[nodiscard]] std::uint64_t wide_address(std::uint32_t low, std::uint32_t high);

/// Bits HIGH to LOW of a dword.
[[nodiscard]] constexpr std::uint32_t field(std::uint32_t dword, unsigned high, unsigned low) {
    return dword >> low & (0xffffffffU >> (31U - (high - low)));
}

/// "render engine", "BLT engine" or "video engine".
[[nodiscard]] std::string_view engine_name(Engine engine);

} // namespace gem_upload::model
