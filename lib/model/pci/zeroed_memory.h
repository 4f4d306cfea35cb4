// A large piece of memory of which little is ever touched.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace gem_upload::model::pci {

/// Zeroed by the operating system, page by page as it is touched: a vector would touch it all, here
/// megabytes for each device that a test makes.
class ZeroedMemory {
public:
    /// Throws std::bad_alloc.
    explicit ZeroedMemory(std::size_t size) : size_(size) { clear(); }

    void clear() {
        bytes_.reset();
        bytes_.reset(static_cast<std::byte*>(std::calloc(size_, 1)));
        if (!bytes_) {
            throw std::bad_alloc();
        }
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::byte* data() { return bytes_.get(); }
    [[nodiscard]] const std::byte* data() const { return bytes_.get(); }

private:
    struct Free {
        void operator()(std::byte* bytes) const { std::free(bytes); }
    };

    std::size_t size_;
    std::unique_ptr<std::byte, Free> bytes_;
};

} // namespace gem_upload::model::pci
