#include "bench/flush.h"

#include "util/error.h"

#include <cstdint>
#include <fmt/format.h>

namespace gem_upload::bench {
namespace {

template <Flush flush>
void flush_line(std::uintptr_t line) {
    // The memory is an operand, in and out, so that no access to it moves across.
    auto& place = *reinterpret_cast<volatile char*>(line);
    if constexpr (flush == Flush::clflushopt) {
        asm volatile("clflushopt %0" : "+m"(place));
    } else if constexpr (flush == Flush::clwb) {
        asm volatile("clwb %0" : "+m"(place));
    } else {
        asm volatile("clflush %0" : "+m"(place));
    }
}

template <Flush flush>
void flush_lines(const void* address, std::size_t bytes) {
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    asm volatile("mfence" ::: "memory");
    for (auto line = start & ~(cache_line_bytes - 1); line < start + bytes;
         line += cache_line_bytes) {
        flush_line<flush>(line);
    }
    asm volatile("mfence" ::: "memory");
}

bool has(const CpuFeatures& features, Flush flush) {
    switch (flush) {
    case Flush::clflushopt:
        return features.clflushopt;
    case Flush::clflush:
        return features.clflush;
    case Flush::clwb:
        return features.clwb;
    case Flush::automatic:
    case Flush::none:
        break;
    }
    return true;
}

} // namespace

std::string_view flush_name(Flush flush) {
    switch (flush) {
    case Flush::automatic:
        return "automatic";
    case Flush::clflushopt:
        return "clflushopt";
    case Flush::clflush:
        return "clflush";
    case Flush::clwb:
        return "clwb";
    case Flush::none:
        break;
    }
    return "none";
}

Flush choose_flush(Flush asked, const CpuFeatures& features) {
    if (asked == Flush::automatic) {
        return choose_flush(features.clflushopt ? Flush::clflushopt : Flush::clflush, features);
    }
    if (!has(features, asked)) {
        throw cannot_measure(fmt::format("This CPU has no {} instruction; leave --flush out for "
                                         "the one that its kernel would use.",
                                         flush_name(asked)));
    }
    return asked;
}

FlushLines find_flush(Flush chosen) {
    switch (chosen) {
    case Flush::clflushopt:
        return flush_lines<Flush::clflushopt>;
    case Flush::clflush:
        return flush_lines<Flush::clflush>;
    case Flush::clwb:
        return flush_lines<Flush::clwb>;
    case Flush::automatic:
    case Flush::none:
        break;
    }
    return nullptr;
}

std::string_view flush_fences(Flush chosen) {
    return find_flush(chosen) == nullptr ? "" : "mfence before and after";
}

} // namespace gem_upload::bench
