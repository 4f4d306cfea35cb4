// The 3D commands that the model carries out: those that write memory without drawing.
#include "model/commands.h"
#include "model/gpu_clock.h"
#include "model/rejection.h"

#include <array>

namespace gem_upload::model {
namespace {

/// PIPE_CONTROL's write after the flush. DATA is what the command holds.
void write_after_flush(Execution& execution, AddressSpace& memory, std::uint64_t address,
                       std::uint32_t operation, Dwords data) {
    if (operation == 1) {
        store(memory, execution.engine, address, data);
        return;
    }
    // 2 is a count of pixels drawn: none.
    const std::uint64_t value = operation == 3 ? gpu_clock(execution.chip) : 0;
    const std::array<std::uint32_t, 2> dwords{static_cast<std::uint32_t>(value),
                                              static_cast<std::uint32_t>(value >> 32U)};
    store(memory, execution.engine, address, dwords);
}

/// ADDRESS_DWORDS is 1 up to gen7, 2 later. The global address space is named by the address's bit
/// 2 up to gen6, by bit 24 of the flags later, also in batches of user space.
void pipe_control(Execution& execution, Dwords dwords, std::size_t address_dwords) {
    const std::uint32_t flags = dwords[1];
    const bool into_status_page = field(flags, 21, 21) != 0;
    if (into_status_page && !execution.privileged) {
        reject("dword 1 is {:#010x}: bit 21 (status page) is the kernel's", flags);
    }
    const std::uint32_t operation = field(flags, 15, 14);
    if (operation != 0) {
        const bool named = execution.chip.generation <= 6 ? field(dwords[2], 2, 2) != 0
                                                          : field(flags, 24, 24) != 0;
        const bool global = execution.host != nullptr && (named || into_status_page);
        AddressSpace& memory = global ? execution.host->global_memory() : execution.memory;
        const std::uint64_t address =
            wide_address(dwords[2] & ~7U, address_dwords == 2 ? dwords[3] : 0) +
            (into_status_page ? execution.host->status_page() : 0);
        write_after_flush(execution, memory, address, operation,
                          dwords.subspan(2 + address_dwords));
    }
    if (field(flags, 8, 8) != 0 && execution.host != nullptr) {
        execution.host->flush_interrupt();
    }
}

void pipe_control_narrow(Execution& execution, Dwords dwords) {
    pipe_control(execution, dwords, 1);
}
void pipe_control_wide(Execution& execution, Dwords dwords) {
    pipe_control(execution, dwords, 2);
}

// Sources: SNB PRM volume 2 part 1 and BDW PRM volume 2a, PIPE_CONTROL; kernel
// gt/intel_gpu_commands.h.
// clang-format off
constexpr Command render_table[] = {
    {"PIPE_CONTROL", 0x1a00, 6, 7, Engines::render, Giver::anyone, {0xff, 4, 5},
     {}, pipe_control_narrow},
    {"PIPE_CONTROL", 0x1a00, 8, newest, Engines::render, Giver::anyone, {0xff, 6, 6},
     {}, pipe_control_wide},
};
// clang-format on

} // namespace

std::span<const Command> render_commands() {
    return render_table;
}

} // namespace gem_upload::model
