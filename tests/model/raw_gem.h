// The i915 uAPI by bare ioctls, for programs that are run on the model. Failures end the program:
// "NAME: ENAME" on standard error and exit status 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <i915_drm.h>
#include <string>
#include <vector>

namespace gem_upload::raw {

constexpr int wrong_pixels_status = 3;
constexpr int failed_call_status = 4;

class Gem {
public:
    Gem();

    [[nodiscard]] int parameter(int which) const;
    [[nodiscard]] int generation() const { return generation_; }

    /// An ioctl that must succeed, and one that may fail: 0 or the errno.
    void call(unsigned long request, void* arguments, const char* name) const;
    [[nodiscard]] int attempt(unsigned long request, void* arguments) const;

    [[nodiscard]] std::uint32_t create(std::uint64_t bytes) const;
    void close(std::uint32_t handle) const;
    void pwrite(std::uint32_t handle, const void* data, std::size_t bytes) const;
    void pread(std::uint32_t handle, void* data, std::size_t bytes) const;
    void set_domain(std::uint32_t handle, std::uint32_t read, std::uint32_t write) const;
    void set_caching(std::uint32_t handle, std::uint32_t caching) const;
    [[nodiscard]] bool busy(std::uint32_t handle) const;
    /// GEM_MMAP, cached or (flags I915_MMAP_WC) write-combining.
    [[nodiscard]] std::uint32_t* map(std::uint32_t handle, std::size_t bytes,
                                     std::uint64_t flags = 0) const;
    /// MMAP_GTT and mmap(2).
    [[nodiscard]] std::uint32_t* map_gtt(std::uint32_t handle, std::size_t bytes) const;

    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_;
    int generation_;
};

/// A copy between linear 32-bit surfaces, with everything in it open to mistakes.
struct Blit {
    std::uint32_t destination = 0;
    std::uint32_t source = 0;
    std::uint32_t width = 0; ///< pixels
    std::uint32_t height = 0;
    std::uint32_t destination_row = 0; ///< y of the rectangle's top, here and below
    std::uint32_t source_row = 0;
    std::uint32_t destination_pitch = 0; ///< bytes
    std::uint32_t source_pitch = 0;
    std::uint32_t depth = 3; ///< BR13's colour depth: 3 is 32 bits
    bool relocate_source = true;
    std::uint64_t ring = 0; ///< 0: as the generation has it
};

/// Submits the blit in a batch of its own; 0 or the errno.
[[nodiscard]] int submit(const Gem& gem, const Blit& blit);

} // namespace gem_upload::raw
