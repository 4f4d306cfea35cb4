#include "model/front/i915/backing_store.h"

#include "util/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace gem_upload::model::i915 {
namespace {

/// Past the layer's own mmap().
void* map_directly(std::size_t bytes, int fd) {
    return reinterpret_cast<void*>(
        ::syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
}

bool same(const std::byte* a, const std::byte* b) {
    return std::memcmp(a, b, cache_line_bytes) == 0;
}

void copy_line(std::byte* to, const std::byte* from) {
    std::memcpy(to, from, cache_line_bytes);
}

} // namespace

SharedMemory::SharedMemory(std::size_t bytes)
    : fd_(::memfd_create("gem-upload-model", MFD_CLOEXEC)) {
    if (!fd_ || ::ftruncate(fd_.get(), static_cast<off_t>(bytes)) != 0) {
        throw failed_call("allocating memory", "the model", errno);
    }
    void* address = map_directly(bytes, fd_.get());
    if (address == MAP_FAILED) {
        throw failed_call("mapping memory", "the model", errno);
    }
    span_ = {static_cast<std::byte*>(address), bytes};
}

SharedMemory::~SharedMemory() {
    ::syscall(SYS_munmap, span_.data(), span_.size());
}

BackingStore::BackingStore(std::size_t bytes)
    : owned_(std::make_unique<SharedMemory>(bytes)), memory_(owned_->span()) {}

BackingStore::BackingStore(Span memory) : memory_(memory) {}

void BackingStore::split(bool fresh) {
    if (cached_ || !owned_) {
        return;
    }
    snapshot_ = std::make_unique<SharedMemory>(bytes());
    cached_ = std::make_unique<SharedMemory>(bytes());
    if (fresh) {
        std::memcpy(cached_->span().data(), memory_.data(), bytes());
        std::memcpy(snapshot_->span().data(), memory_.data(), bytes());
    }
}

void BackingStore::join() {
    flush();
    cached_.reset();
    snapshot_.reset();
}

void BackingStore::flush() {
    flush(0, bytes());
}

void BackingStore::flush(std::size_t offset, std::size_t bytes) {
    if (!cached_ || bytes == 0) {
        return;
    }
    const std::size_t first = offset / cache_line_bytes * cache_line_bytes;
    const std::size_t end = std::min(this->bytes(), offset + bytes);
    for (std::size_t line = first; line < end; line += cache_line_bytes) {
        std::byte* memory = memory_.data() + line;
        std::byte* cached = cached_->span().data() + line;
        std::byte* snapshot = snapshot_->span().data() + line;
        if (!same(cached, snapshot)) {
            copy_line(snapshot, cached);
            copy_line(memory, cached);
        } else if (!same(memory, snapshot)) {
            copy_line(snapshot, memory);
            copy_line(cached, memory);
        }
    }
}

} // namespace gem_upload::model::i915
