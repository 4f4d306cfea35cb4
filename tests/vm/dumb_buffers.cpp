// dumb_buffers DRIVER [wb|wc|uc]: what a program that draws with the CPU does with a DRM driver, in
// the guest of `gem-upload vm`.
// Worse than useless: a driver whose buffers lose data, or that are mapped with another memory type
// than the driver's, and none is told.
#include "drm/device.h"
#include "memory_type.h"
#include "util/error.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <drm.h>
#include <exception>
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/dma-buf.h>
#include <span>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>
#include <xf86drm.h>

namespace gem_upload::guest_tests {
namespace {

constexpr std::uint32_t width = 640;
constexpr std::uint32_t height = 480;
constexpr std::uint32_t page_size = 4096;

/// Where a driver has its buffers, which decides what tells their memory type.
enum class Place {
    typed_pages, ///< pages of memory that have the type themselves (drm_gem_shmem_helper.c)
    device,      ///< the device's memory (drm_gem_vram_helper.c)
    entries,     ///< pages of memory, whose type stands only in the page table (i915_gem_mman.c)
};

struct Driver {
    const char* name;
    Place place;
};

constexpr Driver drivers[] = {
    {"vgem", Place::typed_pages},
    {"virtio_gpu", Place::typed_pages},
    {"bochs-drm", Place::device},
    {"i915", Place::entries},
};

void call(int device, unsigned long request, void* argument, const char* name,
          const std::string& where) {
    if (::drmIoctl(device, request, argument) != 0) {
        throw failed_call(name, where, errno);
    }
}

class Mapping {
public:
    Mapping(int fd, std::size_t bytes, std::uint64_t offset, int protection, const char* name)
        : bytes_(bytes),
          start_(::mmap(nullptr, bytes, protection, MAP_SHARED, fd, static_cast<off_t>(offset))) {
        if (start_ == MAP_FAILED) {
            throw failed_call("mmap", name, errno);
        }
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { ::munmap(start_, bytes_); }

    [[nodiscard]] std::span<std::uint32_t> dwords() const {
        return {static_cast<std::uint32_t*>(start_), bytes_ / sizeof(std::uint32_t)};
    }

private:
    std::size_t bytes_;
    void* start_;
};

class DumbBuffer {
public:
    DumbBuffer(int device, std::string node) : device_(device), node_(std::move(node)) {
        buffer_.width = width;
        buffer_.height = height;
        buffer_.bpp = 32;
        call(device_, DRM_IOCTL_MODE_CREATE_DUMB, &buffer_, "CREATE_DUMB", node_);
    }
    DumbBuffer(const DumbBuffer&) = delete;
    DumbBuffer& operator=(const DumbBuffer&) = delete;
    ~DumbBuffer() {
        drm_mode_destroy_dumb end{buffer_.handle};
        ::drmIoctl(device_, DRM_IOCTL_MODE_DESTROY_DUMB, &end);
    }

