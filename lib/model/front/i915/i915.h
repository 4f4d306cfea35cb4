// The i915 driver over the GPU core.
#pragma once

#include "model/command_streamer.h"
#include "model/fences.h"
#include "model/front/drm/core_ioctls.h"
#include "model/front/fault_injection.h"
#include "model/front/i915/engine_map.h"
#include "model/front/i915/hangs.h"
#include "model/front/i915/object.h"
#include "model/front/i915/queue.h"
#include "model/front/report.h"
#include "model/gpu.h"
#include "model/launch.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace gem_upload::model::i915 {

class I915Client;

/// I915_ENGINE_CLASS_* of a ring.
[[nodiscard]] constexpr std::uint16_t engine_class(Ring ring) {
    return static_cast<std::uint16_t>(ring == Ring::second_bsd ? Ring::bsd : ring);
}

/// Offsets of the device file that stand for mappings of objects (drm_vma_manager).
class MapOffsets {
public:
    struct Target {
        std::weak_ptr<Object> object;
        MappingKind kind;
    };
    /// The object's offset for a kind of mapping; the same each time.
    [[nodiscard]] std::uint64_t offset_for(const std::shared_ptr<Object>& object, MappingKind kind);
    /// Nothing where no mapping begins at OFFSET.
    [[nodiscard]] std::optional<Target> find(std::uint64_t offset) const;

private:
    mutable std::mutex mutex_;
    std::map<std::uint64_t, Target> targets_;
    std::uint64_t next_ = std::uint64_t{1} << 32;
};

[[nodiscard]] constexpr std::uint16_t engine_instance(Ring ring) {
    return ring == Ring::second_bsd ? 1 : 0;
}

/// What a new context is asked to be.
struct NewContext {
    ContextSwitches switches;
    std::shared_ptr<AddressMap> space; ///< nullptr: one of its own
    std::optional<EngineMap> engines;  ///< nothing: the uAPI's rings
};

/// A context of a client.
struct Context {
    std::shared_ptr<AddressMap> space;
    std::optional<EngineMap> engines;
    ContextSwitches switches;
    std::shared_ptr<ClientHangs> client; ///< of its client, which batches may outlive
    ContextHangs hangs{std::chrono::steady_clock::now()};
};

class I915 final : public Driver {
public:
    /// The references must outlive the driver. ERROR_STATE is the file that stands for sysfs's
    /// "error"; empty: there is none.
    I915(const ChipModel& chip, const Settings& settings, Report& report, FaultInjection& faults,
         std::string error_state);

    [[nodiscard]] DriverVersion version() const override;
    [[nodiscard]] std::span<const Ioctl> ioctls() const override;
    [[nodiscard]] bool capability(std::uint64_t which, std::uint64_t& value) const override;
    [[nodiscard]] bool atomic() const override { return chip_.generation >= 5; }
    [[nodiscard]] std::shared_ptr<Client> open(Node node) override;
    [[nodiscard]] void* map(Client& client, const MapRequest& request) override;
    [[nodiscard]] void* map_shared(const std::shared_ptr<GemObject>& object,
                                   const MapRequest& request) override;
    [[nodiscard]] int synchronise(GemObject& object, bool end, bool write) override;
    [[nodiscard]] int create_dumb(Client& client, drm_mode_create_dumb& arguments) override;
    [[nodiscard]] int map_dumb(Client& client, std::uint32_t handle,
                               std::uint64_t& offset) override;
    [[nodiscard]] bool maps(const void* address, std::size_t length) override;
    void forget_mappings(void* address, std::size_t length) override;
    void clock_was_read() override;
    [[nodiscard]] bool outstanding() const override { return queue_.outstanding(); }
    void finish() override { queue_.drain(); }
    void before_fork() override;
    void after_fork_in_parent() override;
    void after_fork_in_child() override;

