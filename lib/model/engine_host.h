// What a front with registers and rings supplies to an engine.
#pragma once

#include "model/gpu.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace gem_upload::model {

/// A command that is about to be carried out.
struct Sight {
    std::string_view name;
    std::span<const std::uint32_t> dwords;
    std::uint64_t address; ///< of its first dword
    bool in_ring;          ///< not in a batch
};

/// What only the kernel's commands reach, and where an engine shows what it does. The user-space
/// front has neither registers nor rings, and gives its engines none.
class EngineHost {
public:
    EngineHost() = default;
    EngineHost(const EngineHost&) = delete;
    EngineHost& operator=(const EngineHost&) = delete;
    virtual ~EngineHost() = default;

    /// The address space that rings and the status page lie in.
    [[nodiscard]] virtual AddressSpace& global_memory() = 0;
    /// The address space of user batches; the global one where the engine has no other.
    [[nodiscard]] virtual AddressSpace& process_memory() = 0;
    /// OFFSET in the register BAR; Rejection where there is no register.
    [[nodiscard]] virtual std::uint32_t read_register(std::uint32_t offset) = 0;
    virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;
    /// Where the engine's own registers begin in the register BAR.
    [[nodiscard]] virtual std::uint32_t register_base() const = 0;
    /// The global address of the engine's status page, or of the running context's own.
    [[nodiscard]] virtual std::uint64_t status_page() const = 0;
    /// MI_USER_INTERRUPT.
    virtual void user_interrupt() = 0;
    /// The interrupt of a flush: PIPE_CONTROL's and MI_FLUSH_DW's notification.
    virtual void flush_interrupt() = 0;
    /// Whether other work waits for the engine to come to an arbitration point.
    [[nodiscard]] virtual bool is_wanted() const = 0;
    /// Called with each command's header as it is read, whether it turns out to be known or not.
    virtual void fetch(std::uint64_t address, std::uint32_t header) = 0;
    /// Called before each known command is carried out.
    virtual void see(const Sight& command) = 0;
    /// Called when a ring's command is about to begin a batch; false if the engine is to hang
    /// there.
    [[nodiscard]] virtual bool batch_begins() = 0;
};

} // namespace gem_upload::model
