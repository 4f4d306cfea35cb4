// Sandy Bridge, gen6: three rings, a page table of the process, forcewake, messages.
#include "model/pci/actions.h"
#include "model/pci/fence_decoding.h"
#include "model/pci/profile.h"

namespace gem_upload::model::pci {
namespace snb {
namespace {

constexpr std::uint32_t all = 0xffffffff;
constexpr std::uint32_t mib = 1U << 20U;

// Cache lines of the ring's, the extended and the pipeline's part of a render context
// (GEN6_CXT_RING_SIZE and its kin). The sizes are round numbers, no part's: that there are any is
// what makes i915 use contexts.
constexpr std::uint32_t render_context_size = 16U << 18U | 16U << 6U | 32U;

// Sources: kernel i915_reg.h, gt/intel_engine_regs.h, gt/intel_gt_regs.h (names, masked registers);
// SNB PRM volume 1 parts 2 and 3, volume 3 (behaviour).
constexpr Register engine_registers[] = {
    storage(0x30, "RING_TAIL").then(submission_written),
    storage(0x34, "RING_HEAD").then(submission_written),
    storage(0x38, "RING_START").then(submission_written),
    storage(0x3c, "RING_CTL").then(submission_written),
    storage(0x40, "RING_SYNC_0"),
    storage(0x44, "RING_SYNC_1"),
    storage(0x48, "RING_SYNC_2"),
    masked(0x50, "RING_PSMI_CTL"),
    storage(0x54, "RING_MAX_IDLE"),
    read_only(0x64, "RING_IPEIR"),
    read_only(0x68, "RING_IPEHR"),
    read_only(0x6c, "RING_INSTDONE", all),
    read_only(0x70, "RING_INSTPS"),
    read_only(0x74, "RING_ACTHD"),
    read_only(0x78, "RING_DMA_FADD"),
    read_only(0x7c, "RING_INSTDONE_2", all),
    storage(0x98, "RING_HWSTAM").starting_as(all),
    masked(0x9c, "RING_MI_MODE").then(submission_written).answering(read_mi_mode),
    storage(0xa8, "RING_IMR").starting_as(all).at_reset(OnReset::kept),
    clear_by_one(0xb0, "RING_EIR"),
    storage(0xb4, "RING_EMR").starting_as(all),
    read_only(0xb8, "RING_ESR"),
    masked(0xc0, "RING_INSTPM", 1U << 5U), // the flush that it asks for is done at once
    read_only(0x110, "RING_BBSTATE"),
    read_only(0x140, "RING_BBADDR"),
    storage(0x180, "CCID"),
    storage(0x220, "RING_PP_DIR_DCLV"),
    storage(0x228, "RING_PP_DIR_BASE"),
    masked(0x29c, "RING_MODE_GEN7"),
    read_only(0x358, "RING_TIMESTAMP").answering(read_timestamp),
    read_only(0x35c, "RING_TIMESTAMP_UDW").answering(read_timestamp_high),
    read_only(0x518, "RING_PP_DIR_BASE_READ"),
    storage(0x2080, "RING_HWS_PGA"),
};

constexpr Register registers[] = {
    read_only(0x2024, "PGTBL_ER"),
    masked(0x2084, "3D_CHICKEN"),
    masked(0x208c, "3D_CHICKEN2"),
    masked(0x2090, "3D_CHICKEN3"),
    masked(0x20d0, "GEN6_GT_MODE"),
    masked(0x20e4, "MI_ARB_STATE"),
    masked(0x2120, "CACHE_MODE_0"),
    masked(0x2124, "CACHE_MODE_1"),
    read_only(0x21a0, "CXT_SIZE", render_context_size),
    masked(0x2520, "GFX_MODE"),
    masked(0x4030, "ARB_MODE").then(swizzling_written),
    storage(0x4090, "GAM_ECOCHK"),
    storage(0x4094, "RING_FAULT_REG_RCS"),
    clear_by_one(0x40a0, "ERROR_GEN6"),
    read_only(0x40b0, "DONE_REG"),
    storage(0x4194, "RING_FAULT_REG_VCS"),
    storage(0x4294, "RING_FAULT_REG_BCS"),
    masked(0x7000, "CACHE_MODE_0_GEN7"),
    storage(0x9400, "GEN6_UCGCTL1"),
    storage(0x9404, "GEN6_UCGCTL2"),
    self_clearing(0x941c, "GEN6_GDRST", all).then(reset_written),
    storage(0xa008, "GEN6_RPNSWREQ"),
    storage(0xa00c, "GEN6_RC_VIDEO_FREQ"),
    storage(0xa010, "GEN6_RP_DOWN_TIMEOUT"),
    storage(0xa014, "GEN6_RP_INTERRUPT_LIMITS"),
    read_only(0xa01c, "GEN6_RPSTAT1"),
    storage(0xa024, "GEN6_RP_CONTROL"),
    storage(0xa02c, "GEN6_RP_UP_THRESHOLD"),
    storage(0xa030, "GEN6_RP_DOWN_THRESHOLD"),
    read_only(0xa050, "GEN6_RP_CUR_UP_EI").times(6),
    storage(0xa068, "GEN6_RP_UP_EI"),
    storage(0xa06c, "GEN6_RP_DOWN_EI"),
    storage(0xa070, "GEN6_RP_IDLE_HYSTERSIS"),
    storage(0xa090, "GEN6_RC_CONTROL"),
    storage(0xa094, "GEN6_RC_STATE"),
    storage(0xa098, "GEN6_RC1_WAKE_RATE_LIMIT"),
    storage(0xa09c, "GEN6_RC6_WAKE_RATE_LIMIT"),
    storage(0xa0a0, "GEN6_RC6pp_WAKE_RATE_LIMIT"),
    storage(0xa0a8, "GEN6_RC_EVALUATION_INTERVAL"),
    storage(0xa0ac, "GEN6_RC_IDLE_HYSTERSIS"),
    storage(0xa0b0, "GEN6_RC_SLEEP"),
    storage(0xa0b4, "GEN6_RC1e_THRESHOLD"),
    storage(0xa0b8, "GEN6_RC6_THRESHOLD"),
    storage(0xa0bc, "GEN6_RC6p_THRESHOLD"),
    storage(0xa0c0, "GEN6_RC6pp_THRESHOLD"),
    storage(0xa168, "GEN6_PMINTRMSK").starting_as(all),
    storage(0xa18c, "FORCEWAKE").then(forcewake_written),
    storage(0x12198, "GEN6_BSD_RNCID").times(2),
    storage(0x14090, "GAC_ECO_BITS"),
    storage(0x22200, "BCS_SWCTRL"),
    storage(0x24000, "GAB_CTL"),
    storage(0x41000, "CPU_VGACNTRL"),
    storage(0x42000, "ILK_DISPLAY_CHICKEN1"),
    storage(0x42004, "ILK_DISPLAY_CHICKEN2"),
    storage(0x42020, "ILK_DSPCLK_GATE_D"),
    storage(0x43208, "ILK_DPFC_CONTROL"), // from 6.12 on
    read_only(0x44000, "DEISR"),
    storage(0x44004, "DEIMR").starting_as(all).then(interrupts_written),
    clear_by_one(0x44008, "DEIIR").then(interrupts_written),
    storage(0x4400c, "DEIER").then(interrupts_written),
    read_only(0x44010, "GTISR"),
    storage(0x44014, "GTIMR").starting_as(all).then(interrupts_written),
    clear_by_one(0x44018, "GTIIR").then(interrupts_written),
    storage(0x4401c, "GTIER").then(interrupts_written),
    read_only(0x44020, "GEN6_PMISR"),
    storage(0x44024, "GEN6_PMIMR").starting_as(all).then(interrupts_written),
    clear_by_one(0x44028, "GEN6_PMIIR").then(interrupts_written),
    storage(0x4402c, "GEN6_PMIER").then(interrupts_written),
    storage(0x44030, "DIGITAL_PORT_HOTPLUG_CNTRL"),
    storage(0x44050, "DERRMR").starting_as(all),
    storage(0x45000, "DISP_ARB_CTL"),
    storage(0x45100, "WM0_PIPEA_ILK"),
    storage(0x45104, "WM0_PIPEB_ILK"),
    storage(0x45108, "WM1_LP_ILK"),
    storage(0x4510c, "WM2_LP_ILK"),
    storage(0x45110, "WM3_LP_ILK"),
    storage(0x45120, "WM1S_LP_ILK"),
    storage(0x64000, "DP_A"),
    storage(0x70008, "PIPEACONF"),
    storage(0x70080, "CURACNTR"),
    storage(0x700c0, "CURBCNTR"),
    storage(0x70180, "DSPACNTR"),
    storage(0x7019c, "DSPASURF"),
    storage(0x71008, "PIPEBCONF"),
    storage(0x71180, "DSPBCNTR"),
    storage(0x7119c, "DSPBSURF"),
    storage(0x72180, "DVSACNTR"),
    storage(0x73180, "DVSBCNTR"),
    read_only(0x78000, "VGT_PVINFO_MAGIC").times(2), // not a virtualised GPU
    storage(0xc2004, "SOUTH_CHICKEN2"),
    storage(0xc2020, "SOUTH_DSPCLK_GATE_D"),
    read_only(0xc4000, "SDEISR"),
    storage(0xc4004, "SDEIMR").starting_as(all),
    clear_by_one(0xc4008, "SDEIIR"),
    storage(0xc400c, "SDEIER"),
    storage(0xc4030, "PCH_PORT_HOTPLUG"),
    clear_by_one(0xc4040, "SERR_INT"),
    storage(0xc5010, "PCH_GPIO").times(8),
    storage(0xc5100, "PCH_GMBUS0"),
    storage(0xc5104, "PCH_GMBUS1"),
    read_only(0xc5108, "PCH_GMBUS2", 1U << 10U), // no monitor acknowledges
    storage(0xc510c, "PCH_GMBUS3"),
    storage(0xc5110, "PCH_GMBUS4"),
    storage(0xc6014, "PCH_DPLL_A"),
    storage(0xc6018, "PCH_DPLL_B"),
    storage(0xc6040, "PCH_FPA0"),
    storage(0xc6044, "PCH_FPA1"),
    storage(0xc6048, "PCH_FPB0"),
    storage(0xc604c, "PCH_FPB1"),
    storage(0xc6200, "PCH_DREF_CONTROL"),
    storage(0xc6204, "PCH_RAWCLK_FREQ"),
    read_only(0xc7200, "PCH_PP_STATUS"),
    storage(0xc7204, "PCH_PP_CONTROL"),
    self_clearing(0xe1100, "PCH_ADPA", 1U << 16U), // looking for a monitor is done at once
    storage(0xe1140, "PCH_HDMIB"),
    storage(0xe1150, "PCH_HDMIC"),
    storage(0xe1160, "PCH_HDMID"),
    storage(0xe1180, "PCH_LVDS"),
    storage(0xe4100, "PCH_DP_B"),
    storage(0xe4200, "PCH_DP_C"),
    storage(0xe4300, "PCH_DP_D"),
    storage(0xf0060, "TRANSA_CHICKEN1"),
    storage(0xf0064, "TRANSA_CHICKEN2"),
    storage(0xf1060, "TRANSB_CHICKEN1"),
    storage(0xf1064, "TRANSB_CHICKEN2"),
    storage(0x100000, "FENCE").times(32).then(fence_written), // 16 of two dwords
    storage(0x101000, "TILECTL").then(swizzling_written),
    storage(0x101008, "GFX_FLSH_CNTL_GEN6"),
    clear_by_one(0x120000, "GTFIFODBG"),
    read_only(0x120008, "GTFIFOCTL", 0x3f), // free entries
    read_only(0x130090, "FORCEWAKE_ACK"),
    read_only(0x13805c, "GEN6_GT_THREAD_STATUS_REG"),
    read_only(0x138104, "GEN6_GT_GFX_RC6_LOCKED"),
    read_only(0x138108, "GEN6_GT_GFX_RC6"),
    read_only(0x13810c, "GEN6_GT_GFX_RC6p"),
    read_only(0x138110, "GEN6_GT_GFX_RC6pp"),
    // The microcontroller is done at once (bit 31), without an error (7:0).
    self_clearing(0x138124, "GEN6_PCODE_MAILBOX", 0x800000ff),
    storage(0x138128, "GEN6_PCODE_DATA"),
    storage(0x13812c, "GEN6_PCODE_DATA1"),
    read_only(0x145004, "MAD_DIMM_C0"),
    read_only(0x145008, "MAD_DIMM_C1"),
    read_only(0x145948, "GEN6_GT_PERF_STATUS"),
    read_only(0x145994, "GEN6_RP_STATE_LIMITS"),
    read_only(0x145998, "GEN6_RP_STATE_CAP", 0x00121a1e), // 900 to 1300 MHz in 50 MHz
    read_only(0x145d10, "MCH_SSKPD"),
    read_only(0x145e04, "DCLK"),
};

constexpr RegisterTable register_tables[] = {registers};
constexpr RegisterTable engine_register_tables[] = {engine_registers};

constexpr InterruptBlock interrupts[] = {
    {.mask = 0x44014, .identity = 0x44018, .enable = 0x4401c}, // GT
    {.mask = 0x44004, .identity = 0x44008, .enable = 0x4400c}, // display
    {.mask = 0x44024, .identity = 0x44028, .enable = 0x4402c}, // power management
};

// Reset: bit 0 the whole, 1 render, 2 media, 3 blitter.
constexpr EngineProfile engines[] = {{.name = "rcs0",
                                      .engine = Engine::render,
                                      .base = 0x2000,
                                      .status_page = 0x4080,
                                      .reset_bits = 0x3,
                                      .interrupt_block = 0,
                                      .user_interrupt = 1U << 0U,
                                      .flush_interrupt = 1U << 4U},
                                     {.name = "vcs0",
                                      .engine = Engine::video,
                                      .base = 0x12000,
                                      .status_page = 0x14080,
                                      .reset_bits = 0x5,
                                      .interrupt_block = 0,
                                      .user_interrupt = 1U << 12U,
                                      .flush_interrupt = 1U << 16U},
                                     {.name = "bcs0",
                                      .engine = Engine::blt,
                                      .base = 0x22000,
                                      .status_page = 0x24080,
                                      .reset_bits = 0x9,
                                      .interrupt_block = 0,
                                      .user_interrupt = 1U << 22U,
                                      .flush_interrupt = 1U << 26U}};

/// A page table of 2 MiB (9:8); stolen memory, if any, of 32 MiB (7:3).
constexpr std::uint32_t graphics_control = 0x50;
constexpr ConfigDword config[] = {{graphics_control, 2U << 8U, false}};

/// Bits 11:4 are the address's bits 39:32.
std::uint64_t entry_address(std::uint64_t entry) {
    return (entry & 0xfffff000U) | (entry & 0xff0U) << 28U;
}

} // namespace
} // namespace snb

constexpr Profile snb_profile{.chip = "snb",
                              .bars = {{{BarKind::registers, 4 * snb::mib},
                                        {},
                                        {BarKind::aperture, 256 * snb::mib},
                                        {},
                                        {BarKind::ports, 64}}},
                              .register_bytes = 2 * snb::mib,
                              .registers = snb::register_tables,
                              .engine_registers = snb::engine_register_tables,
                              .engines = snb::engines,
                              .engine_offsets = {.active_head = 0x74, .header = 0x68, .mask = 0xa8},
                              .interrupts = snb::interrupts,
                              .interrupt_master = {0x4400c, 1U << 31U},
                              .config = snb::config,
                              .stolen = {snb::graphics_control, 1U << 3U},
                              .msi = 0x90,
                              .config_reset = 0,
                              .global_entry = {4, snb::entry_address},
                              .process_memory = {0x2520, 1U << 9U},
                              .fence = gen6_fence,
                              .fenced_swizzling = {0x101000, 1U << 0U},
                              .blitted_swizzling = {0x4030, 1U << 4U}};

} // namespace gem_upload::model::pci
