// The GPU core of the software model: it sees memory only through AddressSpace and knows no
// ioctl, no libc trick and no page table. Two fronts stand over it (see CONTRIBUTING.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace gem_upload::model {

/// Video stands for the BSD and VEBOX rings, of which the model executes MI commands alone.
enum class Engine { render, blt, video };
enum class Access { read, write };
enum class Tiling { linear, x, y };

/// Which higher address bits the memory controller folds into bit 6 of a tiled address
/// (i915: I915_BIT_6_SWIZZLE_*).
enum class Swizzle { none, bits_9, bits_9_10, bits_9_11, bits_9_10_11 };

/// What address space a user batch runs in; the values are what I915_PARAM_HAS_ALIASING_PPGTT
/// answers (kernel enum intel_ppgtt_type).
enum class Ppgtt { none = 0, aliasing = 1, full = 2 };

/// What i915 does with the GuC, a microcontroller of gen9 and later, where the user asks for
/// nothing: lets it be, has it authenticate the HuC's firmware, or has it schedule batches too.
enum class Guc { absent, unused, authentication, submission };

/// Execution units, as the kernel counts them: the most that a chip of the generation has (rooms in
/// its answers), and those of this chip, which all are in its first slice.
struct Topology {
    unsigned most_slices;
    unsigned most_subslices; ///< of a slice
    unsigned units;          ///< of a subslice
    unsigned subslices;
};

/// A chip of the model; its own table, shared with nothing outside lib/model.
struct ChipModel {
    std::string_view name;   ///< "g45"
    std::string_view alias;  ///< the platform's other common name, "eaglelake"
    std::string_view title;  ///< "G45 (Eaglelake)"
    std::uint16_t device_id; ///< PCI device id, vendor 8086
    std::uint8_t revision;   ///< PCI revision
    int generation;          ///< 3, 4, 6, 8 ...
    int version;             ///< the graphics version times ten: 30, 45, 60, 120
    bool llc;
    bool snoop; ///< objects may be cached by snooping (no LLC, and not the first 965)
    bool bsd_ring;
    bool blt_ring;
    bool vebox_ring;
    bool coherent_ggtt; ///< I915_PARAM_MMAP_GTT_COHERENT
    int fences;
    Ppgtt ppgtt;
    unsigned address_bits;        ///< of the address space user batches run in: 31, 32, 48
    std::uint64_t ggtt_bytes;     ///< what GET_APERTURE answers
    std::uint64_t aperture_bytes; ///< BAR 2
    Swizzle swizzle_x;            ///< of X-tiled objects
    Swizzle swizzle_y;            ///< of Y-tiled objects
    bool contexts;                ///< i915 accepts CONTEXT_CREATE
    bool pwrite;                  ///< i915 accepts PWRITE and PREAD
    bool relocations;             ///< i915 accepts relocations
    bool legacy_mmap;             ///< i915 accepts GEM_MMAP
    bool userptr;                 ///< i915 accepts USERPTR
    bool pat; ///< of the CPU that the model pairs with the chip, not of the GPU: write-combining
    bool second_bsd_ring = false;
    Guc guc = Guc::absent;
    Topology topology = {}; ///< all zero before gen8, where the kernel does not tell
};

/// All of the model's chips, oldest first.
[[nodiscard]] std::span<const ChipModel> chip_models();
/// By name or alias, nullptr when there is none.
[[nodiscard]] const ChipModel* find_chip_model(std::string_view name);

/// Why the GPU could not go on, in words fit to print.
struct Fault {
    std::string what;
    bool unknown_command = false; ///< no command of the chip and engine has that header
};

using Span = std::span<std::byte>;

/// What the GPU sees of memory.
class AddressSpace {
public:
    virtual ~AddressSpace() = default;
    /// The memory at a GPU address, up to where it stops being contiguous (an object's or a page's
    /// end), or why that access is not possible.
    [[nodiscard]] virtual std::variant<Span, Fault> translate(Engine engine, std::uint64_t address,
                                                              Access access) = 0;
};

} // namespace gem_upload::model
