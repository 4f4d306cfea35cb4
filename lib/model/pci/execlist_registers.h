// What the chips with execlists have in common.
#pragma once

#include "model/pci/actions.h"
#include "model/pci/profile.h"

namespace gem_upload::model::pci {

inline constexpr std::uint32_t every_bit_set = 0xffffffff;

// Sources: kernel gt/intel_engine_regs.h (names, masked registers); BDW PRM volume 2c, TGL PRM
// volume 2c (behaviour).
inline constexpr Register execlist_engine_registers[] = {
    storage(0x28, "RING_EXCC"),
    storage(0x30, "RING_TAIL"),
    storage(0x34, "RING_HEAD"),
    storage(0x38, "RING_START"),
    storage(0x3c, "RING_CTL"),
    masked(0x50, "RING_PSMI_CTL"),
    storage(0x54, "RING_MAX_IDLE"),
    read_only(0x5c, "RING_ACTHD_UDW"),
    read_only(0x60, "RING_DMA_FADD_UDW"),
    read_only(0x64, "RING_IPEIR"),
    read_only(0x68, "RING_IPEHR"),
    read_only(0x6c, "RING_INSTDONE", every_bit_set),
    read_only(0x70, "RING_INSTPS"),
    read_only(0x74, "RING_ACTHD"),
    read_only(0x78, "RING_DMA_FADD"),
    read_only(0x7c, "RING_INSTDONE_1", every_bit_set),
    storage(0x80, "RING_HWS_PGA"),
    storage(0x94, "RING_NOPID"),
    storage(0x98, "RING_HWSTAM").starting_as(every_bit_set),
    masked(0x9c, "RING_MI_MODE").then(submission_written).answering(read_mi_mode),
    storage(0xa8, "RING_IMR").starting_as(every_bit_set).at_reset(OnReset::kept),
    clear_by_one(0xb0, "RING_EIR"),
    storage(0xb4, "RING_EMR").starting_as(every_bit_set),
    read_only(0xb8, "RING_ESR"),
    masked(0xc0, "RING_INSTPM", 1U << 5U), // the flush that it asks for is done at once
    masked(0xc4, "RING_CMD_CCTL"),
    masked(0xd0, "RING_RESET_CTL").then(reset_request_written),
    read_only(0x110, "RING_BBSTATE"),
    read_only(0x140, "RING_BBADDR"),
    read_only(0x168, "RING_BBADDR_UDW"),
    storage(0x180, "CCID"),
    storage(0x204, "BLIT_CCTL"),
    read_only(0x20c, "RING_CSCMDOP"),
    read_only(0x234, "RING_EXECLIST_STATUS_LO"),
    read_only(0x238, "RING_EXECLIST_STATUS_HI"),
    masked(0x244, "RING_CONTEXT_CONTROL"),
    storage(0x270, "GEN8_RING_PDP").times(8),
    masked(0x29c, "RING_MODE_GEN7"),
    read_only(0x358, "RING_TIMESTAMP").answering(read_timestamp),
    read_only(0x35c, "RING_TIMESTAMP_UDW").answering(read_timestamp_high),
    read_only(0x370, "RING_CONTEXT_STATUS_BUF").times(12),
    storage(0x3a8, "RING_CTX_TIMESTAMP"),
    storage(0x4d0, "RING_FORCE_TO_NONPRIV").times(12),
    storage(0x600, "GEN8_RING_CS_GPR").times(32),
};

inline constexpr EngineOffsets execlist_engine_offsets{
    .active_head = 0x74, .header = 0x68, .mask = 0xa8, .active_head_high = 0x5c};

inline constexpr Register execlist_registers[] = {
    read_only(0xd84, "FORCEWAKE_ACK_RENDER_GEN9"),
    read_only(0xd88, "FORCEWAKE_ACK_MEDIA_GEN9"),
    storage(0xfdc, "GEN8_MCR_SELECTOR"),
    storage(0x2024, "PGTBL_ER"),
    masked(0x2090, "_3D_CHICKEN3"),
    storage(0x20a0, "GEN7_FF_THREAD_MODE"),
    masked(0x20d4, "GEN9_CSFE_CHICKEN1_RCS"),
    masked(0x20e0, "GEN7_FF_SLICE_CS_CHICKEN1"),
    masked(0x2580, "GEN8_CS_CHICKEN1"),
    // Invalidations are done at once.
    self_clearing(0x4208, "GEN12_GFX_CCS_AUX_INV", every_bit_set),
    self_clearing(0x4218, "GEN12_VD0_AUX_INV", every_bit_set),
    self_clearing(0x4228, "GEN12_VD1_AUX_INV", every_bit_set),
    self_clearing(0x4238, "GEN12_VE0_AUX_INV", every_bit_set),
    self_clearing(0x4248, "GEN12_BCS0_AUX_INV", every_bit_set),
    self_clearing(0x4260, "GEN8_RTCR", every_bit_set).times(6),
    self_clearing(0x4298, "GEN12_VD2_AUX_INV", every_bit_set),
    self_clearing(0x42a8, "GEN12_VD3_AUX_INV", every_bit_set),
    self_clearing(0x42b8, "GEN12_VE1_AUX_INV", every_bit_set),
    read_only(0x4b10, "GEN8_FAULT_TLB_DATA0"),
    read_only(0x4b14, "GEN8_FAULT_TLB_DATA1"),
    storage(0x4dd4, "GEN8_L3_LRA_1_GPGPU"),
    read_only(0x7100, "GEN7_SC_INSTDONE").times(3),
    masked(0x7300, "HDC_CHICKEN0"),
    read_only(0x9134, "GEN8_EU_DISABLE0"),
    read_only(0x9138, "GEN8_EU_DISABLE1"),
    read_only(0x913c, "GEN8_EU_DISABLE2"),
    self_clearing(0x941c, "GEN6_GDRST", every_bit_set).then(reset_written),
    storage(0x9424, "GEN7_MISCCPCTL"),
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
    storage(0xa09c, "GEN6_RC6_WAKE_RATE_LIMIT"),
    storage(0xa0a8, "GEN6_RC_EVALUATION_INTERVAL"),
    storage(0xa0ac, "GEN6_RC_IDLE_HYSTERSIS"),
    storage(0xa0b0, "GEN6_RC_SLEEP"),
    storage(0xa0b8, "GEN6_RC6_THRESHOLD"),
    storage(0xa0c4, "GEN9_MEDIA_PG_IDLE_HYSTERESIS"),
    storage(0xa0c8, "GEN9_RENDER_PG_IDLE_HYSTERESIS"),
    storage(0xa168, "GEN6_PMINTRMSK"),
    masked(0xa188, "FORCEWAKE_MT").then(masked_forcewake_written),
    storage(0xa210, "GEN9_PG_ENABLE"),
    storage(0xa26c, "CTC_MODE"),
    masked(0xa270, "FORCEWAKE_MEDIA_GEN9").then(masked_forcewake_written),
    masked(0xa278, "FORCEWAKE_RENDER_GEN9").then(masked_forcewake_written),
    storage(0xb004, "GEN8_GARBCNTL"),
    storage(0xb020, "GEN9_LNCFCMOCS").times(32),
    storage(0xb118, "GEN8_L3SQCREG4"),
    read_only(0xc000, "GUC_STATUS", 1U << 0U), // in reset
    storage(0xc050, "GUC_WOPCM_SIZE"),
    storage(0xc340, "DMA_GUC_WOPCM_OFFSET"),
    storage(0xc3e4, "GUC_MAX_IDLE_COUNT"),
    read_only(0xc3e8, "GUCPMTIMESTAMP"),
    storage(0xc800, "GEN9_GFX_MOCS").times(64),
    storage(0xc900, "GEN9_MFX0_MOCS").times(64),
    storage(0xcb00, "GEN9_VEBOX_MOCS").times(64),
    storage(0xcc00, "GEN9_BLT_MOCS").times(64),
    self_clearing(0xced8, "GEN12_TLB_INV_CR", every_bit_set).times(6),
    read_only(0xe160, "GEN7_SAMPLER_INSTDONE"),
    read_only(0xe164, "GEN7_ROW_INSTDONE"),
    masked(0xe4f4, "GEN7_ROW_CHICKEN2"),
    read_only(0x42000, "SKL_FUSE_STATUS", every_bit_set),
    read_only(0x42300, "FPGA_DBG"),
    storage(0x43224, "ILK_DPFC_CHICKEN"),
    storage(0x44050, "DERRMR"),
    clear_by_one(0x44408, "GEN8_DE_PIPE_IIR(0)"),
    clear_by_one(0x44418, "GEN8_DE_PIPE_IIR(1)"),
    clear_by_one(0x44428, "GEN8_DE_PIPE_IIR(2)"),
    clear_by_one(0x44438, "GEN8_DE_PIPE_IIR(3)"),
    clear_by_one(0x44448, "GEN8_DE_PORT_IIR"),
    clear_by_one(0x44468, "GEN8_DE_MISC_IIR"),
    storage(0x4446c, "GEN8_DE_MISC_IER"),
    clear_by_one(0x44478, "GEN11_DE_HPD_IIR"),
    storage(0x444e4, "GEN8_PCU_IMR"),
    clear_by_one(0x444e8, "GEN8_PCU_IIR"),
    storage(0x444ec, "GEN8_PCU_IER"),
    clear_by_one(0x444f8, "GEN11_GU_MISC_IIR"),
    storage(0x45400, "HSW_PWR_WELL_CTL").times(4).then(power_well_written),
    storage(0x45440, "ICL_PWR_WELL_CTL_AUX").times(2).then(power_well_written),
    storage(0x45450, "ICL_PWR_WELL_CTL_DDI").times(2).then(power_well_written),
    storage(0x45504, "DC_STATE_EN"),
    storage(0x46408, "HSW_NDE_RSTWRN_OPT"),
    storage(0x46430, "GEN8_CHICKEN_DCPR_1"),
    read_only(0x51000, "SKL_DFSM"),
    read_only(0x78000, "VGT_PVINFO_MAGIC").times(2), // not a virtualised GPU
    read_only(0xc2014, "SFUSE_STRAP"),
    storage(0xc2020, "SOUTH_DSPCLK_GATE_D"),
    storage(0xc4004, "SDEIMR"),
    clear_by_one(0xc4008, "SDEIIR"),
    storage(0xc400c, "SDEIER"),
    storage(0xc6204, "PCH_RAWCLK_FREQ"),
    storage(0x100000, "FENCE").times(64).then(fence_written), // 32 of two dwords
    storage(0x101008, "GFX_FLSH_CNTL_GEN6"),
    read_only(0x120010, "HSW_EDRAM_CAP"),
    read_only(0x130044, "FORCEWAKE_ACK_HSW"),
    read_only(0x138108, "GEN6_GT_GFX_RC6"),
    // The microcontroller is done at once (bit 31), without an error (7:0).
    self_clearing(0x138124, "GEN6_PCODE_MAILBOX", 0x800000ff),
    storage(0x138128, "GEN6_PCODE_DATA"),
    storage(0x13812c, "GEN6_PCODE_DATA1"),
    read_only(0x145998, "GEN6_RP_STATE_CAP", 0x00121a1e), // 900 to 1300 MHz in 50 MHz
    read_only(0x145e04, "SKL_MC_BIOS_DATA_0_0_0_MCHBAR_PCU"),
};

// Where gen12 has its table of memory types.
inline constexpr Register before_gen12_registers[] = {
    storage(0x4024, "HSW_GTT_CACHE_EN"),    storage(0x4080, "GEN8_GAMW_ECO_DEV_RW_IA"),
    storage(0x4090, "GAM_ECOCHK"),          storage(0x4094, "GEN8_RING_FAULT_REG"),
    storage(0x40a0, "ERROR_GEN6"),          storage(0x40b0, "DONE_REG"),
    storage(0x40e0, "GEN8_PRIVATE_PAT_LO"), storage(0x40e4, "GEN8_PRIVATE_PAT_HI"),
};

/// Bits 45:12 are the address's.
constexpr std::uint64_t wide_entry_address(std::uint64_t entry) {
    return entry & 0x3ffffffff000U;
}

} // namespace gem_upload::model::pci
