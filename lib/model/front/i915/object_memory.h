// An object's memory with i915's bookkeeping of domains: what the kernel flushes, and when.
#pragma once

#include "model/front/i915/backing_store.h"

#include <cstdint>

namespace gem_upload::model::i915 {

/// Which caches a chip has between CPU and GPU, as far as i915's bookkeeping asks.
struct Caches {
    bool llc; ///< CPU and GPU share the last-level cache
};

/// How the GPU reaches an object's memory (i915_cache_level).
enum class CacheLevel { none, llc };

/// The state that i915 keeps of every object, and the flushes that follow from it. Each function
/// names the kernel's it stands for (drivers/gpu/drm/i915 of 6.1). Not synchronised, and none of
/// them waits for the GPU: the caller does, where the kernel does.
class ObjectMemory {
public:
    /// A new shmem object: zeroed, in the CPU domain, without pages.
    ObjectMemory(std::size_t bytes, Caches caches);
    /// A userptr object: always snooped.
    ObjectMemory(Span memory, Caches caches);

    [[nodiscard]] BackingStore& store() { return store_; }
    [[nodiscard]] const BackingStore& store() const { return store_; }
    [[nodiscard]] std::uint32_t read_domains() const { return read_domains_; }
    [[nodiscard]] std::uint32_t write_domain() const { return write_domain_; }
    [[nodiscard]] bool cache_dirty() const { return cache_dirty_; }
    [[nodiscard]] bool has_pages() const { return has_pages_; }
    [[nodiscard]] CacheLevel cache_level() const { return level_; }
    /// GPU reads see what the CPU's cache holds.
    [[nodiscard]] bool coherent() const { return coherent_for_read_; }

    /// __i915_gem_object_set_pages: the pages are handed to the GPU's side, flushed if need be.
    void acquire_pages();
    /// i915_gem_object_set_to_cpu_domain, _gtt_domain, _wc_domain.
    void set_to_cpu_domain(bool write);
    void set_to_gtt_domain(bool write);
    void set_to_wc_domain(bool write);
    /// i915_gem_set_domain_ioctl after its checks and waits.
    void set_domain(std::uint32_t read_domains, std::uint32_t write_domain);
    /// i915_gem_object_set_cache_level. Where the CPU's view moves, mappings of it must follow:
    /// true.
    [[nodiscard]] bool set_cache_level(CacheLevel level);
    /// What a write-back mapping shows; from here on the CPU's cache is told apart from memory
    /// where they are not coherent.
    void map_cached();

    /// i915_gem_pwrite_ioctl and i915_gem_pread_ioctl after their checks and waits.
    void pwrite(std::size_t offset, const void* data, std::size_t bytes);
    void pread(std::size_t offset, void* data, std::size_t bytes);
    /// relocate_entry: 4 bytes at OFFSET. VIA_CPU as use_cpu_reloc() says.
    void relocate(std::size_t offset, std::uint32_t value);
    /// True if a relocation is written by the CPU through its cache, false if through the GTT.
    [[nodiscard]] bool relocates_by_cpu() const;

    /// eb_move_to_gpu and _i915_vma_move_to_active; true: flush_for_gpu() has to run before the
    /// batch does.
    [[nodiscard]] bool move_to_gpu(bool write);
    /// The flush that move_to_gpu() asked for.
    void flush_for_gpu() { store_.flush(); }

private:
    void set_cache_coherency(CacheLevel level);
    void flush_write_domain(std::uint32_t flush_domains);
    void clflush();
    void start_cpu_write();
    struct Flushes {
        bool before = false;
        bool after = false;
    };
    [[nodiscard]] Flushes prepare_write();
    [[nodiscard]] bool prepare_read();
    [[nodiscard]] bool cpu_write_needs_clflush() const;
    void write_by_cpu(std::size_t offset, const void* data, std::size_t bytes);

    BackingStore store_;
    Caches caches_;
    CacheLevel level_ = CacheLevel::none;
    std::uint32_t read_domains_;
    std::uint32_t write_domain_;
    bool coherent_for_read_ = false;
    bool coherent_for_write_ = false;
    bool cache_dirty_ = false;
    bool has_pages_ = false;
};

} // namespace gem_upload::model::i915
