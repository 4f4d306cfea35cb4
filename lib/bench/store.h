// The stores whose cost is measured: a running 32-bit counter written with one kind of store.
#pragma once

#include "bench/cpu_features.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace gem_upload::bench {

enum class StoreType { plain, non_temporal };

/// One kind of store instruction. Canonical: 4 bytes, plain.
struct StoreKind {
    unsigned width = 4; ///< bytes a store: 4, 8, 16, 32, 64
    StoreType type = StoreType::plain;
    bool operator==(const StoreKind&) const = default;
};

/// Writes `dwords` dwords counting up from `first` to `destination` and returns the next value.
/// `destination` is 4-byte aligned; wider stores write a 4-byte head and tail. Exactly one store
/// of the kind's width per `width` bytes: the compiler may neither widen nor merge them.
/// Non-temporal kinds do not issue the closing sfence: the caller owes it.
using FillCounter = std::uint32_t (*)(std::uint32_t* destination, std::size_t dwords,
                                      std::uint32_t first);

/// The fill function of a kind, chosen by this CPU's flags at run time.
/// Throws usage_error for a width that does not exist, cannot_measure where the CPU lacks it.
[[nodiscard]] FillCounter find_fill(StoreKind kind);

/// Makes `stores` stores, each of the kind's width, `stride` bytes apart, with the counter running
/// on from store to store, and returns the next value. `destination` and `stride` are multiples of
/// the width. The caller owes the sfence here too.
using StrideCounter = std::uint32_t (*)(std::uint32_t* destination, std::size_t stores,
                                        std::size_t stride, std::uint32_t first);

/// The strided function of a kind; throws like find_fill.
[[nodiscard]] StrideCounter find_stride(StoreKind kind);

/// Why a CPU with these features lacks stores of a kind that exists, in one sentence; nothing if
/// it has them.
[[nodiscard]] std::optional<std::string> missing_for_store(StoreKind kind,
                                                           const CpuFeatures& features);

/// Waits until non-temporal and write-combining stores have left the fill buffers (sfence).
void store_fence();

} // namespace gem_upload::bench
