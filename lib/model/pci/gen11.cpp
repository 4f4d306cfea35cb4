// Ice Lake to Raptor Lake, gen11 and gen12: execlists submitted as a queue, interrupts by engine.
#include "model/pci/execlist_registers.h"
#include "model/pci/fence_decoding.h"
#include "model/pci/profile.h"

#include <array>

namespace gem_upload::model::pci {
namespace gen11 {
namespace {

constexpr std::uint32_t mib = 1U << 20U;

constexpr Register engine_registers[] = {
    masked(0x3a0, "RING_CONTEXT_STATUS_PTR").starting_as(0xb0b),
    read_only(0x3c0, "RING_CONTEXT_STATUS_BUF_2").times(12),
    storage(0x510, "RING_EXECLIST_SQ_CONTENTS").times(16),
    self_clearing(0x550, "RING_EXECLIST_CONTROL", 1U << 0U).then(submission_written),
};

constexpr Register registers[] = {
    read_only(0xd00, "RPM_CONFIG0"),
    read_only(0xd50, "FORCEWAKE_ACK_MEDIA_VDBOX_GEN11").times(8),
    read_only(0xd70, "FORCEWAKE_ACK_MEDIA_VEBOX_GEN11").times(4),
    masked(0x20ec, "GEN9_CS_DEBUG_MODE1"),
    read_only(0x8000, "MSG_IDLE_CS"),
    read_only(0x8004, "MSG_IDLE_VCS0"),
    read_only(0x800c, "MSG_IDLE_BCS"),
    read_only(0x8010, "MSG_IDLE_VECS0"),
    read_only(0x80c0, "MSG_IDLE_VCS2"),
    read_only(0x9118, "GEN10_MIRROR_FUSE3"),
    read_only(0x9140, "GEN11_GT_VEBOX_VDBOX_DISABLE"),
    storage(0x9550, "GEN10_DFR_RATIO_EN_AND_CHICKEN"),
    storage(0xa0a0, "GEN6_RC6pp_WAKE_RATE_LIMIT"),
    masked(0xa540, "FORCEWAKE_MEDIA_VDBOX_GEN11").times(8).then(masked_forcewake_written),
    masked(0xa560, "FORCEWAKE_MEDIA_VEBOX_GEN11").times(4).then(masked_forcewake_written),
    masked(0xe18c, "GEN10_SAMPLER_MODE"),
    masked(0xe48c, "GEN9_ROW_CHICKEN4"),
    storage(0x444f4, "GEN11_GU_MISC_IMR"),
    storage(0x444fc, "GEN11_GU_MISC_IER"),
    read_only(0x145ef0, "GEN10_FREQ_INFO_REC"),
    storage(0x190010, "GEN11_GFX_MSTR_IRQ")
        .then(interrupts_written)
        .answering(read_interrupt_master),
    clear_by_one(0x190018, "GEN11_GT_INTR_DW").times(2).then(interrupts_written),
    storage(0x190030, "GEN11_RENDER_COPY_INTR_ENABLE"),
    storage(0x190034, "GEN11_VCS_VECS_INTR_ENABLE"),
    storage(0x190038, "GEN11_GUC_SG_INTR_ENABLE"),
    storage(0x19003c, "GEN11_GPM_WGBOXPERF_INTR_ENABLE"),
    storage(0x190040, "GEN11_CRYPTO_RSVD_INTR_ENABLE"),
    storage(0x190044, "GEN11_GUNIT_CSME_INTR_ENABLE"),
    clear_by_one(0x190060, "GEN11_INTR_IDENTITY_REG").times(2),
    storage(0x190070, "GEN11_IIR_REG_SELECTOR").times(2).then(interrupts_written),
    storage(0x190090, "GEN11_RCS0_RSVD_INTR_MASK").starting_as(every_bit_set),
    storage(0x1900a0, "GEN11_BCS_RSVD_INTR_MASK").starting_as(every_bit_set),
    storage(0x1900a8, "GEN11_VCS0_VCS1_INTR_MASK").starting_as(every_bit_set),
    storage(0x1900ac, "GEN11_VCS2_VCS3_INTR_MASK").starting_as(every_bit_set),
    storage(0x1900d0, "GEN11_VECS0_VECS1_INTR_MASK").starting_as(every_bit_set),
    storage(0x1900e8, "GEN11_GUC_SG_INTR_MASK"),
    storage(0x1900ec, "GEN11_GPM_WGBOXPERF_INTR_MASK"),
    storage(0x1900f0, "GEN11_CRYPTO_RSVD_INTR_MASK"),
};

constexpr Register only_gen11_registers[] = {
    storage(0x40e8, "GEN10_PAT_INDEX_2"),
    storage(0x40ec, "GEN10_PAT_INDEX_3"),
    storage(0x40f0, "GEN10_PAT_INDEX_4"),
    storage(0x40f4, "GEN10_PAT_INDEX_5"),
    storage(0x40f8, "GEN10_PAT_INDEX_6"),
    storage(0x40fc, "GEN10_PAT_INDEX_7"),
    storage(0x4ab8, "GAMT_CHKN_BIT_REG"),
    storage(0x4b80, "GEN11_GACB_PERF_CTRL"),
    storage(0x7020, "IVB_FBC_RT_BASE"),
    storage(0x7024, "IVB_FBC_RT_BASE_UPPER"),
    storage(0x7034, "GEN8_L3CNTLREG"),
    storage(0x9434, "UNSLICE_UNIT_LEVEL_CLKGATE"),
    storage(0x94d4, "SLICE_UNIT_LEVEL_CLKGATE"),
    storage(0x94e4, "UNSLICE_UNIT_LEVEL_CLKGATE2"),
    storage(0x9524, "SUBSLICE_UNIT_LEVEL_CLKGATE"),
    storage(0xb000, "GEN7_SARCHKMD"),
    read_only(0xb140, "GEN11_SCRATCH2"),
    storage(0xb404, "GEN11_GLBLINVL"),
    storage(0xb43c, "GEN11_LSN_UNSLCVC"),
    masked(0xe420, "GEN10_CACHE_MODE_SS"),
    masked(0xe5f4, "ICL_HDC_MODE"),
    storage(0x10000, "GEN11_MFX2_MOCS").times(64),
};

constexpr Register gen12_registers[] = {
    storage(0x320f0, "KCR_INIT"),
    masked(0x2084, "RING_CMD_BUF_CCTL"),
    masked(0x20d8, "CS_DEBUG_MODE2"),
    storage(0x4000, "GEN12_GLOBAL_MOCS").times(64),
    read_only(0x43f4, "GEN12_AUX_ERR_DBG"),
    storage(0x4800, "GEN12_PAT_INDEX").times(8),
    storage(0x6604, "FF_MODE2"),
    masked(0x7018, "HIZ_CHICKEN"),
    storage(0x7304, "GEN8_HDC_CHICKEN1"),
    read_only(0xceb8, "GEN12_FAULT_TLB_DATA0"),
    read_only(0xcebc, "GEN12_FAULT_TLB_DATA1"),
    storage(0xcec4, "GEN12_RING_FAULT_REG"),
    read_only(0xcf68, "GEN12_GAM_DONE"),
    storage(0x46540, "GEN9_CLKGATE_DIS_5"),
    read_only(0x101038, "CLKREQ_POLICY"),
    read_only(0x1381b4, "GEN12_RPSTAT1"),
    storage(0x1c3f10, "VDBOX_CGCTL3F10_VCS0"),
    read_only(0x1cc000, "GEN12_SFC_DONE_0"),
    read_only(0x1cd000, "GEN12_SFC_DONE_1"),
    storage(0x1d3f10, "VDBOX_CGCTL3F10_VCS2"),
};

enum Class : std::uint32_t { render_class, decode_class, enhance_class, copy_class };

constexpr std::uint32_t identity(Class engine_class, std::uint32_t instance) {
    return engine_class << 16U | instance << 20U;
}

constexpr RegisterHalf render_enable{0x190030, 16};
constexpr RegisterHalf copy_enable{0x190030, 0};
constexpr RegisterHalf decode_enable{0x190034, 16};
constexpr RegisterHalf enhance_enable{0x190034, 0};

constexpr EngineProfile engine(std::string_view name, Engine kind, std::uint32_t base,
                               std::uint32_t reset_bit, const InterruptSource& source,
                               std::uint32_t workaround_batches) {
    return {.name = name,
            .engine = kind,
            .base = base,
            .status_page = base + 0x80,
            .reset_bits = 1U << 0U | reset_bit,
            .interrupt_source = source,
            .user_interrupt = 1U << 0U,
            .flush_interrupt = 1U << 4U,
            .context_interrupt = 1U << 8U,
            .workaround_batches = workaround_batches};
}

constexpr EngineProfile render(std::uint32_t workaround_batches) {
    return engine("rcs0", Engine::render, 0x2000, 1U << 1U,
                  {0, 1U << 0U, identity(render_class, 0), render_enable, {0x190090, 16}},
                  workaround_batches);
}
constexpr EngineProfile copy(std::uint32_t workaround_batches) {
    return engine("bcs0", Engine::blt, 0x22000, 1U << 2U,
                  {0, 1U << 15U, identity(copy_class, 0), copy_enable, {0x1900a0, 16}},
                  workaround_batches);
}
constexpr EngineProfile first_decoder(std::uint32_t workaround_batches) {
    return engine("vcs0", Engine::video, 0x1c0000, 1U << 5U,
                  {1, 1U << 0U, identity(decode_class, 0), decode_enable, {0x1900a8, 16}},
                  workaround_batches);
}
/// The kernel counts the decoders that are there: what is the third of the full chip is its "vcs1".
constexpr EngineProfile third_decoder(std::uint32_t workaround_batches) {
    return engine("vcs1", Engine::video, 0x1d0000, 1U << 7U,
                  {1, 1U << 2U, identity(decode_class, 2), decode_enable, {0x1900ac, 16}},
                  workaround_batches);
}
constexpr EngineProfile enhancer(std::uint32_t workaround_batches) {
    return engine("vecs0", Engine::video, 0x1c8000, 1U << 13U,
                  {1, 1U << 31U, identity(enhance_class, 0), enhance_enable, {0x1900d0, 16}},
                  workaround_batches);
}

constexpr std::array<EngineProfile, 4> one_decoder(std::uint32_t workaround_batches) {
    return {render(workaround_batches), copy(workaround_batches), first_decoder(workaround_batches),
            enhancer(workaround_batches)};
}
constexpr std::array<EngineProfile, 5> two_decoders(std::uint32_t workaround_batches) {
    return {render(workaround_batches), copy(workaround_batches), first_decoder(workaround_batches),
            third_decoder(workaround_batches), enhancer(workaround_batches)};
}

constexpr std::uint32_t gen11_workarounds = 0x18;
constexpr std::uint32_t gen12_workarounds = 0x12;
constexpr auto icl_engines = two_decoders(gen11_workarounds);
constexpr auto jsl_engines = one_decoder(gen11_workarounds);
constexpr auto tgl_engines = two_decoders(gen12_workarounds);
constexpr auto rkl_engines = one_decoder(gen12_workarounds);

/// One slice (0x9138); subslices, which gen11 names by those that are off and gen12 by pairs that
/// are on (0x913c). RPM_CONFIG0 (0xd00): the clock counts every second cycle of a crystal of 24 MHz
/// (5:3 = 0) or 38.4 MHz (2). The display is fused off (0x51000).
constexpr std::uint32_t no_display = 1U << 30U | 1U << 28U | 1U << 21U | 1U << 22U;
constexpr std::uint32_t every_second = 2U << 1U;
constexpr std::array<Fuse, 4> gen11_fuses(std::uint32_t subslices_off) {
    return {{{0xd00, every_second}, {0x9138, 1}, {0x913c, subslices_off}, {0x51000, no_display}}};
}
constexpr std::array<Fuse, 4> gen12_fuses(std::uint32_t pairs) {
    return {
        {{0xd00, every_second | 2U << 3U}, {0x9138, 1}, {0x913c, pairs}, {0x51000, no_display}}};
}
constexpr auto icl_fuses = gen11_fuses(0);
constexpr auto jsl_fuses = gen11_fuses(0xf0);
constexpr auto tgl_fuses = gen12_fuses(0x3f);
constexpr auto rkl_fuses =
    gen12_fuses(0x3); // the smallest GT, of Rocket Lake and the desktops after it

/// A page table of 8 MiB (7:6); stolen memory, if any, of 32 MiB (15:8).
constexpr std::uint32_t graphics_control = 0x50;
constexpr ConfigDword config[] = {{graphics_control, 3U << 6U, false}};

constexpr ExeclistsProfile gen11_execlists{
    .queue = true, .status_entries = 12, .status_pointer = 0xbc, .names_both = false};
constexpr ExeclistsProfile gen12_execlists{
    .queue = true, .status_entries = 12, .status_pointer = 0xbc, .names_both = true};

constexpr RegisterTable gen11_register_tables[] = {registers, only_gen11_registers,
                                                   before_gen12_registers, execlist_registers};
constexpr RegisterTable gen12_register_tables[] = {registers, gen12_registers, execlist_registers};
constexpr RegisterTable engine_register_tables[] = {engine_registers, execlist_engine_registers};

constexpr Profile row(std::string_view chip, std::span<const EngineProfile> engines,
                      std::span<const Fuse> fuses, std::span<const RegisterTable> tables,
                      const ExeclistsProfile& execlists) {
    EngineOffsets offsets = execlist_engine_offsets;
    offsets.mask = 0; // the engine's own mask no longer decides
    return {.chip = chip,
            .bars = {{{BarKind::registers, 16 * mib},
                      {},
                      {BarKind::aperture, 256 * mib},
                      {},
                      {BarKind::ports, 64}}},
            .register_bytes = 8 * mib,
            .registers = tables,
            .engine_registers = engine_register_tables,
            .fuses = fuses,
            .engines = engines,
            .engine_offsets = offsets,
            .execlists = &execlists,
            .interrupts = {},
            .interrupt_master = {0x190010, 1U << 31U},
            .config = config,
            .stolen = {graphics_control, 1U << 8U},
            .stolen_base = 0xc0,
            .msi = 0x90,
            .global_entry = {8, wide_entry_address},
            .fence = gen6_fence};
}

/// The model has no microcontroller. Where the kernel wants one, it complains about its firmware
/// and, from Alder Lake-P on, gives the GPU up.
constexpr Profile without_microcontroller(Profile profile) {
    profile.kernel_arguments = "i915.enable_guc=0";
    return profile;
}

constexpr std::array rows{
    row("icl", icl_engines, icl_fuses, gen11_register_tables, gen11_execlists),
    row("jsl", jsl_engines, jsl_fuses, gen11_register_tables, gen11_execlists),
    row("tgl", tgl_engines, tgl_fuses, gen12_register_tables, gen12_execlists),
    row("rkl", rkl_engines, rkl_fuses, gen12_register_tables, gen12_execlists),
    without_microcontroller(
        row("adls", tgl_engines, rkl_fuses, gen12_register_tables, gen12_execlists)),
    without_microcontroller(
        row("adlp", tgl_engines, tgl_fuses, gen12_register_tables, gen12_execlists)),
    without_microcontroller(
        row("rpls", tgl_engines, rkl_fuses, gen12_register_tables, gen12_execlists))};

} // namespace
} // namespace gen11

std::span<const Profile> gen11_profiles() {
    return gen11::rows;
}

} // namespace gem_upload::model::pci
