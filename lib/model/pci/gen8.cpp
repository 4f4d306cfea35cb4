// Broadwell to Coffee Lake, gen8 and gen9: execlists submitted port by port, banks of interrupts.
#include "model/pci/actions.h"
#include "model/pci/execlist_registers.h"
#include "model/pci/fence_decoding.h"
#include "model/pci/profile.h"

#include <array>

namespace gem_upload::model::pci {
namespace gen8 {
namespace {

constexpr std::uint32_t all = 0xffffffff;
constexpr std::uint32_t mib = 1U << 20U;
constexpr std::uint32_t gt_banks = 0x44300;

constexpr Register engine_registers[] = {
    storage(0x230, "RING_ELSP").then(submission_written),
    masked(0x3a0, "RING_CONTEXT_STATUS_PTR").starting_as(0x505),
};

constexpr Register registers[] = {
    masked(0x2088, "FF_SLICE_CHICKEN"),
    storage(0x4ab0, "GEN9_GAMT_ECO_REG_RW_IA"),
    storage(0x4ddc, "MMCD_MISC_CTRL"),
    masked(0x7000, "CACHE_MODE_0_GEN7"),
    masked(0x7004, "CACHE_MODE_1"),
    masked(0x7008, "GEN7_GT_MODE"),
    masked(0x7014, "COMMON_SLICE_CHICKEN2"),
    read_only(0x8504, "GEN8_RC6_CTX_INFO"),
    storage(0x9044, "FBC_LLC_READ_CTRL"),
    read_only(0x9120, "GEN8_FUSE2"),
    storage(0x9400, "GEN6_UCGCTL1"),
    storage(0x940c, "GEN7_UCGCTL4"),
    storage(0x9430, "GEN8_UCGCTL6"),
    read_only(0xb008, "GEN9_SCRATCH_LNCF1"),
    storage(0xb100, "GEN8_L3SQCREG1"),
    storage(0xb11c, "GEN9_SCRATCH1"),
    masked(0xe100, "GEN7_HALF_SLICE_CHICKEN1"),
    masked(0xe180, "HALF_SLICE_CHICKEN2"),
    masked(0xe184, "HALF_SLICE_CHICKEN3"),
    masked(0xe188, "GEN9_HALF_SLICE_CHICKEN5"),
    masked(0xe194, "GEN9_HALF_SLICE_CHICKEN7"),
    masked(0xe4f0, "GEN8_ROW_CHICKEN"),
    read_only(0x42014, "FUSE_STRAP"),
    storage(0x42080, "CHICKEN_PAR1_1"),
    storage(0x42090, "CHICKEN_PAR2_1"),
    storage(0x420b0, "CHICKEN_PIPESL_1_A"),
    storage(0x44200, "GEN8_MASTER_IRQ").then(interrupts_written).answering(read_interrupt_master),
    read_only(0x44300, "GEN8_GT_ISR(0)"),
    storage(0x44304, "GEN8_GT_IMR(0)").starting_as(all).then(interrupts_written),
    clear_by_one(0x44308, "GEN8_GT_IIR(0)").then(interrupts_written),
    storage(0x4430c, "GEN8_GT_IER(0)").then(interrupts_written),
    read_only(0x44310, "GEN8_GT_ISR(1)"),
    storage(0x44314, "GEN8_GT_IMR(1)").starting_as(all).then(interrupts_written),
    clear_by_one(0x44318, "GEN8_GT_IIR(1)").then(interrupts_written),
    storage(0x4431c, "GEN8_GT_IER(1)").then(interrupts_written),
    read_only(0x44320, "GEN8_GT_ISR(2)"),
    storage(0x44324, "GEN8_GT_IMR(2)").starting_as(all).then(interrupts_written),
    clear_by_one(0x44328, "GEN8_GT_IIR(2)").then(interrupts_written),
    storage(0x4432c, "GEN8_GT_IER(2)").then(interrupts_written),
    read_only(0x44330, "GEN8_GT_ISR(3)"),
    storage(0x44334, "GEN8_GT_IMR(3)").starting_as(all).then(interrupts_written),
    clear_by_one(0x44338, "GEN8_GT_IIR(3)").then(interrupts_written),
    storage(0x4433c, "GEN8_GT_IER(3)").then(interrupts_written),
    storage(0x45000, "DISP_ARB_CTL"),
    clear_by_one(0xc4040, "SERR_INT"),
    storage(0xf0060, "TRANS_CHICKEN1_A"),
    read_only(0x130040, "FORCEWAKE_MT_ACK"),
    read_only(0x13805c, "GEN6_GT_THREAD_STATUS_REG"),
};

constexpr InterruptBlock bank(unsigned number, std::uint32_t low, std::uint32_t high) {
    const std::uint32_t first = gt_banks + 0x10 * number;
    return {.mask = first + 0x4,
            .identity = first + 0x8,
            .enable = first + 0xc,
            .low_summary = low,
            .high_summary = high};
}

// What the master register shows: render, blitter; two video engines; power management and the
// microcontroller; video enhancement.
constexpr InterruptBlock interrupts[] = {bank(0, 1U << 0U, 1U << 1U), bank(1, 1U << 2U, 1U << 3U),
                                         bank(2, 1U << 4U, 1U << 5U), bank(3, 1U << 6U, 0)};

constexpr EngineProfile engine(std::string_view name, Engine kind, std::uint32_t base,
                               std::uint32_t reset_bit, std::size_t block, unsigned shift,
                               std::uint32_t workaround_batches) {
    return {.name = name,
            .engine = kind,
            .base = base,
            .status_page = base + 0x80,
            .reset_bits = 1U << 0U | reset_bit,
            .interrupt_block = block,
            .user_interrupt = 1U << shift,
            .flush_interrupt = 1U << (4U + shift),
            .context_interrupt = 1U << (8U + shift),
            .workaround_batches = workaround_batches};
}

/// Only the render context of gen8 has workaround batches.
constexpr std::array<EngineProfile, 4> engines(std::uint32_t other_workaround_batches) {
    return {engine("rcs0", Engine::render, 0x2000, 1U << 1U, 0, 0, 0x18),
            engine("bcs0", Engine::blt, 0x22000, 1U << 3U, 0, 16, other_workaround_batches),
            engine("vcs0", Engine::video, 0x12000, 1U << 2U, 1, 0, other_workaround_batches),
            engine("vecs0", Engine::video, 0x1a000, 1U << 4U, 3, 0, other_workaround_batches)};
}

constexpr auto gen8_engines = engines(0);
constexpr auto gen9_engines = engines(0x18);

/// One slice (27:25), of three subslices (23:20 are those that are off). The display is fused off.
/// CTC_MODE (0xa26c): the clock counts every second cycle of 24 MHz.
constexpr Fuse bdw_fuses[] = {{0x9120, 1U << 25U}, {0x42014, 1U << 30U}};
constexpr Fuse gen9_fuses[] = {{0x9120, 1U << 25U | 8U << 20U},
                               {0xa26c, 2U << 1U},
                               {0x51000, 1U << 30U | 1U << 28U | 1U << 21U | 1U << 22U}};

/// A page table of 8 MiB (7:6); stolen memory, if any, of 32 MiB (15:8).
constexpr std::uint32_t graphics_control = 0x50;
constexpr ConfigDword config[] = {{graphics_control, 3U << 6U, false}};

constexpr ExeclistsProfile execlists{
    .queue = false, .status_entries = 6, .status_pointer = 0x7c, .names_both = false};

constexpr RegisterTable register_tables[] = {registers, before_gen12_registers, execlist_registers};
constexpr RegisterTable engine_register_tables[] = {engine_registers, execlist_engine_registers};

constexpr Profile row(std::string_view chip, std::span<const EngineProfile> engines,
                      std::span<const Fuse> fuses) {
    return {.chip = chip,
            .bars = {{{BarKind::registers, 16 * mib},
                      {},
                      {BarKind::aperture, 256 * mib},
                      {},
                      {BarKind::ports, 64}}},
            .register_bytes = 8 * mib,
            .registers = register_tables,
            .engine_registers = engine_register_tables,
            .fuses = fuses,
            .engines = engines,
            .engine_offsets = execlist_engine_offsets,
            .execlists = &execlists,
            .interrupts = interrupts,
            .interrupt_master = {0x44200, 1U << 31U},
            .config = config,
            .stolen = {graphics_control, 1U << 8U},
            .msi = 0x90,
            .global_entry = {8, wide_entry_address},
            .fence = gen6_fence};
}

constexpr std::array rows{row("bdw", gen8_engines, bdw_fuses), row("skl", gen9_engines, gen9_fuses),
                          row("kbl", gen9_engines, gen9_fuses),
                          row("cfl", gen9_engines, gen9_fuses)};

} // namespace
} // namespace gen8

std::span<const Profile> gen8_profiles() {
    return gen8::rows;
}

} // namespace gem_upload::model::pci