    [[nodiscard]] const drm_mode_create_dumb& layout() const { return buffer_; }
    [[nodiscard]] Mapping map(int protection) const {
        drm_mode_map_dumb map{};
        map.handle = buffer_.handle;
        call(device_, DRM_IOCTL_MODE_MAP_DUMB, &map, "MAP_DUMB", node_);
        return {device_, buffer_.size, map.offset, protection, node_.c_str()};
    }
    /// Invalid, with errno, where the driver does not export buffers.
    [[nodiscard]] UniqueFd share() const {
        int fd = -1;
        ::drmPrimeHandleToFD(device_, buffer_.handle, DRM_CLOEXEC | DRM_RDWR, &fd);
        return UniqueFd(fd);
    }

private:
    int device_;
    std::string node_;
    drm_mode_create_dumb buffer_{};
};

/// No two dwords of it are alike, so that rows, pages and words that changed places show.
std::uint32_t pattern(std::size_t index) {
    return static_cast<std::uint32_t>(index) * 2654435761U;
}

void check_layout(const drm_mode_create_dumb& layout) {
    fmt::print("buffer: {} bytes, pitch {}\n", layout.size, layout.pitch);
    if (layout.pitch < width * 4 || layout.size < std::uint64_t{layout.pitch} * height) {
        throw failure(fmt::format("a buffer of {}x{} pixels of 32 bits has {} bytes and a pitch of "
                                  "{}, which is too little",
                                  width, height, layout.size, layout.pitch));
    }
}

void check_pattern(std::span<const std::uint32_t> dwords, const char* route) {
    for (std::size_t i = 0; i < dwords.size(); ++i) {
        if (dwords[i] != pattern(i)) {
            throw failure(fmt::format("wrong data: read through {}, dword {} is {:#010x} instead "
                                      "of {:#010x}",
                                      route, i, dwords[i], pattern(i)));
        }
    }
    fmt::print("read through {}: {} dwords are right\n", route, dwords.size());
}

void synchronise(const UniqueFd& shared, std::uint64_t flags) {
    dma_buf_sync sync{flags};
    call(shared.get(), DMA_BUF_IOCTL_SYNC, &sync, "DMA_BUF_IOCTL_SYNC", "the exported buffer");
}

void check_shared(const DumbBuffer& buffer) {
    const UniqueFd shared = buffer.share();
    if (!shared) {
        const int error = errno;
        if (error != ENOSYS && error != EOPNOTSUPP) { // what a driver without prime answers
            throw failed_call("PRIME_HANDLE_TO_FD", "the buffer", error);
        }
        fmt::print("not exported: {}\n", errno_text(error));
        return;
    }
    const Mapping mapping(shared.get(), buffer.layout().size, 0, PROT_READ, "the exported buffer");
    synchronise(shared, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
    check_pattern(mapping.dwords(), "the exported buffer");
    synchronise(shared, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
}

/// "wb", "wc" or "uc" from what a buffer's pages have changed.
std::string type_of_pages(const PageCounts& before, const PageCounts& with, std::uint64_t pages) {
    const std::uint64_t combining = with.write_combining - before.write_combining;
    const std::uint64_t uncached = with.uncached - before.uncached;
    fmt::print("of {} pages {} have become write-combining, {} uncached\n", pages, combining,
               uncached);
    if (combining == 0 && uncached == 0) {
        return "wb";
    }
    if (combining == pages && uncached == 0) {
        return "wc";
    }
    if (uncached == pages && combining == 0) {
        return "uc";
    }
    throw failure(fmt::format("of a buffer's {} pages {} have become write-combining and {} "
                              "uncached: they should have one type",
                              pages, combining, uncached));
}

std::string memory_type(const drm::Device& device, Place place, const PageCounts& before,
                        std::uint64_t pages) {
    switch (place) {
    case Place::typed_pages:
        return type_of_pages(before, count_typed_pages(), pages);
    case Place::device:
        return type_of_device_memory("/sys/bus/pci/devices/" + device.pci_address)
            .value_or("not reserved");
    case Place::entries:
        break;
    }
    return "not to be told";
}

void check_type(const std::string& type, const std::string& expected) {
    fmt::print("memory type: {}\n", type);
    if (!expected.empty() && type != expected) {
        throw failure(fmt::format("the memory type is {}, where it should be {}", type, expected));
    }
}

void check_driver(const drm::Device& device, Place place, const std::string& expected) {
    const UniqueFd file{::open(device.primary_node.c_str(), O_RDWR | O_CLOEXEC)};
    if (!file) {
        throw failed_call("opening", device.primary_node, errno);
    }
    const PageCounts before = count_typed_pages();
    {
        const DumbBuffer buffer(file.get(), device.primary_node);
        check_layout(buffer.layout());
        const Mapping written = buffer.map(PROT_READ | PROT_WRITE);
        for (std::size_t i = 0; i < written.dwords().size(); ++i) {
            written.dwords()[i] = pattern(i);
        }
        check_type(memory_type(device, place, before, buffer.layout().size / page_size), expected);
        const Mapping read = buffer.map(PROT_READ);
        check_pattern(read.dwords(), "a second mapping");
        check_shared(buffer);
    }
    const PageCounts after = count_typed_pages();
    if (after.write_combining != before.write_combining || after.uncached != before.uncached) {
        throw failure(fmt::format("with the buffer gone, {} pages are write-combining and {} "
                                  "uncached, where {} and {} were before it",
                                  after.write_combining, after.uncached, before.write_combining,
                                  before.uncached));
    }
    fmt::print("the buffer is gone, and its memory is as it was\n");
}

void check_named(const std::string& name, const std::string& expected) {
    const auto* const driver = std::ranges::find(drivers, name, &Driver::name);
    if (driver == std::end(drivers)) {
        throw usage_error(fmt::format("dumb_buffers knows no driver '{}'", name));
    }
    const std::vector<drm::Device> devices = drm::find_devices();
    const auto device = std::ranges::find(devices, name, &drm::Device::driver);
    if (device == devices.end()) {
        throw cannot_measure(fmt::format("no device here is driven by {}", name));
    }
    fmt::print("{} at {}\n", name, device->primary_node);
    check_driver(*device, driver->place, expected);
}

} // namespace
} // namespace gem_upload::guest_tests

int main(int argc, char** argv) {
    using namespace gem_upload;
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // findings before the sentence that they lead to
    try {
        if (argc < 2 || argc > 3) {
            throw usage_error("dumb_buffers DRIVER [wb|wc|uc]");
        }
        guest_tests::check_named(argv[1], argc > 2 ? argv[2] : "");
        return static_cast<int>(Exit::success);
    } catch (const Error& error) {
        fmt::print(stderr, "dumb_buffers: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "dumb_buffers: {}\n", error.what());
        return static_cast<int>(Exit::failure);
    }
}
