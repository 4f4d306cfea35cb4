// G33 (Bearlake), gen3: one ring, one interrupt register block, reset through configuration space.
#include "model/pci/actions.h"
#include "model/pci/fence_decoding.h"
#include "model/pci/profile.h"

namespace gem_upload::model::pci {
namespace g33 {
namespace {

constexpr std::uint32_t all = 0xffffffff;
constexpr std::uint32_t mib = 1U << 20U;

// Sources: kernel i915_reg.h, gt/intel_engine_regs.h, gt/intel_gt_regs.h (names, masked registers);
// 965 PRM volume 1 (behaviour). A page table of 256 KiB and two equal memory channels, which makes
// the kernel find swizzling by bits 9 and 10, are what this machine has.
constexpr Register engine_registers[] = {
    storage(0x30, "RING_TAIL").then(submission_written),
    storage(0x34, "RING_HEAD").then(submission_written),
    storage(0x38, "RING_START").then(submission_written),
    storage(0x3c, "RING_CTL").then(submission_written),
    storage(0x80, "HWS_PGA"),
    read_only(0x88, "IPEIR"),
    read_only(0x8c, "IPEHR"),
    read_only(0x90, "INSTDONE", all),
    storage(0x98, "HWSTAM").starting_as(all),
    masked(0x9c, "MI_MODE").then(submission_written).answering(read_mi_mode),
    masked(0xc0, "INSTPM"),
    read_only(0xc8, "ACTHD"),
    read_only(0xd0, "DMA_FADD"),
};

constexpr Register registers[] = {
    storage(0x2000, "FENCE").times(8).at_reset(OnReset::lost).then(fence_written),
    storage(0x2020, "PGETBL_CTL").starting_as(1U << 1U), // 256 KiB
    read_only(0x2024, "PGTBL_ER"),
    storage(0x2040, "PRB1_TAIL").at_reset(OnReset::lost),
    storage(0x2044, "PRB1_HEAD").at_reset(OnReset::lost),
    storage(0x2048, "PRB1_START").at_reset(OnReset::lost),
    storage(0x204c, "PRB1_CTL").at_reset(OnReset::lost),
    storage(0x2050, "PRB2_TAIL").at_reset(OnReset::lost),
    storage(0x2054, "PRB2_HEAD").at_reset(OnReset::lost),
    storage(0x2058, "PRB2_START").at_reset(OnReset::lost),
    storage(0x205c, "PRB2_CTL").at_reset(OnReset::lost),
    storage(0x20a0, "IER").at_reset(OnReset::lost).then(interrupts_written),
    clear_by_one(0x20a4, "IIR").at_reset(OnReset::lost).then(interrupts_written),
    storage(0x20a8, "IMR").starting_as(all).at_reset(OnReset::lost).then(interrupts_written),
    read_only(0x20ac, "ISR"),
    clear_by_one(0x20b0, "EIR").at_reset(OnReset::lost),
    storage(0x20b4, "EMR").starting_as(all).at_reset(OnReset::lost),
    read_only(0x20b8, "ESR"),
    storage(0x20cc, "MEM_MODE"),
    storage(0x20d8, "FW_BLC"),
    storage(0x20dc, "FW_BLC2"),
    storage(0x20e0, "FW_BLC_SELF"),
    masked(0x20e4, "MI_ARB_STATE").at_reset(OnReset::lost),
    masked(0x2120, "CACHE_MODE_0").at_reset(OnReset::lost),
    masked(0x2124, "CACHE_MODE_1").at_reset(OnReset::lost),
    storage(0x2170, "GFX_FLSH_CNTL"),
    masked(0x21d0, "ECOSKPD").at_reset(OnReset::lost),
    storage(0x3000, "FENCE_HIGH").times(8).at_reset(OnReset::lost).then(fence_written),
    storage(0x5010, "GPIO").times(8),
    storage(0x5100, "GMBUS0"),
    storage(0x5104, "GMBUS1"),
    read_only(0x5108, "GMBUS2", 1U << 10U), // no monitor acknowledges
    storage(0x510c, "GMBUS3"),
    storage(0x5110, "GMBUS4"),
    storage(0x6104, "D_STATE"),
    read_only(0x10204, "C0DRB3", 0x00400000),
    read_only(0x10604, "C1DRB3", 0x00400000),
    read_only(0x10c00, "CLKCFG"),
    read_only(0x10c38, "HPLLVCO"),
    storage(0x61100, "ADPA"),
    self_clearing(0x61110, "PORT_HOTPLUG_EN", 1U << 3U), // looking for a monitor is done at once
    clear_by_one(0x61114, "PORT_HOTPLUG_STAT"),
    storage(0x61140, "SDVOB"),
    storage(0x61160, "SDVOC"),
    storage(0x61204, "PP_CONTROL"),
    storage(0x70008, "PIPEACONF"),
    clear_by_one(0x70024, "PIPEASTAT", 0xffff),
    storage(0x70080, "CURACNTR"),
    storage(0x700c0, "CURBCNTR"),
    storage(0x70180, "DSPACNTR"),
    storage(0x71008, "PIPEBCONF"),
    clear_by_one(0x71024, "PIPEBSTAT", 0xffff),
    storage(0x71180, "DSPBCNTR"),
    storage(0x71400, "VGACNTRL"),
};

constexpr RegisterTable register_tables[] = {registers};
constexpr RegisterTable engine_register_tables[] = {engine_registers};

constexpr InterruptBlock interrupts[] = {{.mask = 0x20a8, .identity = 0x20a4, .enable = 0x20a0}};

constexpr EngineProfile engines[] = {{.name = "rcs0",
                                      .engine = Engine::render,
                                      .base = 0x2000,
                                      .status_page = 0x2080,
                                      .reset_bits = 1,
                                      .interrupt_block = 0,
                                      .user_interrupt = 1U << 1U,
                                      .flush_interrupt = 0}};

/// Bits 7:4 are the address's bits 35:32.
std::uint64_t entry_address(std::uint64_t entry) {
    return (entry & 0xfffff000U) | (entry & 0xf0U) << 28U;
}

} // namespace
} // namespace g33

constexpr Profile g33_profile{.chip = "g33",
                              .bars = {{{BarKind::registers, g33::mib / 2},
                                        {BarKind::ports, 16},
                                        {BarKind::aperture, 256 * g33::mib},
                                        {BarKind::page_table, g33::mib}}},
                              .register_bytes = g33::mib / 2,
                              .registers = g33::register_tables,
                              .engine_registers = g33::engine_register_tables,
                              .engines = g33::engines,
                              .engine_offsets = {.active_head = 0xc8, .header = 0x8c, .mask = 0},
                              .interrupts = g33::interrupts,
                              .interrupt_master = {},
                              .config = {},
                              .stolen = {},
                              .msi = 0,
                              .config_reset = 0xc0,
                              .global_entry = {4, g33::entry_address},
                              .process_memory = {},
                              .fence = gen3_fence,
                              .fenced_swizzling = {},
                              .blitted_swizzling = {}};

} // namespace gem_upload::model::pci
