// hang: lets the GPU loop for ever, and sees that the kernel gets it going again; in the guest of
// `gem-upload vm`.
// Worse than useless: a kernel that leaves the GPU hanging, or whose GPU does nothing any more
// after the reset, and neither is told. The commands are written out here, so that no encoder of
// the project's is believed.
#include "drm/device.h"
#include "util/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <drm.h>
#include <exception>
#include <fcntl.h>
#include <fmt/core.h>
#include <i915_drm.h>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <xf86drm.h>

namespace gem_upload::guest_tests {
namespace {

constexpr std::uint32_t page_size = 4096;
constexpr std::uint32_t width = 32; // of the buffer that is filled, in pixels of 32 bits
constexpr std::uint32_t pitch = width * 4;
constexpr std::uint32_t height = page_size / pitch;

/// A dword of a batch that is to become the address of buffer HANDLE, plus DELTA.
struct Address {
    std::size_t dword;
    std::uint32_t handle;
    std::uint32_t delta;
    std::uint32_t read_domain;
    std::uint32_t write_domain;
};

struct Resets {
    std::uint32_t all = 0;  ///< of the GPU
    std::uint32_t ours = 0; ///< of them those for which a batch of ours was to blame
};

/// i915's node, with what this program asks of it.
class Gpu {
public:
    explicit Gpu(std::string node)
        : node_(std::move(node)), file_(::open(node_.c_str(), O_RDWR | O_CLOEXEC)) {
        if (!file_) {
            throw failed_call("opening", node_, errno);
        }
    }

    [[nodiscard]] bool has_blitter() const {
        int value = 0;
        drm_i915_getparam question{I915_PARAM_HAS_BLT, &value};
        call(DRM_IOCTL_I915_GETPARAM, &question, "GETPARAM");
        return value != 0;
    }
    [[nodiscard]] std::uint32_t create_page() const {
        drm_i915_gem_create create{};
        create.size = page_size;
        call(DRM_IOCTL_I915_GEM_CREATE, &create, "GEM_CREATE");
        return create.handle;
    }
    void write(std::uint32_t handle, std::span<const std::uint32_t> dwords) const {
        drm_i915_gem_pwrite write{};
        write.handle = handle;
        write.size = dwords.size_bytes();
        write.data_ptr = reinterpret_cast<std::uintptr_t>(dwords.data());
        call(DRM_IOCTL_I915_GEM_PWRITE, &write, "GEM_PWRITE");
    }
    void read(std::uint32_t handle, std::span<std::uint32_t> dwords) const {
        drm_i915_gem_pread read{};
        read.handle = handle;
        read.size = dwords.size_bytes();
        read.data_ptr = reinterpret_cast<std::uintptr_t>(dwords.data());
        call(DRM_IOCTL_I915_GEM_PREAD, &read, "GEM_PREAD");
    }
    /// Executes BATCH, which with TARGET is all that it needs (they may be the same).
    void execute(std::uint32_t batch, std::uint32_t target, const Address& address) const {
        drm_i915_gem_relocation_entry relocation{};
        relocation.target_handle = address.handle;
        relocation.delta = address.delta;
        relocation.offset = address.dword * sizeof(std::uint32_t);
        relocation.presumed_offset = std::numeric_limits<std::uint64_t>::max(); // not known
        relocation.read_domains = address.read_domain;
        relocation.write_domain = address.write_domain;
        std::array<drm_i915_gem_exec_object2, 2> objects{};
        objects[0].handle = target;
        objects[1].handle = batch;
        objects[1].relocation_count = 1;
        objects[1].relocs_ptr = reinterpret_cast<std::uintptr_t>(&relocation);
        const std::size_t count = target == batch ? 1 : 2;
        drm_i915_gem_execbuffer2 request{};
        request.buffers_ptr = reinterpret_cast<std::uintptr_t>(&objects[2 - count]);
        request.buffer_count = static_cast<std::uint32_t>(count);
        request.flags = has_blitter() ? I915_EXEC_BLT : I915_EXEC_RENDER;
        call(DRM_IOCTL_I915_GEM_EXECBUFFER2, &request, "GEM_EXECBUFFER2");
    }
    /// Until nothing executes with the buffer any more; false after LIMIT ns.
    [[nodiscard]] bool wait(std::uint32_t handle, std::int64_t limit) const {
        drm_i915_gem_wait wait{};
        wait.bo_handle = handle;
        wait.timeout_ns = limit;
        if (::drmIoctl(file_.get(), DRM_IOCTL_I915_GEM_WAIT, &wait) == 0) {
            return true;
        }
        if (errno != ETIME) {
            throw failed_call("GEM_WAIT", node_, errno);
        }
        return false;
    }
    [[nodiscard]] Resets resets() const {
        drm_i915_reset_stats stats{};
        call(DRM_IOCTL_I915_GET_RESET_STATS, &stats, "GET_RESET_STATS");
        return {stats.reset_count, stats.batch_active};
    }

private:
    void call(unsigned long request, void* argument, const char* name) const {
        if (::drmIoctl(file_.get(), request, argument) != 0) {
            throw failed_call(name, node_, errno);
        }
    }

