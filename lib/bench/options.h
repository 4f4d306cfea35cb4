// What a benchmark was asked to do.
#pragma once

#include "bench/store.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gem_upload::bench {

enum class Verify { none, last, every };
enum class Variant { direct, staged };
enum class Flush { automatic, clflushopt, clflush, clwb, none };

/// Options that only the upload_aperture family has.
struct ApertureOptions {
    unsigned stride = 4; ///< bytes between the starts of stores: 4 fills, 64 is one store a line
    Flush flush = Flush::automatic;
    bool huge_pages = false;
    bool limit = false; ///< also measure this core's ceilings
};

struct Options {
    std::string device;           ///< as given to --device; empty: the only one
    std::uint32_t width = 0;      ///< pixels of 4 bytes
    std::uint32_t height = 0;     ///< rows
    std::uint64_t iterations = 0; ///< timed iterations a sample
    std::optional<std::uint64_t>
        warmup; ///< iterations before the first sample; unset: the method's own
    std::uint64_t samples = 1;
    Variant variant = Variant::direct;
    StoreKind store;
    Verify verify = Verify::last;
    std::optional<int> cpu; ///< pinned to this CPU; unset: any
    std::string log_path;
    std::string json_path;
    ApertureOptions aperture;

    [[nodiscard]] std::uint64_t dwords() const { return std::uint64_t{width} * height; }
    [[nodiscard]] std::uint64_t bytes() const { return dwords() * 4; }
};

} // namespace gem_upload::bench
