// The commands that the model understands, one row for each form a command has over the
// generations. A front that has rings looks its commands up in the same table.
#pragma once

#include "model/engine_host.h"
#include "model/fences.h"
#include "model/gpu.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gem_upload::model {

using Dwords = std::span<const std::uint32_t>;

/// Where MI_BATCH_BUFFER_START goes.
struct Jump {
    std::uint64_t address;
    bool global = false;       ///< into the global address space; a user batch stays where it is
    bool privileged = false;   ///< that batch may hold the kernel's commands, if this place may
    bool second_level = false; ///< it comes back here
};

/// How it goes on after a command; set by the commands that change it.
struct Flow {
    bool end = false;   ///< MI_BATCH_BUFFER_END
    bool block = false; ///< what the command waits for has not happened: it is to be tried again
    bool arbitrate = false; ///< other work may take over after it
    std::optional<Jump> jump;
};

/// What commands act upon.
struct Execution {
    const ChipModel& chip;
    const FenceRegisters& fences;
    AddressSpace& memory; ///< what addresses refer to that do not name the global address space
    Engine engine;
    std::uint32_t& swctrl; ///< BCS_SWCTRL, which tells the blitter what "tiled" means
    EngineHost* host;      ///< nullptr in the user-space front
    bool privileged;       ///< the kernel's commands are allowed; only with a host
    bool& arbitrates;      ///< MI_ARB_ON_OFF
    Flow flow;
};

/// Carries a command out; throws Rejection.
using Handler = void (*)(Execution&, Dwords);

enum class Engines {
    any,
    render,
    blt,
    not_render,
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
    std::uint32_t opcode; ///< MI: bits 28:23, 2D: bits 28:22, 3D: bits 28:16
    int first_generation;
    int last_generation;
    Engines engines;
    Giver giver;
    LengthRule length;
    std::array<std::uint32_t, 10> zero; ///< bits that must be zero, by dword
    Handler execute;
};

/// The commands of a client (0 MI, 2 2D, 3 the little of 3D that writes memory).
[[nodiscard]] std::span<const Command> mi_commands();
[[nodiscard]] std::span<const Command> blit_commands();
[[nodiscard]] std::span<const Command> render_commands();

/// The address space that a command's address refers to: the global one if BIT of dword INDEX is
/// set; Rejection where the place may not name that.
[[nodiscard]] AddressSpace& named_space(Execution& execution, Dwords dwords, std::size_t index,
                                        unsigned bit);

/// The handlers of commands that a batch may not hold, for the table of MI commands.
namespace kernel {
void user_interrupt(Execution& execution, Dwords dwords);
void store_index(Execution& execution, Dwords dwords);
void load_register_memory(Execution& execution, Dwords dwords);
void store_register_memory(Execution& execution, Dwords dwords);
void set_context(Execution& execution, Dwords dwords);
void load_register_register(Execution& execution, Dwords dwords);
void semaphore_mailbox(Execution& execution, Dwords dwords);
} // namespace kernel

/// The register that dword INDEX names; from gen11 on as an offset from the engine's own where BIT
/// of the header is set. Only with a host.
[[nodiscard]] std::uint32_t named_register(const Execution& execution, Dwords dwords,
                                           std::size_t index, unsigned bit);

/// Reads a dword; Rejection where that is not possible.
[[nodiscard]] std::uint32_t load(AddressSpace& memory, Engine engine, std::uint64_t address);

/// Writes a dword or a qword, naturally aligned; Rejection where that is not possible.
void store(AddressSpace& memory, Engine engine, std::uint64_t address, Dwords values);

/// The row for a header; Rejection where this chip and engine have no such command.
[[nodiscard]] const Command& find_command(const ChipModel& chip, Engine engine,
                                          std::uint32_t header);

/// A command's number of dwords; Rejection if the header's length field may not be what it is.
[[nodiscard]] unsigned command_length(const Command& command, std::uint32_t header);

/// Checks that the place may hold the command and the bits that must be zero, then carries it out.
/// Throws Rejection.
void execute(const Command& command, Execution& execution, Dwords dwords);

/// The row for a 3D command that does more than draw, nullptr for one that is skipped.
[[nodiscard]] const Command* find_render_command(const ChipModel& chip, std::uint32_t header);

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
