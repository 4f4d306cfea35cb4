// The memory that stands for the pages behind the aperture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gem_upload::bench {

/// Private anonymous memory, touched, with inaccessible pages on both sides.
class Pool {
public:
    /// What every dword holds before a method writes to it.
    static constexpr std::uint32_t background = 0x5eed'900d;

    /// `bytes` is a multiple of 2 MiB, and the pool is aligned to as much. With `huge_pages` the
    /// kernel is asked for huge pages (MADV_HUGEPAGE), else asked not to give any
    /// (MADV_NOHUGEPAGE). Throws cannot_measure where there is no such memory to be had.
    Pool(std::uint64_t bytes, bool huge_pages);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    [[nodiscard]] std::span<std::uint32_t> dwords() const { return dwords_; }
    /// What was asked of the kernel and what it gave, from smaps, in words.
    [[nodiscard]] std::string describe_pages() const;

private:
    void advise();

    void* reserved_ = nullptr;
    std::size_t reserved_bytes_;
    std::span<std::uint32_t> dwords_;
    bool huge_pages_;
    int advice_errno_ = 0;
};

} // namespace gem_upload::bench
