// Commands that only the kernel's ring may hold: they reach registers, interrupts and the status
// page through the engine's host.
#include "model/commands.h"
#include "model/gpu_clock.h"
#include "model/rejection.h"

#include <array>

namespace gem_upload::model::kernel {
namespace {

/// What a register is stored to or loaded from; up to gen5 there is the global space alone.
AddressSpace& memory_of(Execution& execution, Dwords dwords) {
    return execution.chip.generation >= 6 ? named_space(execution, dwords, 0, 22)
                                          : execution.memory;
}

std::uint64_t memory_address(const ChipModel& chip, Dwords dwords) {
    return wide_address(dwords[2], chip.generation >= 8 ? dwords[3] : 0);
}

/// What a batch of user space may read: an engine's clock.
std::uint32_t user_register(const ChipModel& chip, Dwords dwords) {
    constexpr std::uint32_t timestamp = 0x358;
    const std::uint32_t offset = field(dwords[1], 11, 0);
    if (offset != timestamp && offset != timestamp + 4) {
        reject("dword 1 names register {:#x}: a batch may store only an engine's TIMESTAMP "
               "(+ 0x358 and 0x35c)",
               dwords[1]);
    }
    return static_cast<std::uint32_t>(gpu_clock(chip) >> (offset == timestamp ? 0U : 32U));
}

} // namespace

void user_interrupt(Execution& execution, Dwords /*dwords*/) {
    execution.host->user_interrupt();
}

void store_index(Execution& execution, Dwords dwords) {
    store(execution.host->global_memory(), execution.engine,
          execution.host->status_page() + dwords[1], dwords.subspan(2));
}

void store_register_memory(Execution& execution, Dwords dwords) {
    AddressSpace& memory = memory_of(execution, dwords);
    const std::array<std::uint32_t, 1> value{
        execution.privileged
            ? execution.host->read_register(named_register(execution, dwords, 1, 19))
            : user_register(execution.chip, dwords)};
    store(memory, execution.engine, memory_address(execution.chip, dwords), value);
}

void load_register_memory(Execution& execution, Dwords dwords) {
    AddressSpace& memory = memory_of(execution, dwords);
    const std::uint32_t value =
        load(memory, execution.engine, memory_address(execution.chip, dwords));
    execution.host->write_register(named_register(execution, dwords, 1, 19), value);
}

void load_register_register(Execution& execution, Dwords dwords) {
    const std::uint32_t value =
        execution.host->read_register(named_register(execution, dwords, 1, 18));
    execution.host->write_register(named_register(execution, dwords, 2, 19), value);
}

/// The model keeps no render state that a context would hold, only which one is current.
void set_context(Execution& execution, Dwords dwords) {
    constexpr std::uint32_t ccid = 0x180;
    execution.host->write_register(execution.host->register_base() + ccid, dwords[1]);
}

/// Waits until one of the engine's mailbox registers exceeds a value.
/// Source: kernel up to 4.20, intel_ringbuffer.c, gen6_ring_sync_to and init_ring_common.
void semaphore_mailbox(Execution& execution, Dwords dwords) {
    constexpr std::uint32_t compare_register = 1U << 20U | 1U << 18U;
    if ((dwords[0] & compare_register) != compare_register) {
        reject("header {:#010x}: only comparing with a mailbox register (bits 20 and 18) is "
               "modelled",
               dwords[0]);
    }
    constexpr std::array<std::uint32_t, 3> mailboxes{0x40, 0x48, 0x44};
    const std::uint32_t which = field(dwords[0], 17, 16);
    if (which >= mailboxes.size()) {
        reject("header {:#010x}: mailbox register 3 does not exist", dwords[0]);
    }
    const std::uint32_t offset = execution.host->register_base() + mailboxes.at(which);
    execution.flow.block = execution.host->read_register(offset) <= dwords[1];
}

} // namespace gem_upload::model::kernel
