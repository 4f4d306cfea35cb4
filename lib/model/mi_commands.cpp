#include "model/commands.h"
#include "model/rejection.h"

namespace gem_upload::model {
namespace {

constexpr std::uint32_t all_bits = 0xffffffff;
constexpr std::uint32_t header_tail = 0x007fffff; ///< all of a one-dword MI header but its opcode

constexpr std::uint32_t bcs_swctrl = 0x22200;
constexpr std::uint32_t bcs_swctrl_bits = 0x3;

void do_nothing(Execution& /*execution*/, Dwords /*dwords*/) {}

void arbitrate(Execution& execution, Dwords /*dwords*/) {
    execution.flow.arbitrate = true;
}

void switch_arbitration(Execution& execution, Dwords dwords) {
    execution.arbitrates = field(dwords[0], 0, 0) != 0;
}

bool compares(std::uint32_t in_memory, std::uint32_t operation, std::uint32_t data) {
    switch (operation) {
    case 0:
        return in_memory > data;
    case 1:
        return in_memory >= data;
    case 2:
        return in_memory < data;
    case 3:
        return in_memory <= data;
    case 4:
        return in_memory == data;
    default:
        return in_memory != data;
    }
}

/// What MI_SEMAPHORE_WAIT looks at: a dword in memory, or with bit 16 a register.
std::uint32_t polled(Execution& execution, Dwords dwords) {
    if (field(dwords[0], 16, 16) == 0) {
        AddressSpace& memory = named_space(execution, dwords, 0, 22);
        return load(memory, execution.engine, wide_address(dwords[2] & ~3U, dwords[3]));
    }
    if (!execution.privileged) {
        reject("header {:#010x}: bit 16 polls a register, which only the kernel may", dwords[0]);
    }
    return execution.host->read_register(dwords[2]);
}

/// Waits until what it polls compares with the command's data as 14:12 say.
void semaphore_wait(Execution& execution, Dwords dwords) {
    constexpr std::uint32_t last_operation = 5;
    const std::uint32_t operation = field(dwords[0], 14, 12);
    if (field(dwords[0], 15, 15) == 0 || operation > last_operation) {
        reject("header {:#010x}: only polling (bit 15) with comparisons (14:12) 0 to 5 is modelled",
               dwords[0]);
    }
    execution.flow.block = !compares(polled(execution, dwords), operation, dwords[1]);
}

void end_batch(Execution& execution, Dwords /*dwords*/) {
    execution.flow.end = true;
}

/// From gen6 on bit 8 says that the batch runs in the address space that it came from.
bool own_space(const Execution& execution, Dwords dwords) {
    const bool own = field(dwords[0], 8, 8) != 0;
    if (!own && !execution.privileged) {
        reject("header {:#010x}: bit 8 is clear, which names the global address space; a "
               "batch may chain only within its own, with bit 8 set",
               dwords[0]);
    }
    return own;
}

/// Up to gen5 there is one address space; that the batch is not secure says bit 0 of its address up
/// to gen3, bit 8 of the header on gen4 and gen5.
void jump_early(Execution& execution, Dwords dwords) {
    const bool user =
        execution.chip.generation >= 4 ? field(dwords[0], 8, 8) != 0 : field(dwords[1], 0, 0) != 0;
    execution.flow.jump = Jump{.address = dwords[1] & ~3U, .global = true, .privileged = !user};
}

void jump_narrow(Execution& execution, Dwords dwords) {
    const bool own = own_space(execution, dwords);
    execution.flow.jump = Jump{.address = dwords[1] & ~3U, .global = !own, .privileged = !own};
}

void jump_wide(Execution& execution, Dwords dwords) {
    const bool own = own_space(execution, dwords);
    execution.flow.jump = Jump{.address = wide_address(dwords[1], dwords[2]),
                               .global = !own,
                               .privileged = !own,
                               .second_level = field(dwords[0], 22, 22) != 0};
}

/// Up to gen5 batches run in the global space: bit 22 says that the address is not a physical one.
void require_virtual(Dwords dwords) {
    if (field(dwords[0], 22, 22) == 0) {
        reject("header {:#010x}: bit 22 is clear, which makes the address a physical one; "
               "a batch must set it",
               dwords[0]);
    }
}

/// From gen6 on bit 22 names the global address space.
AddressSpace& store_space(Execution& execution, Dwords dwords) {
    return named_space(execution, dwords, 0, 22);
}

void store_gen3(Execution& execution, Dwords dwords) {
    require_virtual(dwords);
    store(execution.memory, execution.engine, dwords[1], dwords.subspan(2));
}

void store_gen4(Execution& execution, Dwords dwords) {
    require_virtual(dwords);
    store(execution.memory, execution.engine, dwords[2], dwords.subspan(3));
}

void store_gen6(Execution& execution, Dwords dwords) {
    store(store_space(execution, dwords), execution.engine, dwords[2], dwords.subspan(3));
}

void store_gen8(Execution& execution, Dwords dwords) {
    AddressSpace& memory = store_space(execution, dwords);
    const bool qword = field(dwords[0], 21, 21) != 0;
    if (qword != (dwords.size() == 5)) {
        reject("header {:#010x}: bit 21 ({}) and the length field ({}) disagree: a qword "
               "has bit 21 set and length 3, a dword bit 21 clear and length 2",
               dwords[0], qword ? "qword" : "dword", dwords.size() - 2);
    }
    const std::uint64_t address = wide_address(dwords[1], dwords[2]);
    store(memory, execution.engine, address, dwords.subspan(3));
}

void load_swctrl(Execution& execution, std::size_t index, std::uint32_t value) {
    const std::uint32_t mask = field(value, 31, 16);
    const std::uint32_t bits = field(value, 15, 0);
    if ((mask & ~bcs_swctrl_bits) != 0 || (bits & ~mask) != 0) {
        reject("dword {} is {:#010x}: BCS_SWCTRL takes bits 1:0, with their mask in bits 17:16",
               index, value);
    }
    execution.swctrl = (execution.swctrl & ~mask) | bits;
}

/// One pair of MI_LOAD_REGISTER_IMM, at dwords INDEX and INDEX + 1.
void load_register(Execution& execution, Dwords dwords, std::size_t index) {
    if (dwords[index] == bcs_swctrl && execution.engine == Engine::blt) {
        load_swctrl(execution, index + 1, dwords[index + 1]);
    } else if (execution.privileged) {
        execution.host->write_register(named_register(execution, dwords, index, 19),
                                       dwords[index + 1]);
    } else {
        reject("dword {} names register {:#x}: a batch on the {} may load only {}", index,
               dwords[index], engine_name(execution.engine),
               execution.engine == Engine::blt ? "BCS_SWCTRL (0x22200)" : "none");
    }
}

void load_registers(Execution& execution, Dwords dwords) {
    if (dwords.size() % 2 == 0) {
        reject("header {:#010x}: the length field is {}, it must be odd (pairs of register "
               "and value)",
               dwords[0], dwords.size() - 2);
    }
    for (std::size_t i = 1; i < dwords.size(); i += 2) {
        load_register(execution, dwords, i);
    }
}

/// MI_FLUSH_DW's write after the flush; ADDRESS_DWORDS is 1 up to gen7, 2 later.
void flush_dw(Execution& execution, Dwords dwords, std::size_t address_dwords) {
    const bool into_status_page = field(dwords[0], 21, 21) != 0;
    const bool interrupts = field(dwords[0], 8, 8) != 0;
    if (!execution.privileged && (into_status_page || interrupts)) {
        reject("header {:#010x}: bits 21 (status page) and 8 (interrupt) are the kernel's",
               dwords[0]);
    }
    const std::uint32_t operation = field(dwords[0], 15, 14);
    if (operation > 1) {
        reject("header {:#010x}: bits 15:14 are {}: the model knows 0 (no write) and 1 "
               "(write the data)",
               dwords[0], operation);
    }
    if (operation == 1) {
        const Dwords data = dwords.subspan(1 + address_dwords);
        AddressSpace& memory = into_status_page ? execution.host->global_memory()
                                                : named_space(execution, dwords, 1, 2);
        const std::uint64_t address =
            wide_address(dwords[1] & ~7U, address_dwords == 2 ? dwords[2] : 0);
        store(memory, execution.engine,
              into_status_page ? execution.host->status_page() + address : address, data);
    }
    if (interrupts) {
        execution.host->flush_interrupt();
    }
}

void flush_dw_narrow(Execution& execution, Dwords dwords) {
    flush_dw(execution, dwords, 1);
}
void flush_dw_wide(Execution& execution, Dwords dwords) {
    flush_dw(execution, dwords, 2);
}

constexpr LengthRule one_dword{0, 1, 1};
constexpr std::uint32_t flush_dw_zero =
    0x007fffff & ~(1U << 21U | 1U << 18U | 3U << 14U | 1U << 8U | 1U << 7U | 0x3fU);

// Sources: kernel gt/intel_gpu_commands.h and i915_cmd_parser.c (what a batch may not do);
// SNB PRM volume 1 part 3 and BDW PRM volume 2a (fields); IGT's gem_exec_store (forms of the
// store).
// clang-format off
constexpr Command mi_table[] = {
    {"MI_NOOP", 0x00, 2, newest, Engines::any, Giver::anyone, one_dword, {}, do_nothing},
    {"MI_USER_INTERRUPT", 0x02, 2, newest, Engines::any, Giver::kernel, one_dword,
     {}, kernel::user_interrupt},
    {"MI_WAIT_FOR_EVENT", 0x03, 2, 7, Engines::any, Giver::kernel, one_dword,
     {}, do_nothing}, // of a display that shows nothing
    {"MI_FLUSH", 0x04, 2, 5, Engines::render, Giver::anyone, one_dword,
     {0x007fff80}, do_nothing},
    {"MI_ARB_CHECK", 0x05, 4, 11, Engines::any, Giver::anyone, one_dword,
     {header_tail}, arbitrate},
    {"MI_ARB_CHECK", 0x05, 12, newest, Engines::any, Giver::anyone, one_dword,
     {header_tail & ~0x101U}, arbitrate}, // bit 0 switches the pre-parser if bit 8 is set
    {"MI_ARB_ON_OFF", 0x08, 4, newest, Engines::any, Giver::kernel, one_dword,
     {}, switch_arbitration},
    {"MI_BATCH_BUFFER_END", 0x0a, 2, newest, Engines::any, Giver::anyone, one_dword,
     {header_tail}, end_batch},
    {"MI_SUSPEND_FLUSH", 0x0b, 4, newest, Engines::any, Giver::kernel, one_dword, {}, do_nothing},
    {"MI_OVERLAY_FLIP", 0x11, 2, 3, Engines::any, Giver::kernel, {0x3f, 2, 2}, {}, do_nothing},
    {"MI_LOAD_SCAN_LINES_INCL", 0x12, 3, 6, Engines::any, Giver::kernel, {0x3f, 2, 2},
     {}, do_nothing},
    {"MI_DISPLAY_FLIP", 0x14, 2, 8, Engines::any, Giver::kernel, {0x3f, 3, 4}, {}, do_nothing},
    {"MI_SEMAPHORE_MBOX", 0x16, 6, 7, Engines::any, Giver::kernel, {0xff, 3, 3},
     {0x0008ff00}, kernel::semaphore_mailbox},
    {"MI_SET_CONTEXT", 0x18, 4, 7, Engines::render, Giver::kernel, {0xff, 2, 2},
     {}, kernel::set_context},
    {"MI_SEMAPHORE_WAIT", 0x1c, 8, newest, Engines::any, Giver::anyone, {0xff, 4, 5},
     {0x003e0f00}, semaphore_wait},
    {"MI_STORE_DWORD_IMM", 0x20, 3, 3, Engines::any, Giver::anyone, {0x3f, 3, 3},
     {0x003fffc0}, store_gen3},
    {"MI_STORE_DWORD_IMM", 0x20, 4, 5, Engines::any, Giver::anyone, {0x3f, 4, 5},
     {0x003fffc0, all_bits}, store_gen4},
    {"MI_STORE_DWORD_IMM", 0x20, 6, 7, Engines::any, Giver::anyone, {0x3f, 4, 5},
     {0x003fffc0, all_bits}, store_gen6},
    {"MI_STORE_DWORD_IMM", 0x20, 8, newest, Engines::any, Giver::anyone, {0x3f, 4, 5},
     {0x001fffc0}, store_gen8},
    {"MI_STORE_DWORD_INDEX", 0x21, 2, newest, Engines::any, Giver::kernel, {0x3f, 3, 4},
     {0x007fffc0, 0xfffff003}, kernel::store_index},
    {"MI_LOAD_REGISTER_IMM", 0x22, 3, newest, Engines::any, Giver::anyone, {0xff, 3, 253},
     {0x0075ef00}, load_registers},
    {"MI_STORE_REGISTER_MEM", 0x24, 3, 7, Engines::any, Giver::kernel, {0xff, 3, 3},
     {0x003fff00, 0xff800003, 0x3}, kernel::store_register_memory},
    {"MI_STORE_REGISTER_MEM", 0x24, 8, newest, Engines::any, Giver::anyone, {0xff, 4, 4},
     {0x0037ff00, 0xff800003, 0x3}, kernel::store_register_memory},
    {"MI_FLUSH_DW", 0x26, 6, 7, Engines::not_render, Giver::anyone, {0x3f, 3, 4},
     {flush_dw_zero, 0x3}, flush_dw_narrow},
    {"MI_FLUSH_DW", 0x26, 8, 11, Engines::not_render, Giver::anyone, {0x3f, 4, 5},
     {flush_dw_zero, 0x3}, flush_dw_wide},
    {"MI_FLUSH_DW", 0x26, 12, newest, Engines::not_render, Giver::anyone, {0x3f, 4, 5},
     {flush_dw_zero & ~(1U << 16U), 0x3}, flush_dw_wide}, // bit 16: compression's own cache, too
    {"MI_LOAD_REGISTER_MEM", 0x29, 7, 7, Engines::any, Giver::kernel, {0xff, 3, 3},
     {0x003fff00, 0xff800003, 0x3}, kernel::load_register_memory},
    {"MI_LOAD_REGISTER_MEM", 0x29, 8, newest, Engines::any, Giver::kernel, {0xff, 4, 4},
     {0x0037ff00, 0xff800003, 0x3}, kernel::load_register_memory},
    {"MI_LOAD_REGISTER_REG", 0x2a, 8, newest, Engines::any, Giver::kernel, {0xff, 3, 3},
     {0x0073ff00, 0xff800003, 0xff800003}, kernel::load_register_register},
    {"MI_BATCH_BUFFER_START", 0x31, 2, 3, Engines::any, Giver::anyone, {0x3f, 2, 2},
     {0x007fff00, 0x2}, jump_early},
    {"MI_BATCH_BUFFER_START", 0x31, 4, 5, Engines::any, Giver::anyone, {0x3f, 2, 2},
     {0x007ffe00, 0x3}, jump_early},
    {"MI_BATCH_BUFFER_START", 0x31, 6, 7, Engines::any, Giver::anyone, {0x3f, 2, 2},
     {0x007ffe00, 0x3}, jump_narrow},
    {"MI_BATCH_BUFFER_START", 0x31, 8, newest, Engines::any, Giver::anyone, {0x3f, 3, 3},
     {0x003ffec0, 0x3}, jump_wide},
};
// clang-format on

} // namespace

std::span<const Command> mi_commands() {
    return mi_table;
}

} // namespace gem_upload::model
