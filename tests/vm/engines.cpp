// engines: chains of copies and stores across all of the GPU's engines, many in flight; in the
// guest of `gem-upload vm`.
// Worse than useless: engines that run out of order, a page, a command or an interrupt lost once
// among thousands, and nobody is told. The commands are written out here, so that no encoder of the
// project's is believed.
#include "drm/device.h"
#include "util/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <drm.h>
#include <exception>
#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <i915_drm.h>
#include <iterator>
#include <limits>
#include <linux/sync_file.h>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <utility>
#include <vector>
#include <xf86drm.h>

namespace gem_upload::guest_tests {
namespace {

using Clock = std::chrono::steady_clock;

/// Of 32-bit pixels, without padding.
struct Surface {
    std::uint32_t width;
    std::uint32_t height;
    [[nodiscard]] std::uint32_t pitch() const { return width * 4; }
    [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{pitch()} * height; }
};

struct Buffer {
    std::uint32_t handle = 0;
    std::span<std::uint32_t> memory;
};

struct Engine {
    std::string_view name;
    std::uint64_t flags; ///< of execbuffer2
};

/// Commands, and where among them stands the address of a buffer: one dword or, from gen8 on, two.
struct Commands {
    std::vector<std::uint32_t> dwords;
    std::vector<drm_i915_gem_relocation_entry> addresses;
};

/// From gen8 on buffers are placed where the program says (softpin), since from gen12 on the kernel
/// refuses relocations. All begin at a multiple of 2 MiB, so that the kernel may use large pages.
std::uint64_t place_of(std::uint32_t handle) {
    constexpr std::uint64_t first = 0x8'0000'0000; // beyond 32 bits, within the 36 of Jasper Lake
    constexpr std::uint64_t distance = std::uint64_t{4} << 20U; // the largest buffer
    return first + handle * distance;
}

/// What an engine does in a chain: its batch, and the buffers in it.
struct Step {
    Engine engine;
    Buffer batch;
    Commands commands;
    std::optional<std::uint32_t> read = std::nullopt;
    std::optional<std::uint32_t> written = std::nullopt;
};

/// How a step is ordered among the others.
struct Order {
    std::uint32_t context = 0;
    const UniqueFd* after = nullptr; ///< this fence, and nothing that the kernel sees by itself
    bool gives_fence = false;
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

