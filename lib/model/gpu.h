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

enum class Engine { render, blt };
enum class Access { read, write };

/// A chip of the model; its own table, shared with nothing outside lib/model.
struct ChipModel {
    std::string_view name;   ///< "g45"
    std::string_view title;  ///< "G45 (Eaglelake)"
    std::uint16_t device_id; ///< PCI device id, vendor 8086
    int generation;          ///< 3, 4, 6, 8 ...
    bool llc;
    bool blt_ring;
    bool coherent_ggtt; ///< I915_PARAM_MMAP_GTT_COHERENT
    int fences;
    unsigned address_bits;        ///< of the address space user batches run in: 31, 32, 48
    std::uint64_t ggtt_bytes;     ///< what GET_APERTURE answers
    std::uint64_t aperture_bytes; ///< BAR 2
};

[[nodiscard]] std::span<const ChipModel> chip_models();
/// By name or alias, nullptr when there is none.
[[nodiscard]] const ChipModel* find_chip_model(std::string_view name);

/// Why the GPU could not go on, in words fit to print.
struct Fault {
    std::string what;
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
