#include "model/front/i915/backing_store.h"

#include "util/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace gem_upload::model::i915 {
namespace {

/// Past the layer's own mmap(). The offset is the one variable argument that goes by the stack,
/// where an int would leave the upper half to chance.
void* map_directly(std::size_t bytes, int fd) {
    return reinterpret_cast<void*>(::syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                                             MAP_SHARED, fd, std::size_t{0}));
}

/// Written so that compilers make a few vector instructions of it.
bool same_line(const std::byte* a, const std::byte* b) {
    std::array<std::uint64_t, cache_line_bytes / 8> left;
    std::array<std::uint64_t, cache_line_bytes / 8> right;
    std::memcpy(left.data(), a, cache_line_bytes);
    std::memcpy(right.data(), b, cache_line_bytes);
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        difference |= left[i] ^ right[i];
    }
    return difference == 0;
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

bool SharedMemory::touched() const {
    return ::lseek(fd_.get(), 0, SEEK_DATA) >= 0 || errno != ENXIO;
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
    if (fresh && owned_->touched()) {
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
    if (!cached_->touched() && !owned_->touched()) {
        return; // all zero, on both sides
    }
    const std::size_t end = std::min(this->bytes(), offset + bytes);
    std::size_t line = offset / cache_line_bytes * cache_line_bytes;
    while (line < end) {
        const std::size_t page = line / page_bytes * page_bytes;
        flush_page(page, line, std::min(end, page + page_bytes));
        line = page + page_bytes;
    }
}

void BackingStore::flush_page(std::size_t page, std::size_t first_line, std::size_t end) {
    std::byte* const memory = memory_.data();
    std::byte* const cached = cached_->span().data();
    std::byte* const snapshot = snapshot_->span().data();
    // Most pages of most flushes hold nothing new.
    if (std::memcmp(cached + page, snapshot + page, page_bytes) == 0 &&
        std::memcmp(memory + page, snapshot + page, page_bytes) == 0) {
        return;
    }
    for (std::size_t line = first_line; line < end; line += cache_line_bytes) {
        if (!same_line(cached + line, snapshot + line)) {
            copy_line(snapshot + line, cached + line);
            copy_line(memory + line, cached + line);
        } else if (!same_line(memory + line, snapshot + line)) {
            copy_line(snapshot + line, memory + line);
            copy_line(cached + line, memory + line);
        }
    }
}

} // namespace gem_upload::model::i915
