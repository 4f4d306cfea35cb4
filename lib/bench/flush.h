// Flushing the CPU's cache, as the kernel's drivers/gpu/drm/drm_cache.c does for the GPU.
#pragma once

#include "bench/cpu_features.h"
#include "bench/options.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gem_upload::bench {

/// The unit of flushing on every x86-64 CPU.
constexpr std::size_t cache_line_bytes = 64;

[[nodiscard]] std::string_view flush_name(Flush flush); ///< "clflushopt", "automatic"

/// The flush that `asked` means on a CPU with these features: automatic is clflushopt, else
/// clflush, which is what the kernel's alternatives choose. Throws cannot_measure where the CPU
/// lacks it.
[[nodiscard]] Flush choose_flush(Flush asked, const CpuFeatures& features);

/// Flushes every line that holds a byte of [address, address + bytes), between two mfence, as
/// drm_clflush_sg and drm_clflush_pages do (their mb() is mfence on x86-64).
using FlushLines = void (*)(const void* address, std::size_t bytes);

/// The function of a flush that was chosen; nullptr for Flush::none.
[[nodiscard]] FlushLines find_flush(Flush chosen);

/// The fences around a flush that was chosen, in words; empty for Flush::none.
[[nodiscard]] std::string_view flush_fences(Flush chosen);

} // namespace gem_upload::bench
