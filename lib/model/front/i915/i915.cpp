#include "model/front/i915/i915.h"

#include "model/front/i915/ioctls.h"
#include "util/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <drm.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace gem_upload::model::i915 {
namespace {

std::uint64_t random_number() {
    std::uint64_t number = 0;
    // Without randomness the addresses are the same each time, which is no fault.
    (void)::getrandom(&number, sizeof number, GRND_NONBLOCK);
    return number;
}

Engine engine_of(Ring ring) {
    switch (ring) {
    case Ring::render:
        return Engine::render;
    case Ring::blt:
        return Engine::blt;
    case Ring::bsd:
    case Ring::vebox:
    case Ring::second_bsd:
        break;
    }
    return Engine::video;
}

std::uint64_t address_space_end(const ChipModel& chip) {
    const std::uint64_t addressable = std::uint64_t{1} << chip.address_bits;
    return chip.ppgtt == Ppgtt::none ? std::min(addressable, chip.ggtt_bytes) : addressable;
}

} // namespace

std::uint64_t MapOffsets::offset_for(const std::shared_ptr<Object>& object, MappingKind kind) {
    const std::lock_guard lock(mutex_);
    std::erase_if(targets_, [](const auto& entry) { return entry.second.object.expired(); });
    for (const auto& [offset, target] : targets_) {
        if (target.kind == kind && target.object.lock() == object) {
            return offset;
        }
    }
    const std::uint64_t offset = next_;
    next_ += object->size();
    targets_.emplace(offset, Target{object, kind});
    return offset;
}

std::optional<MapOffsets::Target> MapOffsets::find(std::uint64_t offset) const {
    const std::lock_guard lock(mutex_);
    const auto entry = targets_.find(offset);
    return entry == targets_.end() ? std::nullopt : std::optional(entry->second);
}

I915::I915(const ChipModel& chip, const Settings& settings, Report& report, FaultInjection& faults,
           std::string error_state)
    : chip_(chip),
      report_(report),
      faults_(faults),
      queue_(settings.execution),
      fences_(chip),
      render_(chip, fences_),
      blt_(chip, fences_),
      shared_space_(std::make_shared<AddressMap>(address_space_end(chip), random_number())),
      error_state_(std::move(error_state)) {}

// The date is i915's own, unchanged since 2020. The description tells programs of ours.
DriverVersion I915::version() const {
    return {1, 6, 0, "i915", "20201103", fmt::format("model:{} (software GPU)", chip_.name)};
}

std::span<const Ioctl> I915::ioctls() const {
    return ioctl_table();
}

bool I915::maps(const void* address, std::size_t length) {
    if (!any_mapping_.load(std::memory_order_relaxed)) {
        return false;
    }
    const std::lock_guard lock(mappings_mutex_);
    const auto* const first = static_cast<const std::byte*>(address);
    return std::any_of(mappings_.begin(), mappings_.end(), [first, length](const auto& mapping) {
        return mapping.first < first + length && first < mapping.first + mapping.second.first;
    });
}

bool I915::capability(std::uint64_t which, std::uint64_t& value) const {
    switch (which) {
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_VBLANK_HIGH_CRTC:
    case DRM_CAP_ADDFB2_MODIFIERS:
    case DRM_CAP_CRTC_IN_VBLANK_EVENT:
    case DRM_CAP_DUMB_PREFER_SHADOW:
        value = 1;
        return true;
    case DRM_CAP_PAGE_FLIP_TARGET:
        value = 0;
        return true;
    case DRM_CAP_ASYNC_PAGE_FLIP: // display/intel_display.c, intel_mode_config_init()
        value = chip_.generation >= 5 ? 1 : 0;
        return true;
    case DRM_CAP_DUMB_PREFERRED_DEPTH:
        value = 24;
        return true;
    case DRM_CAP_CURSOR_WIDTH: // all but the 845 and the 865
    case DRM_CAP_CURSOR_HEIGHT:
        value = 256;
        return true;
    default:
        return false;
    }
}

std::shared_ptr<Client> I915::open(Node node) {
    report_.announce();
    return std::make_shared<I915Client>(node, *this);
}

bool I915::has_ring(Ring ring) const {
    switch (ring) {
    case Ring::render:
        return true;
    case Ring::blt:
        return chip_.blt_ring;
    case Ring::bsd:
        return chip_.bsd_ring;
    case Ring::vebox:
        return chip_.vebox_ring;
    case Ring::second_bsd:
        return chip_.second_bsd_ring;
    }
    return false;
}

std::shared_ptr<AddressMap> I915::new_address_space() {
    if (chip_.ppgtt != Ppgtt::full) {
        return shared_space_;
    }
    return std::make_shared<AddressMap>(address_space_end(chip_), random_number());
}

