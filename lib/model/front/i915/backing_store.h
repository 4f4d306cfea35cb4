// What is behind an object: the memory that the GPU reads and, where the CPU's cache is not
// coherent with it, what the CPU sees through that cache.
#pragma once

#include "model/gpu.h"
#include "util/unique_fd.h"

#include <cstddef>
#include <memory>

namespace gem_upload::model::i915 {

inline constexpr std::size_t cache_line_bytes = 64;
inline constexpr std::size_t page_bytes = 4096;

/// Anonymous memory that can be mapped many times.
class SharedMemory {
public:
    /// Zeroed. Throws failed_call.
    explicit SharedMemory(std::size_t bytes);
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    ~SharedMemory();

    [[nodiscard]] int fd() const { return fd_.get(); }
    [[nodiscard]] Span span() const { return span_; }
    /// False as long as nobody has touched any of it: it is zero then, and takes no memory.
    [[nodiscard]] bool touched() const;

private:
    UniqueFd fd_;
    Span span_;
};

/// Memory, and the CPU's cache over it, by lines of 64 bytes.
///
/// The cached view is a copy that appears when it is first asked for. A line of it that differs
/// from the snapshot (what the line held when it was last synchronised) has been written by the
/// CPU and is dirty; lines are never written back by themselves, and never fetched anew by
/// themselves: between two flushes the worst case of a real cache holds.
class BackingStore {
public:
    explicit BackingStore(std::size_t bytes);
    /// Somebody else's memory (userptr): always coherent, cannot be mapped.
    explicit BackingStore(Span memory);

    [[nodiscard]] std::size_t bytes() const { return memory_.size(); }
    /// What the GPU and write-combining mappings see.
    [[nodiscard]] Span memory() const { return memory_; }
    /// What the CPU sees through its cache: the cached view, or memory as long as there is none.
    [[nodiscard]] Span cpu() const { return cached_ ? cached_->span() : memory_; }
    [[nodiscard]] bool has_cached_view() const { return cached_ != nullptr; }
    /// Descriptors to map; of userptr memory -1.
    [[nodiscard]] int memory_fd() const { return owned_ ? owned_->fd() : -1; }
    [[nodiscard]] int cpu_fd() const { return cached_ ? cached_->fd() : memory_fd(); }

    /// Creates the cached view. FRESH: the CPU's cache holds what memory holds; otherwise memory
    /// has changed behind the cache, which still holds the pages as they were first given out.
    void split(bool fresh);
    /// From now on CPU and GPU share memory again; dirty lines are written back first.
    void join();

    /// clflush: writes dirty lines back to memory, then the CPU fetches all lines anew.
    void flush();
    /// The same for the lines that a range touches.
    void flush(std::size_t offset, std::size_t bytes);

private:
    void flush_page(std::size_t page, std::size_t first_line, std::size_t end);

    std::unique_ptr<SharedMemory> owned_;
    Span memory_;
    std::unique_ptr<SharedMemory> cached_;
    std::unique_ptr<SharedMemory> snapshot_;
};

} // namespace gem_upload::model::i915
