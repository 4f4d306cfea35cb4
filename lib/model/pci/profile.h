// What sets one chip's PCI function apart from another's: a row a chip.
#pragma once

#include "model/fences.h"
#include "model/gpu.h"
#include "model/pci/registers.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gem_upload::model::pci {

enum class BarKind { none, registers, ports, aperture, page_table };

struct Bar {
    BarKind kind = BarKind::none;
    std::uint32_t bytes = 0;
};

/// A bank of interrupt bits, by its registers' offsets.
struct InterruptBlock {
    std::uint32_t mask;     ///< IMR: bits set here do not reach IIR
    std::uint32_t identity; ///< IIR
    std::uint32_t enable;   ///< IER
    /// What the master register shows while bits 15:0, or 31:16, are pending; 0: nothing.
    std::uint32_t low_summary = 0;
    std::uint32_t high_summary = 0;
};

/// Half of a register: bits 15:0, or 31:16.
struct RegisterHalf {
    std::uint32_t offset = 0;
    unsigned shift = 0;
};

/// Where an engine's interrupts arrive from gen11 on: a bit of GT_INTR_DW, behind which lies the
/// engine's identity.
struct InterruptSource {
    std::uint32_t dword = 0;
    std::uint32_t bit = 0;
    std::uint32_t identity = 0; ///< class (18:16) and instance (25:20)
    RegisterHalf enable = {};
    RegisterHalf mask = {};
};

struct EngineProfile {
    std::string_view name; ///< as the kernel calls it
    Engine engine;
    std::uint32_t base;                    ///< of its registers
    std::uint32_t status_page;             ///< the offset of its HWS_PGA
    std::uint32_t reset_bits;              ///< of the reset register, any of which resets it
    std::size_t interrupt_block = 0;       ///< where its interrupts arrive, up to gen10
    InterruptSource interrupt_source = {}; ///< the same from gen11 on
    std::uint32_t user_interrupt = 0;
    std::uint32_t flush_interrupt = 0;
    std::uint32_t context_interrupt = 0; ///< of a context switch
    /// The dword of a context's image before its workaround batches' addresses; 0: it has none.
    std::uint32_t workaround_batches = 0;
};

/// How contexts are submitted and their ends reported, from gen8 on.
struct ExeclistsProfile {
    bool queue;                   ///< ELSQ (gen11 and later), not ELSP
    unsigned status_entries;      ///< of the context status buffer
    std::uint32_t status_pointer; ///< where the status page has its write pointer
    bool names_both; ///< a status entry has the numbers of the context that comes and that goes
                     ///< (gen12)
};

/// Where an engine shows what it does, from its base.
struct EngineOffsets {
    std::uint32_t active_head;          ///< ACTHD
    std::uint32_t header;               ///< IPEHR
    std::uint32_t mask;                 ///< the engine's own interrupt mask; 0 where it has none
    std::uint32_t active_head_high = 0; ///< 0 where there is none
};

/// A dword of configuration space at power-on.
struct ConfigDword {
    std::uint32_t offset;
    std::uint32_t value;
    bool writable;
};

/// A bit of a register.
struct RegisterBit {
    std::uint32_t offset = 0; ///< 0: there is none
    std::uint32_t bit = 0;
};

using FenceDecoder = std::optional<Fence> (*)(const RegisterFile& registers, unsigned index);
/// The physical address in a page table entry.
using EntryAddress = std::uint64_t (*)(std::uint64_t entry);

/// A chip has several, of what it shares with others and what is its own.
using RegisterTable = std::span<const Register>;

/// Of the global page table.
struct EntryFormat {
    unsigned bytes;
    EntryAddress address;
};

struct Profile {
    std::string_view chip; ///< its row in chip_models()
    std::array<Bar, 6> bars;
    std::uint32_t register_bytes; ///< of BAR 0; what follows up to its end is the page table
    std::span<const RegisterTable> registers;
    std::span<const RegisterTable> engine_registers;
    std::span<const Fuse> fuses = {};
    std::span<const EngineProfile> engines;
    EngineOffsets engine_offsets;
    const ExeclistsProfile* execlists = nullptr; ///< nullptr: engines have ring buffers
    std::span<const InterruptBlock> interrupts;  ///< empty: InterruptSources instead
    RegisterBit interrupt_master;
    std::span<const ConfigDword> config;
    RegisterBit stolen;               ///< in configuration space, set if there is stolen memory
    std::uint32_t stolen_base = 0x5c; ///< there, where it begins
    std::uint32_t msi;                ///< where configuration space has that capability; 0: nowhere
    std::uint32_t config_reset =
        0; ///< where bit 0 of configuration space resets the GPU; 0: nowhere
    EntryFormat global_entry;
    RegisterBit process_memory = {}; ///< enables page tables of the process (gen6); offset 0: none
    FenceDecoder fence;
    RegisterBit fenced_swizzling = {};      ///< offset 0: always on
    RegisterBit blitted_swizzling = {};     ///< as above
    std::string_view kernel_arguments = {}; ///< see gpu.h
};

/// All profiles, oldest first.
[[nodiscard]] std::vector<const Profile*> profiles();
extern const Profile g33_profile;
extern const Profile snb_profile;
[[nodiscard]] std::span<const Profile> gen8_profiles();  ///< up to gen10
[[nodiscard]] std::span<const Profile> gen11_profiles(); ///< and later

} // namespace gem_upload::model::pci