bool I915::execute(AddressSpace& memory, Ring ring, std::uint64_t address, std::uint64_t bytes,
                   std::span<const Fence> fences) {
    if (wedged()) {
        return true;
    }
    std::optional<Fault> fault;
    unsigned used = 0;
    for (const Fence& fence : fences) {
        fault = fence.pitch == 0 || fault ? fault : fences_.set(used++, fence);
    }
    if (!fault) {
        CommandStreamer& streamer = ring == Ring::blt ? blt_ : render_;
        fault = streamer.run_batch(memory, engine_of(ring), address, bytes);
    }
    while (used > 0) {
        fences_.clear(--used);
    }
    if (fault) {
        wedge();
        report_.condemn(fault->what);
    }
    return !fault;
}

void I915::blame(Context& context, Ring ring) {
    context.hangs.count(ring, context.switches, *context.client, std::chrono::steady_clock::now());
    if (error_state_.empty() || context.switches.no_error_capture ||
        error_state_kept_.exchange(true)) {
        return;
    }
    const std::string text = fmt::format("GPU HANG: ecode {}:{:x}:00000000\n", chip_.generation,
                                         1U << engine_class(ring));
    const UniqueFd file{::open(error_state_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)};
    if (!file || ::write(file.get(), text.data(), text.size()) < 0) {
        report_.note("the error state of the hang could not be written");
    }
}

void I915::recover_from_hang(Context& context, Ring ring) {
    constexpr std::chrono::milliseconds heartbeats{100}; // the kernel's take seconds
    std::this_thread::sleep_for(heartbeats);
    if (chip_.generation < 7) {
        ++resets_;
    }
    report_.note("a batch hung, as injected, and the GPU was reset");
    blame(context, ring);
}

void I915::clock_was_read() {
    report_.condemn("the program read the clock while batches it had submitted were still "
                    "executing: wait for the GPU before stopping the clock");
}

void I915::remember_mapping(const std::shared_ptr<Object>& object, const Mapping& mapping) {
    object->add_mapping(mapping);
    const std::lock_guard lock(mappings_mutex_);
    mappings_.emplace(mapping.address, std::pair(mapping.length, std::weak_ptr(object)));
    any_mapping_.store(true);
}

void I915::forget_mappings(void* address, std::size_t length) {
    if (!any_mapping_.load(std::memory_order_relaxed)) {
        return;
    }
    auto* const first = static_cast<std::byte*>(address);
    std::vector<std::shared_ptr<Object>> touched;
    {
        const std::lock_guard lock(mappings_mutex_);
        for (auto entry = mappings_.begin();
             entry != mappings_.end() && entry->first < first + length;) {
            if (first >= entry->first + entry->second.first) {
                ++entry;
                continue;
            }
            if (std::shared_ptr<Object> object = entry->second.second.lock()) {
                touched.push_back(std::move(object));
            }
            entry = mappings_.erase(entry);
        }
        any_mapping_.store(!mappings_.empty());
    }
    for (const std::shared_ptr<Object>& object : touched) {
        const auto lock = object->lock();
        object->forget_mappings(first, length);
    }
}

void I915::before_fork() {
    execution_.lock();
    queue_.drain();
    queue_.lock_for_fork();
}

void I915::after_fork_in_parent() {
    queue_.unlock_after_fork(false);
    execution_.unlock();
}

void I915::after_fork_in_child() {
    queue_.unlock_after_fork(true);
    execution_.unlock();
}

I915Client::I915Client(Node node, I915& device)
    : CoreClient(node, device),
      device_(device),
      hangs_(std::make_shared<ClientHangs>(std::chrono::steady_clock::now())) {
    (void)create_context({}); // the default one, 0
}

std::shared_ptr<Object> I915Client::object(std::uint32_t handle) const {
    return std::static_pointer_cast<Object>(find(handle));
}

std::shared_ptr<Context> I915Client::context(std::uint32_t id) const {
    const std::lock_guard lock(mutex_);
    const auto entry = contexts_.find(id);
    return entry == contexts_.end() ? nullptr : entry->second;
}

/// The lowest free number, as xa_alloc() gives.
std::uint32_t I915Client::create_context(NewContext wanted) {
    const std::lock_guard lock(mutex_);
    std::uint32_t id = 0;
    while (contexts_.contains(id)) {
        ++id;
    }
    auto context = std::make_shared<Context>();
    context->space = wanted.space != nullptr ? wanted.space : device_.new_address_space();
    context->engines = std::move(wanted.engines);
    context->switches = wanted.switches;
    context->client = hangs_;
    contexts_.emplace(id, std::move(context));
    return id;
}

std::uint32_t I915Client::add_space(const std::shared_ptr<AddressMap>& space) {
    const std::lock_guard lock(mutex_);
    std::uint32_t id = 1;
    while (spaces_.contains(id)) {
        ++id;
    }
    spaces_.emplace(id, space);
    return id;
}

std::shared_ptr<AddressMap> I915Client::space(std::uint32_t id) const {
    const std::lock_guard lock(mutex_);
    const auto entry = spaces_.find(id);
    return entry == spaces_.end() ? nullptr : entry->second;
}

bool I915Client::remove_space(std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    return spaces_.erase(id) != 0;
}

bool I915Client::destroy_context(std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    return id != 0 && contexts_.erase(id) != 0;
}

} // namespace gem_upload::model::i915
