#include "model/commands.h"

#include "model/rejection.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string>

namespace gem_upload::model {
namespace {

constexpr std::uint32_t mi_client = 0;
constexpr std::uint32_t blit_client = 2;

std::span<const Command> commands_of(std::uint32_t client) {
    if (client == mi_client) {
        return mi_commands();
    }
    return client == blit_client ? blit_commands() : std::span<const Command>{};
}

std::uint32_t opcode_of(std::uint32_t header) {
    switch (field(header, 31, 29)) {
    case mi_client:
        return field(header, 28, 23);
    case blit_client:
        return field(header, 28, 22);
    default:
        return field(header, 28, 16);
    }
}

Engine blitter_engine(const ChipModel& chip) {
    return chip.blt_ring ? Engine::blt : Engine::render;
}

bool runs_on(const Command& command, const ChipModel& chip, Engine engine) {
    switch (command.engines) {
    case Engines::any:
        return true;
    case Engines::render:
        return engine == Engine::render;
    case Engines::blt:
        return engine == Engine::blt;
    case Engines::not_render:
        return engine != Engine::render;
    case Engines::blitter:
        break;
    }
    return engine == blitter_engine(chip);
}

std::string wrong_engine(const Command& command, const ChipModel& chip, Engine engine) {
    if (command.engines == Engines::blitter) {
        return fmt::format(
            "{} is a 2D command, and the {} has no blitter on gen{}: give it to the {}",
            command.name, engine_name(engine), chip.generation, engine_name(blitter_engine(chip)));
    }
    return fmt::format("{} is not a command of the {}", command.name, engine_name(engine));
}

bool same_opcode(const Command& command, std::uint32_t header) {
    return command.opcode == opcode_of(header);
}

/// The chip's row for a header, nullptr if there is none.
const Command* row_for(std::span<const Command> all, const ChipModel& chip, std::uint32_t header) {
    const auto row = std::find_if(all.begin(), all.end(), [&](const Command& command) {
        return same_opcode(command, header) && chip.generation >= command.first_generation &&
               chip.generation <= command.last_generation;
    });
    return row == all.end() ? nullptr : &*row;
}

/// Why no row fits, when the opcode is known on other generations.
std::string wrong_generation(std::span<const Command> all, const ChipModel& chip,
                             std::uint32_t header) {
    std::string exists;
    std::string_view name;
    int last = 0; // of the row before: rows that follow one another are one range to a reader
    for (const Command& command : all) {
        if (!same_opcode(command, header)) {
            continue;
        }
        name = command.name;
        const std::string end = fmt::format(" to gen{}", last);
        if (!exists.empty() && command.first_generation == last + 1) {
            exists.resize(exists.size() - end.size());
        } else {
            exists += fmt::format("{}gen{}", exists.empty() ? "" : ", ", command.first_generation);
        }
        last = command.last_generation;
        exists += fmt::format(" to gen{}", last);
    }
    if (exists.empty()) {
        return fmt::format(
            "header {:#010x}: {} opcode {:#04x} is not a command that the model knows", header,
            field(header, 31, 29) == mi_client ? "MI" : "2D", opcode_of(header));
    }
    return fmt::format("{} does not exist on gen{}, only on {}", name, chip.generation, exists);
}

} // namespace

std::string_view engine_name(Engine engine) {
    switch (engine) {
    case Engine::render:
        return "render engine";
    case Engine::blt:
        return "BLT engine";
    case Engine::video:
        break;
    }
    return "video engine";
}

const Command& find_command(const ChipModel& chip, Engine engine, std::uint32_t header) {
    const std::span<const Command> all = commands_of(field(header, 31, 29));
    if (all.empty()) {
        throw UnknownCommand(
            fmt::format("header {:#010x}: no command of this chip begins with {} in bits 31:29",
                        header, field(header, 31, 29)));
    }
    const Command* row = row_for(all, chip, header);
    if (row == nullptr) {
        throw UnknownCommand(wrong_generation(all, chip, header));
    }
    if (!runs_on(*row, chip, engine)) {
        throw Rejection(wrong_engine(*row, chip, engine));
    }
    return *row;
}

const Command* find_render_command(const ChipModel& chip, std::uint32_t header) {
    return row_for(render_commands(), chip, header);
}

unsigned command_length(const Command& command, std::uint32_t header) {
    const LengthRule& rule = command.length;
    if (rule.length_mask == 0) {
        return 1U;
    }
    const unsigned length = (header & rule.length_mask) + 2;
    if (length >= rule.least && length <= rule.most) {
        return length;
    }
    const std::string right = rule.least == rule.most
                                  ? fmt::format("{}", rule.least - 2)
                                  : fmt::format("{} to {}", rule.least - 2, rule.most - 2);
    reject("header {:#010x}: the length field is {} ({} dwords), it must be {}", header, length - 2,
           length, right);
}

void execute(const Command& command, Execution& execution, Dwords dwords) {
    if (command.giver == Giver::kernel && !execution.privileged) {
        reject("only the kernel's ring may hold it, not a batch");
    }
    for (std::size_t i = 0; i < std::min(dwords.size(), command.zero.size()); ++i) {
        const std::uint32_t set = dwords[i] & command.zero[i];
        if (set != 0) {
            reject("dword {} is {:#010x}: bits {:#010x} are reserved on gen{} and must "
                   "be zero",
                   i, dwords[i], set, execution.chip.generation);
        }
    }
    command.execute(execution, dwords);
}

AddressSpace& named_space(Execution& execution, Dwords dwords, std::size_t index, unsigned bit) {
    if (field(dwords[index], bit, bit) == 0) {
        return execution.memory;
    }
    if (!execution.privileged) {
        reject("dword {} is {:#010x}: bit {} names the global address space, which only the kernel "
               "may write",
               index, dwords[index], bit);
    }
    return execution.host->global_memory();
}

std::uint32_t named_register(const Execution& execution, Dwords dwords, std::size_t index,
                             unsigned bit) {
    constexpr int first_relative = 11;
    const bool relative =
        execution.chip.generation >= first_relative && field(dwords[0], bit, bit) != 0;
    return relative ? execution.host->register_base() + field(dwords[index], 11, 0) : dwords[index];
}

std::uint32_t load(AddressSpace& memory, Engine engine, std::uint64_t address) {
    const Span span = reach(memory, engine, address, Access::read);
    std::uint32_t value = 0;
    if (span.size() < sizeof value) {
        reject("reading {:#x}: memory ends within the dword", address);
    }
    std::memcpy(&value, span.data(), sizeof value);
    return value;
}

void store(AddressSpace& memory, Engine engine, std::uint64_t address, Dwords values) {
    if (address % values.size_bytes() != 0) {
        reject("address {:#x} must be a multiple of {}", address, values.size_bytes());
    }
    std::uint64_t place = address;
    for (const std::uint32_t value : values) {
        const Span span = reach(memory, engine, place, Access::write);
        if (span.size() < sizeof value) {
            reject("writing {:#x}: memory ends within the dword", place);
        }
        std::memcpy(span.data(), &value, sizeof value);
        place += sizeof value;
    }
}

std::uint64_t wide_address(std::uint32_t low, std::uint32_t high) {
    const std::uint64_t address = std::uint64_t{high} << 32U | low;
    const std::uint32_t sign = field(high, 15, 15) != 0 ? 0xffffU : 0U;
    if (field(high, 31, 16) != sign) {
        reject("address {:#x} is not canonical: bits 63:48 must repeat bit 47", address);
    }
    return address & 0xffffffffffffU;
}

std::uint32_t skipped_3d_length(const ChipModel& chip, std::uint32_t header) {
    const std::uint32_t by_field = field(header, 7, 0) + 2;
    if (chip.generation >= 4) {
        // PIPELINE_SELECT and its like (subtype 1) and 3DSTATE_VF_STATISTICS are one dword long.
        const std::uint32_t subtype = field(header, 28, 27);
        const std::uint32_t opcode = field(header, 26, 24);
        const bool single = subtype == 1 && (opcode == 1 || field(header, 26, 16) == 0x0b);
        return single ? 1 : by_field;
    }
    constexpr std::uint32_t primitive = 0x1f;
    constexpr std::uint32_t multiple_dwords = 0x1d;
    const std::uint32_t opcode = field(header, 28, 24);
    if (opcode == multiple_dwords) {
        return field(header, 15, 0) + 2;
    }
    if (opcode != primitive) {
        return 1;
    }
    if (field(header, 23, 23) == 0) {
        return field(header, 17, 0) + 2; // vertices follow
    }
    return field(header, 17, 17) == 0 ? 2 : (field(header, 15, 0) + 1) / 2 + 1; // indices follow
}

} // namespace gem_upload::model
