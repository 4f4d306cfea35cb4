// The benchmarks' chip table: what a PCI id is and what its copy engine understands.
#pragma once

#include <cstdint>
#include <string_view>

namespace gem_upload::drm {

/// A family of Intel GPUs that the benchmarks treat alike.
/// Facts: kernel drivers/gpu/drm/i915/i915_pci.c and include/drm/i915_pciids.h.
struct Chip {
    std::string_view name;  ///< short lower-case name, as in `gem-upload model --list`: "g45"
    std::string_view title; ///< the product's name: "GM45 / G45 (Eaglelake)"
    int generation;         ///< 2 to 12 (12 includes 12.x)
    bool llc;               ///< shares the CPU's last-level cache
    bool blt_ring;          ///< blits go to BCS (gen6 and later), else to the render ring
    bool relocations;       ///< i915 accepts relocations (version < 12, or Tiger Lake)
    bool pwrite;            ///< i915 accepts PWRITE and PREAD (the same chips)
    bool legacy_mmap;       ///< i915 accepts GEM_MMAP (integrated, version <= 12.0)
};

/// The chip of an Intel PCI device id (vendor 0x8086), or nullptr when the table has none.
[[nodiscard]] const Chip* find_chip(std::uint16_t device_id);

} // namespace gem_upload::drm
