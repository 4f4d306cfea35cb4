// Which bytes of which section of the pool an iteration writes, and with what: the oracle.
#pragma once

#include "bench/options.h"

#include <cstdint>
#include <optional>

namespace gem_upload::bench {

/// Sections lie in the pool one after the other, each from a cache line's start on.
struct SectionLayout {
    std::uint64_t bytes = 0;        ///< of a section
    std::uint64_t pitch_bytes = 0;  ///< from one section's start to the next
    std::uint64_t sections = 0;     ///< in the pool
    std::uint64_t stride_bytes = 4; ///< from one store's start to the next; fills() ignores it
    std::uint64_t stores = 0;       ///< a section, where it does not fill
    std::uint64_t stored_bytes = 0; ///< a section: what the counter fills of it
    unsigned store_bytes = 4;

    [[nodiscard]] bool fills() const { return stored_bytes == bytes; }
    [[nodiscard]] std::uint64_t dwords() const { return bytes / 4; }

    /// The dword at which iteration `k` (counted from 0) begins its section.
    [[nodiscard]] std::uint64_t section_start(std::uint64_t k) const;
    /// What iteration `k` stores in dword `i` of its section: the counter, which starts at 1 with
    /// iteration 0; nothing where it stores nothing.
    [[nodiscard]] std::optional<std::uint32_t> stored_value(std::uint64_t k, std::uint64_t i) const;
};

/// Lays out the sections that the options ask for. Throws usage_error for sizes and strides that
/// make no sense in a pool of `pool_bytes`.
[[nodiscard]] SectionLayout lay_out_sections(const Options& options, std::uint64_t pool_bytes);

} // namespace gem_upload::bench
