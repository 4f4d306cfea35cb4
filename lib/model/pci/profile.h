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
};

struct EngineProfile {
    std::string_view name; ///< as the kernel calls it
    Engine engine;
    std::uint32_t base;          ///< of its registers
    std::uint32_t status_page;   ///< the offset of its HWS_PGA
    std::uint32_t reset_bits;    ///< of the reset register, any of which resets it
    std::size_t interrupt_block; ///< where its interrupts arrive
    std::uint32_t user_interrupt;
    std::uint32_t flush_interrupt;
};

/// Where an engine shows what it does, from its base.
struct EngineOffsets {
    std::uint32_t active_head; ///< ACTHD
    std::uint32_t header;      ///< IPEHR
    std::uint32_t mask;        ///< the engine's own interrupt mask; 0 where it has none
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
using EntryAddress = std::uint64_t (*)(std::uint32_t entry);

struct Profile {
    std::string_view chip; ///< its row in chip_models()
    std::array<Bar, 6> bars;
    std::uint32_t register_bytes; ///< of BAR 0; what follows up to its end is the page table
    std::span<const Register> registers;
    std::span<const Register> engine_registers;
    std::span<const EngineProfile> engines;
    EngineOffsets engine_offsets;
    std::span<const InterruptBlock> interrupts;
    RegisterBit interrupt_master;
    std::span<const ConfigDword> config;
    RegisterBit stolen;         ///< in configuration space, set if there is stolen memory
    std::uint32_t msi;          ///< where configuration space has that capability; 0: nowhere
    std::uint32_t config_reset; ///< where bit 0 of configuration space resets the GPU; 0: nowhere
    EntryAddress entry_address;
    RegisterBit process_memory; ///< enables page tables of the process (gen6); offset 0: none
    FenceDecoder fence;
    RegisterBit fenced_swizzling;  ///< offset 0: always on
    RegisterBit blitted_swizzling; ///< as above
};

/// All profiles, oldest first.
[[nodiscard]] std::span<const Profile* const> profiles();
extern const Profile g33_profile;
extern const Profile snb_profile;

} // namespace gem_upload::model::pci
