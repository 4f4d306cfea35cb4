// An i915 device through libdrm_intel: its buffer manager, buffers and blits.
#pragma once

#include "drm/device.h"
#include "gem/reset_stats.h"

#include <cstdint>
#include <intel_bufmgr.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gem_upload::gem {

/// A reference to a GEM buffer object.
class Buffer {
public:
    explicit Buffer(drm_intel_bo* object) : object_(object) {}
    Buffer(Buffer&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Buffer& operator=(Buffer&&) = delete;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() {
        if (object_ != nullptr) {
            drm_intel_bo_unreference(object_);
        }
    }
    [[nodiscard]] drm_intel_bo* get() const { return object_; }

private:
    drm_intel_bo* object_;
};

/// How the addresses in a batch become those of the buffers.
enum class Addressing {
    relocation, ///< the kernel patches them (graphics version < 12, and Tiger Lake)
    softpin,    ///< we choose them (Rocket Lake, Alder Lake: i915 refuses relocations)
};

class I915Device {
public:
    /// Throws cannot_measure where i915 or libdrm_intel does not work with this device.
    explicit I915Device(drm::Device device);

    [[nodiscard]] const drm::Device& description() const { return device_; }
    [[nodiscard]] Addressing addressing() const { return addressing_; }
    [[nodiscard]] std::string_view ring_name() const {
        return device_.chip->blt_ring ? "blt" : "render";
    }

    /// A fresh object or one of libdrm's cache. Throws failed_call.
    [[nodiscard]] Buffer allocate(const char* name, std::uint64_t bytes);
    /// Copies the packed 32-bit image `source` onto `destination` on the blitter's ring, at
    /// once: builds the batch, uploads it and submits it. Throws failed_call.
    void copy(const Buffer& source, const Buffer& destination, std::uint32_t width,
              std::uint32_t height);
    /// SET_DOMAIN; also waits as the domains ask (all for writing, writers for reading).
    /// Throws failed_call.
    void set_domain(const Buffer& buffer, std::uint32_t read, std::uint32_t write);
    /// The same, but returns the errno, 0 for success.
    [[nodiscard]] int try_set_domain(const Buffer& buffer, std::uint32_t read, std::uint32_t write);
    /// PWRITE itself, without libdrm_intel's fallback; returns the errno, 0 for success.
    [[nodiscard]] int try_pwrite(const Buffer& buffer, const void* data, std::uint64_t bytes);
    /// GETPARAM; returns nothing when the kernel does not know it.
    [[nodiscard]] int parameter_or(int parameter, int otherwise);

    /// What i915 has counted of hangs since this was opened, and where its error state is, in
    /// words; nothing if there was none.
    [[nodiscard]] std::optional<std::string> hang() const;

    /// Throws failed_call for a negative errno as libdrm returns it.
    void check(int negative_errno, std::string_view what) const {
        if (negative_errno != 0) {
            fail(negative_errno, what);
        }
    }

private:
    struct DestroyManager {
        void operator()(drm_intel_bufmgr* manager) const { drm_intel_bufmgr_destroy(manager); }
    };

    [[noreturn]] void fail(int negative_errno, std::string_view what) const;
    [[nodiscard]] Addressing find_addressing();
    void pin(const Buffer& buffer);
    void fill_batch(const Buffer& batch, const void* data, std::size_t bytes);

    drm::Device device_;
    UniqueFd fd_;
    std::optional<ResetStats> resets_before_;
    std::unique_ptr<drm_intel_bufmgr, DestroyManager> manager_;
    Addressing addressing_ = Addressing::relocation;
    unsigned ring_flag_;
    std::uint64_t next_address_; ///< of the next softpinned object
    std::uint64_t address_end_ = 0;
};

} // namespace gem_upload::gem