    [[nodiscard]] int generation() const { return generation_; }
    [[nodiscard]] bool has(int parameter) const {
        int value = 0;
        drm_i915_getparam question{parameter, &value};
        call(DRM_IOCTL_I915_GETPARAM, &question, "GETPARAM");
        return value != 0;
    }
    [[nodiscard]] std::uint32_t create_context() const {
        drm_i915_gem_context_create create{};
        call(DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &create, "GEM_CONTEXT_CREATE");
        return create.ctx_id;
    }
    /// Mapped cached, or as MAPPED says.
    [[nodiscard]] Buffer create_buffer(std::uint64_t bytes, std::uint64_t mapped = 0) const {
        drm_i915_gem_create create{};
        create.size = bytes;
        call(DRM_IOCTL_I915_GEM_CREATE, &create, "GEM_CREATE");
        drm_i915_gem_mmap mapping{};
        mapping.handle = create.handle;
        mapping.size = bytes;
        mapping.flags = mapped;
        call(DRM_IOCTL_I915_GEM_MMAP, &mapping, "GEM_MMAP");
        void* const place = reinterpret_cast<void*>(static_cast<std::uintptr_t>(mapping.addr_ptr));
        return {create.handle, {static_cast<std::uint32_t*>(place), bytes / sizeof(std::uint32_t)}};
    }
    /// For the CPU, when the GPU is done with it.
    [[nodiscard]] std::span<std::uint32_t> for_writing(const Buffer& buffer) const {
        return in_cpu_domain(buffer, I915_GEM_DOMAIN_CPU);
    }
    [[nodiscard]] std::span<const std::uint32_t> for_reading(const Buffer& buffer) const {
        return in_cpu_domain(buffer, 0);
    }
    /// The fence, where one is asked for.
    [[nodiscard]] UniqueFd execute(Step& step, const Order& order) const {
        std::vector<drm_i915_gem_exec_object2> objects = objects_of(step, order.after != nullptr);
        drm_i915_gem_execbuffer2 request{};
        request.buffers_ptr = reinterpret_cast<std::uintptr_t>(objects.data());
        request.buffer_count = static_cast<std::uint32_t>(objects.size());
        request.flags = step.engine.flags;
        request.rsvd1 = order.context;
        if (order.after != nullptr) {
            request.flags |= I915_EXEC_FENCE_IN;
            request.rsvd2 = static_cast<std::uint32_t>(order.after->get());
        }
        if (!order.gives_fence) {
            call(DRM_IOCTL_I915_GEM_EXECBUFFER2, &request, "GEM_EXECBUFFER2");
            return {};
        }
        request.flags |= I915_EXEC_FENCE_OUT;
        call(DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &request, "GEM_EXECBUFFER2_WR");
        return UniqueFd(static_cast<int>(request.rsvd2 >> 32U));
    }

private:
    [[nodiscard]] std::vector<drm_i915_gem_exec_object2> objects_of(Step& step,
                                                                    bool unordered) const {
        const auto object = [&](std::uint32_t handle, std::uint64_t flags) {
            drm_i915_gem_exec_object2 described{};
            described.handle = handle;
            described.flags = flags | (unordered ? EXEC_OBJECT_ASYNC : 0U);
            if (generation_ >= 8) {
                described.offset = place_of(handle);
                described.flags |= EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
            }
            return described;
        };
        std::vector<drm_i915_gem_exec_object2> objects;
        if (step.read) {
            objects.push_back(object(*step.read, 0));
        }
        if (step.written) {
            objects.push_back(object(*step.written, EXEC_OBJECT_WRITE));
        }
        objects.push_back(object(step.batch.handle, 0)); // the batch is the last
        if (generation_ < 8) {
            std::vector<drm_i915_gem_relocation_entry>& addresses = step.commands.addresses;
            objects.back().relocation_count = static_cast<std::uint32_t>(addresses.size());
            objects.back().relocs_ptr = reinterpret_cast<std::uintptr_t>(addresses.data());
        }
        return objects;
    }
    [[nodiscard]] std::span<std::uint32_t> in_cpu_domain(const Buffer& buffer,
                                                         std::uint32_t write_domain) const {
        drm_i915_gem_set_domain domain{buffer.handle, I915_GEM_DOMAIN_CPU, write_domain};
        call(DRM_IOCTL_I915_GEM_SET_DOMAIN, &domain, "GEM_SET_DOMAIN");
        return buffer.memory;
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

void put_address(Commands& commands, int generation, std::uint32_t handle, std::uint32_t delta,
                 std::uint32_t read_domain, std::uint32_t write_domain) {
    if (generation >= 8) {
        const std::uint64_t address = place_of(handle) + delta;
        commands.dwords.push_back(static_cast<std::uint32_t>(address));
        commands.dwords.push_back(static_cast<std::uint32_t>(address >> 32U));
        return;
    }
    drm_i915_gem_relocation_entry relocation{};
    relocation.target_handle = handle;
    relocation.delta = delta;
    relocation.offset = commands.dwords.size() * sizeof(std::uint32_t);
    relocation.presumed_offset = std::numeric_limits<std::uint64_t>::max(); // not known
    relocation.read_domains = read_domain;
    relocation.write_domain = write_domain;
    commands.addresses.push_back(relocation);
    commands.dwords.push_back(0);
}

/// MI_BATCH_BUFFER_END, at a multiple of 8 bytes.
void end_batch(Commands& commands) {
    commands.dwords.push_back(0xaU << 23U);
    commands.dwords.resize(commands.dwords.size() + commands.dwords.size() % 2, 0);
}

/// XY_SRC_COPY_BLT (SNB PRM volume 1 part 4, "Blitter Engine"; BDW PRM volume 2a), with bits 21:20
/// of the header for all channels, and in BR13 raster operation 0xcc (the source) at depth 3. From
/// gen8 on it is two dwords longer.
Commands copy(int generation, const Surface& surface, std::uint32_t from, std::uint32_t to) {
    Commands commands;
    const std::uint32_t length = generation >= 8 ? 8 : 6;
    commands.dwords = {0x2U << 29U | 0x53U << 22U | 3U << 20U | length,
                       3U << 24U | 0xccU << 16U | surface.pitch(), 0,
                       surface.height << 16U | surface.width};
    put_address(commands, generation, to, 0, I915_GEM_DOMAIN_RENDER, I915_GEM_DOMAIN_RENDER);
    commands.dwords.insert(commands.dwords.end(), {0, surface.pitch()});
    put_address(commands, generation, from, 0, I915_GEM_DOMAIN_RENDER, 0);
    end_batch(commands);
    return commands;
}

/// MI_STORE_DATA_IMM of a dword, with bit 22 clear for the process's address space (SNB PRM volume
/// 1 part 3; BDW PRM volume 2a). The value is the last dword but the end of the batch.
Commands store(int generation, std::uint32_t to, std::size_t dword) {
    Commands commands;
    commands.dwords = {0x20U << 23U | 2U};
    if (generation < 8) {
        commands.dwords.push_back(0);
    }
    put_address(commands, generation, to, static_cast<std::uint32_t>(dword * 4),
                I915_GEM_DOMAIN_INSTRUCTION, I915_GEM_DOMAIN_INSTRUCTION);
    commands.dwords.push_back(0);
    end_batch(commands);
    return commands;
}
constexpr std::size_t stored_value = 3; ///< its dword

/// MI_SEMAPHORE_WAIT, polling until what is at the beginning of BUFFER is at least the second dword
/// (BDW PRM volume 2a).
Commands wait_for_memory(int generation, std::uint32_t buffer) {
    Commands commands;
    commands.dwords = {0x1cU << 23U | 1U << 15U | 1U << 12U | 2U, 0};
    put_address(commands, generation, buffer, 0, 0, 0);
    end_batch(commands);
    return commands;
}
constexpr std::size_t awaited_value = 1; ///< its dword

/// In all chains no dword is twice the same at the same place.
class Pattern {
public:
    explicit Pattern(std::uint32_t iteration) : first_(iteration * 0x9e3779b1U) {}
    [[nodiscard]] std::uint32_t at(std::size_t dword) const {
        return first_ + static_cast<std::uint32_t>(dword) * 0x01000193U;
    }

private:
    std::uint32_t first_;
};

void check_status(const UniqueFd& fence, std::uint32_t iteration) {
    sync_file_info information{};
    if (::ioctl(fence.get(), SYNC_IOC_FILE_INFO, &information) != 0) {
        throw failed_call("SYNC_IOC_FILE_INFO", "a fence", errno);
    }
    if (information.status != 1) {
        throw failure(fmt::format("the chain of iteration {} has ended with: {}", iteration,
                                  errno_text(-information.status)));
    }
}

/// Waits for an interrupt to tell of the fence; whether it had to.
bool wait_for(const UniqueFd& fence, std::uint32_t iteration) {
    constexpr std::chrono::seconds patience{30};
    pollfd polled{fence.get(), POLLIN, 0};
    int found = ::poll(&polled, 1, 0);
    const bool waits = found == 0;
    const Clock::time_point begin = Clock::now();
    if (waits) {
        found = ::poll(&polled, 1, std::chrono::milliseconds(patience).count());
    }
    if (found < 0) {
        throw failed_call("waiting for", "a fence", errno);
    }
    // At the end of its time poll() looks once more by itself, without an interrupt.
    if (Clock::now() - begin >= patience) {
        throw failure(fmt::format("after {} s no interrupt has told that the chain of iteration {} "
                                  "is done, {}",
                                  patience.count(), iteration,
                                  found == 1 ? "though it is" : "and it is not"));
    }
    check_status(fence, iteration);
    return waits;
}

constexpr std::uint64_t page = 4096;
constexpr Engine render{"render", I915_EXEC_RENDER};
constexpr Engine blitter{"BLT", I915_EXEC_BLT};

/// Holds back what waits for its fence, so that work piles up in the kernel.
class Gate {
public:
    explicit Gate(const Gpu& gpu)
        : gpu_(gpu),
          context_(gpu.create_context()),
          opened_(gpu.create_buffer(page, I915_MMAP_WC)),
          step_{.engine = blitter,
                .batch = gpu.create_buffer(page),
                .commands = wait_for_memory(gpu.generation(), opened_.handle),
                .read = opened_.handle} {}
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    ~Gate() { open(); }

    /// Only after it was opened.
    void close() {
        step_.commands.dwords.at(awaited_value) = ++closed_;
        std::ranges::copy(step_.commands.dwords, gpu_.for_writing(step_.batch).begin());
        fence_ = gpu_.execute(step_, {.context = context_, .gives_fence = true});
    }
    void open() {
        std::atomic_ref(opened_.memory.front()).store(closed_, std::memory_order_release);
    }
    [[nodiscard]] const UniqueFd& fence() const { return fence_; }

private:
    const Gpu& gpu_;
    std::uint32_t context_;
    Buffer opened_;
    Step step_;
    std::uint32_t closed_ = 0;
    UniqueFd fence_;
};

using Contexts = std::array<std::uint32_t, 2>;

/// Buffers through which data go: written by the CPU, copied into the middle one, where every
/// engine stores a dword, and copied on.
class Chain {
public:
    Chain(const Gpu& gpu, const std::vector<Engine>& engines, const Surface& surface)
        : gpu_(gpu),
          source_(gpu.create_buffer(surface.bytes())),
          middle_(gpu.create_buffer(surface.bytes())),
          target_(gpu.create_buffer(surface.bytes())) {
        const int generation = gpu.generation();
        const std::size_t distance = source_.memory.size() / (engines.size() + 1);
        add(blitter, copy(generation, surface, source_.handle, middle_.handle), source_, middle_);
        for (const Engine& engine : engines) {
            stored_.push_back(distance * (stored_.size() + 1));
            add(engine, store(generation, middle_.handle, stored_.back()), std::nullopt, middle_);
        }
        add(blitter, copy(generation, surface, middle_.handle, target_.handle), middle_, target_);
    }

    [[nodiscard]] std::size_t steps() const { return steps_.size(); }

    /// The first step waits for the fence AFTER, if there is one; the last is in the other context.
    /// The steps are ordered by fences that the program hands on, or by the kernel, which sees what
    /// they write.
    void begin(std::uint32_t iteration, const Contexts& contexts, const UniqueFd* after) {
        iteration_ = iteration;
        write_pattern();
        write_stored_values();
        const bool explicit_fences = iteration % 3 == 0;
        for (Step& step : steps_) {
            const bool last = &step == &steps_.back();
            fence_ = gpu_.execute(step, {.context = contexts.at((iteration + (last ? 1 : 0)) % 2),
                                         .after = after,
                                         .gives_fence = last || explicit_fences});
            after = fence_ ? &fence_ : nullptr;
        }
    }

    /// Whether it had to wait. Nothing, where nothing was begun.
    bool finish() {
        if (!fence_) {
            return false;
        }
        const bool waited = wait_for(fence_, iteration_);
        fence_ = {};
        verify();
        return waited;
    }

private:
    void add(const Engine& engine, Commands commands, const std::optional<Buffer>& read,
             const Buffer& written) {
        const Buffer batch = gpu_.create_buffer(page);
        std::ranges::copy(commands.dwords, gpu_.for_writing(batch).begin());
        steps_.push_back({engine, batch, std::move(commands),
                          read ? std::optional(read->handle) : std::nullopt, written.handle});
    }
    void write_pattern() {
        const Pattern pattern(iteration_);
        const std::span<std::uint32_t> memory = gpu_.for_writing(source_);
        for (std::size_t i = 0; i < memory.size(); ++i) {
            memory[i] = pattern.at(i);
        }
    }
    void write_stored_values() {
        for (std::size_t i = 0; i < stored_.size(); ++i) {
            gpu_.for_writing(steps_.at(i + 1).batch)[stored_value] = iteration_;
        }
    }
    void verify() const {
        const Pattern pattern(iteration_);
        const std::span<const std::uint32_t> memory = gpu_.for_reading(target_);
        for (std::size_t i = 0; i < memory.size(); ++i) {
            if (memory[i] != pattern.at(i) && std::ranges::find(stored_, i) == stored_.end()) {
                throw wrong_data(i, memory[i], fmt::format("{:#010x} was copied", pattern.at(i)));
            }
        }
        for (std::size_t i = 0; i < stored_.size(); ++i) {
            const std::uint32_t found = memory[stored_.at(i)];
            if (found != iteration_) {
                throw wrong_data(stored_.at(i), found,
                                 fmt::format("the {} engine stored {:#010x}",
                                             steps_.at(i + 1).engine.name, iteration_));
            }
        }
    }
    [[nodiscard]] Error wrong_data(std::size_t dword, std::uint32_t found,
                                   const std::string& instead) const {
        return failure(fmt::format("wrong data: iteration {} left {:#010x} in dword {} of {}, "
                                   "where {}",
                                   iteration_, found, dword, target_.memory.size(), instead));
    }

    const Gpu& gpu_;
    Buffer source_;
    Buffer middle_;
    Buffer target_;
    std::vector<std::size_t> stored_; ///< the dwords, one an engine
    std::vector<Step> steps_;
    std::uint32_t iteration_ = 0;
    UniqueFd fence_;
};

/// Those that store a dword each.
std::vector<Engine> storing_engines(const Gpu& gpu) {
    if (gpu.generation() < 8) {
        return {render, blitter}; // Sandy Bridge's video engine cannot (IGT, gem_can_store_dword())
    }
    std::vector<Engine> engines{render};
    if (gpu.has(I915_PARAM_HAS_BSD)) {
        engines.push_back({"video", I915_EXEC_BSD | I915_EXEC_BSD_RING1});
    }
    if (gpu.has(I915_PARAM_HAS_BSD2)) {
        engines.push_back({"second video", I915_EXEC_BSD | I915_EXEC_BSD_RING2});
    }
    if (gpu.has(I915_PARAM_HAS_VEBOX)) {
        engines.push_back({"VEBOX", I915_EXEC_VEBOX});
    }
    return engines;
}

struct Tally {
    std::size_t batches = 0;
    std::size_t waits = 0; ///< that did not find their fence signalled already
};

/// In rounds of small chains, and every so often a large one in the place of one. From gen8 on a
/// round is held back until all of it is with the kernel.
class Run {
public:
    Run(const Gpu& gpu, const std::vector<Engine>& engines)
        : gpu_(gpu), contexts_{gpu.create_context(), gpu.create_context()} {
        constexpr Surface small{64, 64};
        constexpr Surface large{1024, 1024}; // 4 MiB: pages of 64 KiB or 2 MiB
        for (std::size_t i = 0; i < round; ++i) {
            chains_.emplace_back(gpu, engines, small);
        }
        chains_.emplace_back(gpu, engines, large);
        if (gpu.generation() >= 8) {
            gate_.emplace(gpu);
        }
    }

    [[nodiscard]] Tally run(std::uint32_t iterations) {
        for (std::uint32_t i = 0; i < iterations; ++i) {
            if (gate_ && i % round == 0) {
                close_gate();
            }
            begin(i);
            if (gate_ && (i % round == round - 1 || i == iterations - 1)) {
                gate_->open();
            }
        }
        finish_all();
        return tally_;
    }

private:
    // Odd both: a chain begins in either context.
    static constexpr std::uint32_t round = 7;
    static constexpr std::uint32_t between_large = 125;

    void begin(std::uint32_t i) {
        Chain& chain = i % between_large == 0 ? chains_.back() : chains_.at(i % round);
        finish(chain);
        chain.begin(i + 1, contexts_, gate_ ? &gate_->fence() : nullptr);
        tally_.batches += chain.steps();
    }
    /// From gen9 on the kernel lets the chains of the round before overtake the gate on its engine:
    /// it preempts batches. On Broadwell it does not (i915's can_preempt()), and they would wait
    /// for each other.
    void close_gate() {
        if (gpu_.generation() < 9) {
            finish_all();
        }
        gate_->close();
    }
    void finish_all() {
        for (Chain& chain : chains_) {
            finish(chain);
        }
    }
    void finish(Chain& chain) {
        if (chain.finish()) {
            ++tally_.waits;
        }
    }

    const Gpu& gpu_;
    Contexts contexts_;
    std::vector<Chain> chains_;
    std::optional<Gate> gate_;
    Tally tally_;
};

void check_device(std::uint32_t iterations) {
    const std::vector<drm::Device> devices = drm::find_devices();
    const auto device = std::ranges::find(devices, "i915", &drm::Device::driver);
    if (device == devices.end() || device->chip == nullptr) {
        throw cannot_measure("i915 drives no GPU that is known here");
    }
    const int generation = device->chip->generation;
    if (generation != 6 && (generation < 8 || generation > 12)) {
        throw cannot_measure(fmt::format("this needs several engines, and knows the commands of "
                                         "gen6 and gen8 to gen12; the GPU is of gen{}",
                                         generation));
    }
    const Gpu gpu(device->render_node, generation);
    const std::vector<Engine> engines = storing_engines(gpu);
    const Clock::time_point begin = Clock::now();
    const Tally tally = Run(gpu, engines).run(iterations);
    const std::chrono::duration<double> took = Clock::now() - begin;
    std::vector<std::string_view> names;
    std::ranges::transform(engines, std::back_inserter(names), &Engine::name);
    fmt::print("{} iterations, {} batches in {:.1f} s: copies on the BLT engine, stores on {}; {} "
               "waits for an interrupt\n",
               iterations, tally.batches, took.count(), fmt::join(names, ", "), tally.waits);
}

/// `engines [ITERATIONS]`
std::uint32_t iterations_of(std::span<const char* const> arguments) {
    std::uint32_t iterations = 1000;
    if (arguments.size() > 1) {
        const std::string_view given = arguments[1];
        const auto [end, error] =
            std::from_chars(given.data(), given.data() + given.size(), iterations);
        if (error != std::errc{} || end != given.data() + given.size() || iterations == 0) {
            throw usage_error(fmt::format("'{}' is no number of iterations", given));
        }
    }
    return iterations;
}

} // namespace
} // namespace gem_upload::guest_tests

int main(int argc, char** argv) {
    using namespace gem_upload;
    try {
        guest_tests::check_device(
            guest_tests::iterations_of({argv, static_cast<std::size_t>(argc)}));
        return static_cast<int>(Exit::success);
    } catch (const Error& error) {
        fmt::print(stderr, "engines: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "engines: {}\n", error.what());
        return static_cast<int>(Exit::failure);
    }
}