    std::string node_;
    UniqueFd file_;
};

/// MI_BATCH_BUFFER_START to its own begin. Gen3: length 0, bits 8:6 = 2 for the GTT, bit 0 of the
/// address for a batch without privileges; from gen6 on that is bit 8 (i915,
/// gt/intel_gpu_commands.h and gen2_engine_cs.c, gen6_engine_cs.c).
void loop_for_ever(const Gpu& gpu, int generation, std::uint32_t batch) {
    constexpr std::uint32_t batch_start = 0x31U << 23U;
    const bool old = generation < 4;
    const std::array<std::uint32_t, 2> commands{batch_start | (old              ? 2U << 6U
                                                               : generation < 6 ? 0
                                                                                : 1U << 8U),
                                                0};
    gpu.write(batch, commands);
    gpu.execute(batch, batch, {1, batch, old ? 1U : 0U, I915_GEM_DOMAIN_COMMAND, 0});
}

void check_reset(const Gpu& gpu, int generation) {
    constexpr std::int64_t moment = 200'000'000;      // ns; far less than i915's patience
    constexpr std::int64_t patience = 90'000'000'000; // i915's is 7 s, of an emulated CPU
    const Resets before = gpu.resets();
    const std::uint32_t batch = gpu.create_page();
    loop_for_ever(gpu, generation, batch);
    if (gpu.wait(batch, moment)) {
        throw failure("a batch that jumps to its own begin has ended by itself");
    }
    fmt::print("the GPU hangs\n");
    if (!gpu.wait(batch, patience)) {
        throw failure("the GPU hangs, and within 90 s the kernel has not reset it");
    }
    const Resets after = gpu.resets();
    fmt::print("the wait has ended: {} resets more, of them {} for our batch\n",
               after.all - before.all, after.ours - before.ours);
    if (after.all == before.all || after.ours != before.ours + 1) {
        throw failure(fmt::format("after a batch that hung, the kernel counts {} resets more and "
                                  "{} batches to blame, instead of one at least and one",
                                  after.all - before.all, after.ours - before.ours));
    }
}

/// Fills a part of TARGET: XY_COLOR_BLT (PRM volume 1 part 4, "Blitter Engine", which is the same
/// from gen3 to gen7), with bits 21:20 of the header for all channels, and in BR13 raster operation
/// 0xf0 (the pattern's colour) at depth 3.
void fill(const Gpu& gpu, std::uint32_t batch, std::uint32_t target, std::uint32_t colour) {
    const std::array<std::uint32_t, 8> commands{0x2U << 29U | 0x50U << 22U | 3U << 20U | 4U,
                                                3U << 24U | 0xf0U << 16U | pitch,
                                                1U << 16U | 2U, // y, x of the first pixel
                                                (height - 3U) << 16U | 30, // y, x behind the last
                                                0,
                                                colour,
                                                0xaU << 23U, // MI_BATCH_BUFFER_END
                                                0};
    gpu.write(batch, commands);
    gpu.execute(batch, target, {4, target, 0, I915_GEM_DOMAIN_RENDER, I915_GEM_DOMAIN_RENDER});
}

void check_work(const Gpu& gpu, const char* when) {
    constexpr std::uint32_t background = 0x11223344;
    constexpr std::uint32_t colour = 0xcafef00d;
    constexpr std::int64_t patience = 30'000'000'000; // ns
    const std::uint32_t target = gpu.create_page();
    const std::uint32_t batch = gpu.create_page();
    std::vector<std::uint32_t> pixels(std::size_t{width} * height, background);
    gpu.write(target, pixels);
    fill(gpu, batch, target, colour);
    if (!gpu.wait(target, patience)) {
        throw failure(fmt::format("{}, a blit does not end within 30 s", when));
    }
    gpu.read(target, pixels);
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            const bool filled = x >= 2 && x < 30 && y >= 1 && y < height - 3;
            const std::uint32_t pixel = pixels[std::size_t{y} * width + x];
            if (pixel != (filled ? colour : background)) {
                throw failure(fmt::format("wrong data: {}, the blit left {:#010x} at {}, {}", when,
                                          pixel, x, y));
            }
        }
    }
    fmt::print("{}, a blit is executed right\n", when);
}

void check_device() {
    const std::vector<drm::Device> devices = drm::find_devices();
    const auto device = std::ranges::find(devices, "i915", &drm::Device::driver);
    if (device == devices.end() || device->chip == nullptr) {
        throw cannot_measure("i915 drives no GPU that is known here");
    }
    const int generation = device->chip->generation;
    if (generation < 3 || generation > 7) {
        throw cannot_measure(fmt::format("this knows the commands of gen3 to gen7, and the GPU is "
                                         "of gen{}",
                                         generation));
    }
    const Gpu gpu(device->render_node);
    check_work(gpu, "before the hang");
    check_reset(gpu, generation);
    check_work(gpu, "after the reset");
}

} // namespace
} // namespace gem_upload::guest_tests

int main() {
    using namespace gem_upload;
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // findings before the sentence that they lead to
    try {
        guest_tests::check_device();
        return static_cast<int>(Exit::success);
    } catch (const Error& error) {
        fmt::print(stderr, "hang: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "hang: {}\n", error.what());
        return static_cast<int>(Exit::failure);
    }
}
