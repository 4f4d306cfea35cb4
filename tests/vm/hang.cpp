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
#include <sys/mman.h>
#include <utility>
#include <vector>
#include <xf86drm.h>

namespace gem_upload::guest_tests {
namespace {

constexpr std::uint32_t page_size = 4096;
constexpr std::uint32_t width = 32; // of the buffer that is filled, in pixels of 32 bits
constexpr std::uint32_t pitch = width * 4;
constexpr std::uint32_t height = page_size / pitch;
constexpr std::uint32_t batch_end = 0xaU << 23U; // MI_BATCH_BUFFER_END

/// A part of a batch that is to become the address of buffer HANDLE, one dword or, from gen8 on,
/// two.
struct Address {
    std::size_t dword;
    std::uint32_t handle;
    std::uint32_t delta;
    std::uint32_t read_domain;
    std::uint32_t write_domain;
};

/// From gen8 on buffers are placed where the program says (softpin), since from gen12 on the kernel
/// refuses relocations.
std::uint64_t place_of(std::uint32_t handle) {
    constexpr std::uint64_t first = 0x8'0000'0000; // beyond 32 bits, within the 36 of Jasper Lake
    constexpr std::uint64_t distance = std::uint64_t{1} << 21U;
    return first + handle * distance;
}

struct Resets {
    std::uint32_t all = 0;  ///< of the GPU
    std::uint32_t ours = 0; ///< of them those for which a batch of ours was to blame
};

/// i915's node, with what this program asks of it.
class Gpu {
public:
    Gpu(std::string node, int generation)
        : node_(std::move(node)),
          generation_(generation),
          file_(::open(node_.c_str(), O_RDWR | O_CLOEXEC)) {
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
        const std::span<std::uint32_t> memory = map(handle);
        std::ranges::copy(dwords, memory.begin());
        ::munmap(memory.data(), page_size);
    }
    void read(std::uint32_t handle, std::span<std::uint32_t> dwords) const {
        const std::span<std::uint32_t> memory = map(handle);
        std::ranges::copy(memory.first(dwords.size()), dwords.begin());
        ::munmap(memory.data(), page_size);
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
        if (generation_ < 8) {
            objects[1].relocation_count = 1;
            objects[1].relocs_ptr = reinterpret_cast<std::uintptr_t>(&relocation);
        } else {
            for (drm_i915_gem_exec_object2& object : objects) {
                object.offset = place_of(object.handle);
                object.flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
            }
            objects[0].flags |= EXEC_OBJECT_WRITE;
        }
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
    /// The page for the CPU, when the GPU is done with it.
    [[nodiscard]] std::span<std::uint32_t> map(std::uint32_t handle) const {
        drm_i915_gem_set_domain domain{handle, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU};
        call(DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain, "GEM_SET_DOMAIN");
        drm_i915_gem_mmap mapping{};
        mapping.handle = handle;
        mapping.size = page_size;
        call(DRM_IOCTL_I915_GEM_MMAP, &mapping, "GEM_MMAP");
        void* const place = reinterpret_cast<void*>(static_cast<std::uintptr_t>(mapping.addr_ptr));
        return {static_cast<std::uint32_t*>(place), page_size / sizeof(std::uint32_t)};
    }
    void call(unsigned long request, void* argument, const char* name) const {
        if (::drmIoctl(file_.get(), request, argument) != 0) {
            throw failed_call(name, node_, errno);
        }
    }

    std::string node_;
    int generation_;
    UniqueFd file_;
};

/// MI_BATCH_BUFFER_START to its own begin. Gen3: length 0, bits 8:6 = 2 for the GTT, bit 0 of the
/// address for a batch without privileges; from gen6 on that is bit 8, from gen8 on the address has
/// two dwords (i915, gt/intel_gpu_commands.h, gen2_engine_cs.c, gen6_engine_cs.c,
/// gen8_engine_cs.c).
void loop_for_ever(const Gpu& gpu, int generation, std::uint32_t batch) {
    constexpr std::uint32_t batch_start = 0x31U << 23U;
    if (generation >= 8) {
        const std::uint64_t begin = place_of(batch);
        const std::array<std::uint32_t, 4> commands{
            batch_start | 1U << 8U | 1U, static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(begin >> 32U), batch_end};
        gpu.write(batch, commands);
        gpu.execute(batch, batch, {1, batch, 0, 0, 0});
        return;
    }
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
    // From gen8 on the kernel can reset one engine, which it does not count as a reset of the GPU.
    const bool reset_as_a_whole = after.all != before.all;
    if ((generation < 8 && !reset_as_a_whole) || after.ours != before.ours + 1) {
        throw failure(fmt::format("after a batch that hung, the kernel counts {} resets more of "
                                  "the GPU, and {} batches to blame instead of one",
                                  after.all - before.all, after.ours - before.ours));
    }
}

/// Fills a part of TARGET: XY_COLOR_BLT (PRM volume 1 part 4, "Blitter Engine"; BDW PRM volume 2a),
/// with bits 21:20 of the header for all channels, and in BR13 raster operation 0xf0 (the pattern's
/// colour) at depth 3. From gen8 on it is a dword longer.
void fill(const Gpu& gpu, int generation, std::uint32_t batch, std::uint32_t target,
          std::uint32_t colour) {
    const bool wide = generation >= 8;
    std::vector<std::uint32_t> commands{0x2U << 29U | 0x50U << 22U | 3U << 20U | (wide ? 5U : 4U),
                                        3U << 24U | 0xf0U << 16U | pitch,
                                        1U << 16U | 2U,             // y, x of the first pixel
                                        (height - 3U) << 16U | 30}; // y, x behind the last
    if (wide) {
        commands.push_back(static_cast<std::uint32_t>(place_of(target)));
        commands.push_back(static_cast<std::uint32_t>(place_of(target) >> 32U));
    } else {
        commands.push_back(0);
    }
    commands.insert(commands.end(), {colour, batch_end, 0});
    gpu.write(batch, commands);
    gpu.execute(batch, target, {4, target, 0, I915_GEM_DOMAIN_RENDER, I915_GEM_DOMAIN_RENDER});
}

void check_work(const Gpu& gpu, int generation, const char* when) {
    constexpr std::uint32_t background = 0x11223344;
    constexpr std::uint32_t colour = 0xcafef00d;
    constexpr std::int64_t patience = 30'000'000'000; // ns
    const std::uint32_t target = gpu.create_page();
    const std::uint32_t batch = gpu.create_page();
    std::vector<std::uint32_t> pixels(std::size_t{width} * height, background);
    gpu.write(target, pixels);
    fill(gpu, generation, batch, target, colour);
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
    if (generation < 3 || generation > 12) {
        throw cannot_measure(fmt::format("this knows the commands of gen3 to gen12, and the GPU is "
                                         "of gen{}",
                                         generation));
    }
    const Gpu gpu(device->render_node, generation);
    check_work(gpu, generation, "before the hang");
    check_reset(gpu, generation);
    check_work(gpu, generation, "after the reset");
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
