// One open of the device, and the calls that questions are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <i915_drm.h>
#include <type_traits>
#include <vector>

namespace gem_upload::probe {

enum class Node { primary, render };

constexpr std::uint32_t page = 4096;

class Client {
public:
    /// Throws CannotAsk where the node cannot be opened.
    explicit Client(Node node);
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client();

    [[nodiscard]] int fd() const { return fd_; }

    /// ioctl(2), repeated while it was interrupted: 0 or the errno.
    [[nodiscard]] int attempt(unsigned long request, void* arguments) const;
    /// The same with the arguments' copy, where nothing of interest is written back.
    template <typename Arguments>
    requires(!std::is_pointer_v<Arguments>)
        [[nodiscard]] int attempt(unsigned long request, Arguments arguments) const {
        return attempt(request, static_cast<void*>(&arguments));
    }

    /// Calls that must succeed for the question to make sense: they throw CannotAsk.
    [[nodiscard]] std::uint32_t create(std::uint64_t bytes) const;
    void close(std::uint32_t handle) const;
    /// Writes or reads an object by PWRITE or PREAD, or through a mapping where there are none.
    void write(std::uint32_t handle, std::uint64_t offset,
               const std::vector<std::uint32_t>& data) const;
    [[nodiscard]] std::vector<std::uint32_t> read(std::uint32_t handle, std::uint64_t offset,
                                                  std::size_t dwords) const;
    void set_domain(std::uint32_t handle, std::uint32_t read, std::uint32_t write) const;
    void wait(std::uint32_t handle) const;
    [[nodiscard]] int parameter(int which) const;
    /// Whether 2D commands have an engine of their own (gen6 and later).
    [[nodiscard]] bool has_blitter() const;
    /// Whether each context has page tables of its own and commands have 64-bit addresses: gen8 and
    /// later (i915_pci.c, INTEL_PPGTT_FULL).
    [[nodiscard]] bool has_full_ppgtt() const;

private:
    int fd_;
};

/// The integer that the uAPI wants for an address.
[[nodiscard]] std::uint64_t pointer(const void* address);

} // namespace gem_upload::probe