    [[nodiscard]] const ChipModel& chip() const { return chip_; }
    [[nodiscard]] Caches caches() const { return {.llc = chip_.llc}; }
    [[nodiscard]] Report& report() { return report_; }
    [[nodiscard]] FaultInjection& faults() { return faults_; }
    [[nodiscard]] MapOffsets& offsets() { return offsets_; }
    [[nodiscard]] ExecutionQueue& queue() { return queue_; }
    [[nodiscard]] bool has_ring(Ring ring) const;

    /// The address space of a new context: its own, or the one that all share.
    [[nodiscard]] std::shared_ptr<AddressMap> new_address_space();

    /// One execbuffer at a time.
    [[nodiscard]] std::unique_lock<std::mutex> lock_execution() {
        return std::unique_lock(execution_);
    }
    /// Executes a batch, on the queue's thread; false: a fault, which wedges the GPU and condemns
    /// the program.
    [[nodiscard]] bool execute(AddressSpace& memory, Ring ring, std::uint64_t address,
                               std::uint64_t bytes, std::span<const Fence> fences);
    /// Blames a context for a hang on a ring, and keeps the first error state.
    void blame(Context& context, Ring ring);
    /// A batch of the context never ends: waits as the kernel does, and resets the engine, up to
    /// gen6 the whole GPU.
    void recover_from_hang(Context& context, Ring ring);
    /// Resets of the whole GPU.
    [[nodiscard]] std::uint32_t resets() const { return resets_.load(); }
    [[nodiscard]] bool wedged() const { return wedged_.load(); }
    /// The reset of the GPU, which does not succeed.
    void wedge() {
        ++resets_;
        wedged_.store(true);
    }

    /// Remembers a mapping so that it can follow the object, and is forgotten when unmapped.
    void remember_mapping(const std::shared_ptr<Object>& object, const Mapping& mapping);

    /// 965G and 965GM aside, an object that is snooped may not be reached through the GTT.
    [[nodiscard]] bool gtt_forbidden(ObjectMemory& memory) const {
        return !chip_.llc && memory.cache_level() != CacheLevel::none;
    }

private:
    const ChipModel& chip_;
    Report& report_;
    FaultInjection& faults_;
    ExecutionQueue queue_;
    MapOffsets offsets_;
    std::mutex execution_;
    FenceRegisters fences_;
    CommandStreamer render_;
    CommandStreamer blt_;
    std::shared_ptr<AddressMap> shared_space_;
    std::atomic<bool> wedged_ = false;
    std::atomic<std::uint32_t> resets_ = 0;
    std::string error_state_;
    std::atomic<bool> error_state_kept_ = false;
    std::mutex mappings_mutex_;
    std::multimap<std::byte*, std::pair<std::size_t, std::weak_ptr<Object>>> mappings_;
    std::atomic<bool> any_mapping_ = false;
};

class I915Client final : public CoreClient {
public:
    I915Client(Node node, I915& device);

    [[nodiscard]] I915& device() { return device_; }
    /// nullptr when there is none.
    [[nodiscard]] std::shared_ptr<Object> object(std::uint32_t handle) const;
    /// nullptr when there is none.
    [[nodiscard]] std::shared_ptr<Context> context(std::uint32_t id) const;
    [[nodiscard]] std::uint32_t create_context(NewContext wanted);
    [[nodiscard]] bool destroy_context(std::uint32_t id);
    [[nodiscard]] const ClientHangs& hangs() const { return *hangs_; }
    /// Address spaces apart from contexts (VM_CREATE), numbered from 1.
    [[nodiscard]] std::uint32_t add_space(const std::shared_ptr<AddressMap>& space);
    /// nullptr when there is none.
    [[nodiscard]] std::shared_ptr<AddressMap> space(std::uint32_t id) const;
    [[nodiscard]] bool remove_space(std::uint32_t id);

private:
    I915& device_;
    std::shared_ptr<ClientHangs> hangs_;
    mutable std::mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<Context>> contexts_;
    std::map<std::uint32_t, std::shared_ptr<AddressMap>> spaces_;
};

} // namespace gem_upload::model::i915
