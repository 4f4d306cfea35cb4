#include "model/front/i915/object_memory.h"

#include "model/front/i915/domains.h"

#include <cstring>
#include <i915_drm.h>

namespace gem_upload::model::i915 {
namespace {

constexpr std::uint32_t cpu_domain = I915_GEM_DOMAIN_CPU;
constexpr std::uint32_t gtt_domain = I915_GEM_DOMAIN_GTT;
constexpr std::uint32_t wc_domain = I915_GEM_DOMAIN_WC;
constexpr std::uint32_t render_domain = I915_GEM_DOMAIN_RENDER;

} // namespace

// gem/i915_gem_shmem.c, shmem_object_init().
ObjectMemory::ObjectMemory(std::size_t bytes, Caches caches)
    : store_(bytes), caches_(caches), read_domains_(cpu_domain), write_domain_(cpu_domain) {
    set_cache_coherency(caches.llc ? CacheLevel::llc : CacheLevel::none);
}

// gem/i915_gem_userptr.c, i915_gem_userptr_ioctl().
ObjectMemory::ObjectMemory(Span memory, Caches caches)
    : store_(memory), caches_(caches), read_domains_(cpu_domain), write_domain_(cpu_domain) {
    set_cache_coherency(CacheLevel::llc);
}

// gem/i915_gem_object.c, i915_gem_object_set_cache_coherency().
void ObjectMemory::set_cache_coherency(CacheLevel level) {
    level_ = level;
    coherent_for_write_ = level != CacheLevel::none;
    coherent_for_read_ = level != CacheLevel::none || caches_.llc;
    cache_dirty_ = !coherent_for_write_;
}

void ObjectMemory::acquire_pages() {
    if (has_pages_) {
        return;
    }
    has_pages_ = true;
    if (cache_dirty_) {
        write_domain_ = 0;
        store_.flush();
        cache_dirty_ = false;
    }
}

// gem/i915_gem_domain.c, flush_write_domain(). The GPU's own write needs nothing here: an object
// that it reaches past the CPU's cache is in memory already.
void ObjectMemory::flush_write_domain(std::uint32_t flush_domains) {
    if ((write_domain_ & flush_domains) == 0) {
        return;
    }
    if (write_domain_ == cpu_domain) {
        clflush();
    } else if (write_domain_ == render_domain && level_ != CacheLevel::none) {
        cache_dirty_ = true;
    }
    write_domain_ = 0;
}

// gem/i915_gem_clflush.c, i915_gem_clflush_object().
void ObjectMemory::clflush() {
    if (coherent_for_read_) {
        return;
    }
    store_.flush();
    cache_dirty_ = false;
}

// gem/i915_gem_object.h, __start_cpu_write().
void ObjectMemory::start_cpu_write() {
    read_domains_ = cpu_domain;
    write_domain_ = cpu_domain;
    if (cpu_write_needs_clflush()) {
        cache_dirty_ = true;
    }
}

bool ObjectMemory::cpu_write_needs_clflush() const {
    return !cache_dirty_ && !coherent_for_write_;
}

void ObjectMemory::set_to_cpu_domain(bool write) {
    flush_write_domain(~cpu_domain);
    if ((read_domains_ & cpu_domain) == 0) {
        clflush();
        read_domains_ |= cpu_domain;
    }
    if (write) {
        start_cpu_write();
    }
}

void ObjectMemory::set_to_gtt_domain(bool write) {
    if (write_domain_ == gtt_domain) {
        return;
    }
    acquire_pages();
    flush_write_domain(~gtt_domain);
    read_domains_ |= gtt_domain;
    if (write) {
        read_domains_ = gtt_domain;
        write_domain_ = gtt_domain;
    }
}

void ObjectMemory::set_to_wc_domain(bool write) {
    if (write_domain_ == wc_domain) {
        return;
    }
    acquire_pages();
    flush_write_domain(~wc_domain);
    read_domains_ |= wc_domain;
    if (write) {
        read_domains_ = wc_domain;
        write_domain_ = wc_domain;
    }
}

void ObjectMemory::set_domain(std::uint32_t read_domains, std::uint32_t write_domain) {
    acquire_pages();
    if (write_domain_ == read_domains) {
        return; // already there, for reading and writing
    }
    const bool write = write_domain != 0;
    if ((read_domains & wc_domain) != 0) {
        set_to_wc_domain(write);
    } else if ((read_domains & gtt_domain) != 0) {
        set_to_gtt_domain(write);
    } else {
        set_to_cpu_domain(write);
    }
}

bool ObjectMemory::set_cache_level(CacheLevel level) {
    if (level_ == level) {
        return false;
    }
    set_cache_coherency(level);
    cache_dirty_ = true; // "always invalidate stale cachelines"
    if (caches_.llc) {
        return false;
    }
    if (coherent_for_read_) {
        store_.join(); // the GPU snoops the CPU's cache from here on
    } else {
        store_.split(true);
    }
    return true;
}

void ObjectMemory::map_cached() {
    if (!coherent_for_read_) {
        store_.split((read_domains_ & cpu_domain) != 0);
    }
}

// gem/i915_gem_domain.c, i915_gem_object_prepare_read(); true: flush the range before reading.
bool ObjectMemory::prepare_read() {
    acquire_pages();
    if (coherent_for_read_) {
        set_to_cpu_domain(false);
        return false;
    }
    flush_write_domain(~cpu_domain);
    return !cache_dirty_ && (read_domains_ & cpu_domain) == 0;
}

// gem/i915_gem_domain.c, i915_gem_object_prepare_write().
ObjectMemory::Flushes ObjectMemory::prepare_write() {
    acquire_pages();
    if (coherent_for_write_) {
        set_to_cpu_domain(true);
        return {};
    }
    flush_write_domain(~cpu_domain);
    if (cache_dirty_) {
        return {};
    }
    return {.before = (read_domains_ & cpu_domain) == 0, .after = true};
}

void ObjectMemory::write_by_cpu(std::size_t offset, const void* data, std::size_t bytes) {
    std::memcpy(store_.cpu().data() + offset, data, bytes);
}

// i915_gem.c, i915_gem_pwrite_ioctl(). The GTT path stands where a CPU write would need a flush;
// the device is taken to be awake.
void ObjectMemory::pwrite(std::size_t offset, const void* data, std::size_t bytes) {
    if (!has_pages_) { // shmem_pwrite(): into the page cache
        write_by_cpu(offset, data, bytes);
        return;
    }
    if (cpu_write_needs_clflush()) { // i915_gem_gtt_pwrite_fast()
        set_to_gtt_domain(true);
        std::memcpy(store_.memory().data() + offset, data, bytes);
        return;
    }
    const Flushes flushes = prepare_write(); // i915_gem_shmem_pwrite()
    if (flushes.before) {
        store_.flush(offset, bytes);
    }
    write_by_cpu(offset, data, bytes);
    if (flushes.after) {
        store_.flush(offset, bytes);
    }
}

void ObjectMemory::pread(std::size_t offset, void* data, std::size_t bytes) {
    if (prepare_read()) {
        store_.flush(offset, bytes);
    }
    std::memcpy(data, store_.cpu().data() + offset, bytes);
}

// gem/i915_gem_execbuffer.c, use_cpu_reloc().
bool ObjectMemory::relocates_by_cpu() const {
    return caches_.llc || cache_dirty_ || level_ != CacheLevel::none;
}

void ObjectMemory::relocate(std::size_t offset, std::uint32_t value) {
    if (!relocates_by_cpu()) {
        set_to_gtt_domain(true);
        std::memcpy(store_.memory().data() + offset, &value, sizeof value);
        return;
    }
    const Flushes flushes = prepare_write();
    if (flushes.before) {
        store_.flush(offset, sizeof value);
    }
    write_by_cpu(offset, &value, sizeof value);
    if (flushes.after) {
        store_.flush(offset, sizeof value);
    }
}

bool ObjectMemory::move_to_gpu(bool write) {
    acquire_pages();
    const bool flush = cache_dirty_ && !coherent_for_read_;
    if (flush) {
        cache_dirty_ = false;
    }
    write_domain_ = write ? render_domain : 0;
    read_domains_ = gpu_domains;
    return flush;
}

} // namespace gem_upload::model::i915
