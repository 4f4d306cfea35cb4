// The benchmarks' chip table: what a PCI id is and what its kernel driver allows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace gem_upload::drm {

/// A family of Intel GPUs that the benchmarks treat alike.
/// Facts: Linux 6.12 drivers/gpu/drm/i915/i915_pci.c (LLC, address space, version), i915_gem.c and
/// gem/i915_gem_execbuffer.c, i915_gem_mman.c (what is refused), drivers/gpu/drm/xe/xe_pci.c.
struct Chip {
    std::string_view name;  ///< short lower-case name, as in `gem-upload model --list`: "g45"
    std::string_view title; ///< the product's name: "G45 / Q45 / G41 / B43 (Eaglelake)"
    int generation;         ///< the main graphics version: 2 to 12 (includes 12.x), 20, 30 ...
    bool llc;               ///< shares the CPU's last-level cache
    bool blt_ring;          ///< blits go to BCS (gen6 and later), else to the render ring
    bool relocations;       ///< i915 accepts relocations (version < 12, or Tiger Lake)
    bool pwrite;            ///< i915 accepts PWRITE and PREAD (the same chips)
    bool legacy_mmap;       ///< i915 accepts GEM_MMAP (integrated, version <= 12.0)
    int version;            ///< graphics version times 100: 1255 for DG2. Where the hardware itself
                            ///< tells (from Meteor Lake on), the lowest of the family
    bool integrated;        ///< no memory of its own; i915 accepts SET_DOMAIN
    bool aperture;          ///< the CPU can map through the GGTT (MMAP_GTT)
    int address_bits;       ///< of the address space that batches run in; 32 where it is the GGTT
    bool full_ppgtt;        ///< each context has an address space of its own (softpin is safe)
    std::string_view kernel_driver; ///< that binds it by default: "i915" or "xe"
};

/// A chip and its PCI device ids (vendor 0x8086).
struct ChipFamily {
    Chip chip;
    std::span<const std::uint16_t> device_ids;
};

/// Every family that i915 or xe drives, oldest first.
[[nodiscard]] std::span<const ChipFamily> chip_families();

/// The chip of an Intel PCI device id (vendor 0x8086), or nullptr when the table has none.
[[nodiscard]] const Chip* find_chip(std::uint16_t device_id);

} // namespace gem_upload::drm
