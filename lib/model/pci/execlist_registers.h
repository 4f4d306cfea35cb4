// What the chips with execlists have in common.
#pragma once

#include "model/pci/actions.h"
#include "model/pci/profile.h"

namespace gem_upload::model::pci {

inline constexpr std::uint32_t every_bit_set = 0xffffffff;

// Sources: kernel gt/intel_engine_regs.h (names, masked registers); BDW PRM volume 2c, TGL PRM
// volume 2c (behaviour).
inline constexpr Register execlist_engine_registers[] = {
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
    storage(0x98, "RING_HWSTAM").starting_as(every_bit_set),
    masked(0x9c, "RING_MI_MODE").then(submission_written).answering(read_mi_mode),
    storage(0xa8, "RING_IMR").starting_as(every_bit_set).at_reset(OnReset::kept),
    clear_by_one(0xb0, "RING_EIR"),
    storage(0xb4, "RING_EMR").starting_as(every_bit_set),
    read_only(0xb8, "RING_ESR"),
    masked(0xc0, "RING_INSTPM", 1U << 5U), // the flush that it asks for is done at once
    masked(0xd0, "RING_RESET_CTL").then(reset_request_written),
    read_only(0x110, "RING_BBSTATE"),
    read_only(0x140, "RING_BBADDR"),
    read_only(0x168, "RING_BBADDR_UDW"),
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
    self_clearing(0x941c, "GEN6_GDRST", every_bit_set).then(reset_written),
    masked(0xa188, "FORCEWAKE_MT").then(masked_forcewake_written),
    masked(0xa270, "FORCEWAKE_MEDIA_GEN9").then(masked_forcewake_written),
    masked(0xa278, "FORCEWAKE_RENDER_GEN9").then(masked_forcewake_written),
    read_only(0xd84, "FORCEWAKE_ACK_RENDER_GEN9"),
    read_only(0xd88, "FORCEWAKE_ACK_MEDIA_GEN9"),
    read_only(0x130044, "FORCEWAKE_ACK_HSW"),
    storage(0x100000, "FENCE").times(64).then(fence_written), // 32 of two dwords
    read_only(0x42000, "SKL_FUSE_STATUS", every_bit_set),
    storage(0x45400, "HSW_PWR_WELL_CTL").times(4).then(power_well_written),
    storage(0x45440, "ICL_PWR_WELL_CTL_AUX").times(2).then(power_well_written),
    storage(0x45450, "ICL_PWR_WELL_CTL_DDI").times(2).then(power_well_written),
    read_only(0xc000, "GUC_STATUS", 1U << 0U), // in reset
    clear_by_one(0xc4008, "SDEIIR"),
    clear_by_one(0x444e8, "GEN8_PCU_IIR"),
    clear_by_one(0x444f8, "GEN11_GU_MISC_IIR"),
    clear_by_one(0x44408, "GEN8_DE_PIPE_IIR(0)"),
    clear_by_one(0x44418, "GEN8_DE_PIPE_IIR(1)"),
    clear_by_one(0x44428, "GEN8_DE_PIPE_IIR(2)"),
    clear_by_one(0x44438, "GEN8_DE_PIPE_IIR(3)"),
    clear_by_one(0x44448, "GEN8_DE_PORT_IIR"),
    clear_by_one(0x44468, "GEN8_DE_MISC_IIR"),
    clear_by_one(0x44478, "GEN11_DE_HPD_IIR"),
    self_clearing(0xced8, "GEN12_TLB_INV_CR", every_bit_set).times(5),
    self_clearing(0x4208, "GEN12_GFX_CCS_AUX_INV", every_bit_set),
    self_clearing(0x4218, "GEN12_VD0_AUX_INV", every_bit_set),
    self_clearing(0x4228, "GEN12_VD1_AUX_INV", every_bit_set),
    self_clearing(0x4238, "GEN12_VE0_AUX_INV", every_bit_set),
    self_clearing(0x4248, "GEN12_BCS0_AUX_INV", every_bit_set),
    self_clearing(0x4298, "GEN12_VD2_AUX_INV", every_bit_set),
    self_clearing(0x42a8, "GEN12_VD3_AUX_INV", every_bit_set),
    self_clearing(0x42b8, "GEN12_VE1_AUX_INV", every_bit_set),
    // Invalidations are done at once.
    self_clearing(0x4260, "GEN8_RTCR", every_bit_set).times(6),
    // The microcontroller is done at once (bit 31), without an error (7:0).
    self_clearing(0x138124, "GEN6_PCODE_MAILBOX", 0x800000ff),
};

/// Bits 45:12 are the address's.
constexpr std::uint64_t wide_entry_address(std::uint64_t entry) {
    return entry & 0x3ffffffff000U;
}

} // namespace gem_upload::model::pci
