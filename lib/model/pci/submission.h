// How work reaches an engine; one class for each way that the kernel submits it.
#pragma once

#include "model/command_streamer.h"

#include <cstdint>

namespace gem_upload::model::pci {

class Submission {
public:
    Submission() = default;
    Submission(const Submission&) = delete;
    Submission& operator=(const Submission&) = delete;
    virtual ~Submission() = default;

    /// A register through which work comes, at OFFSET from the engine's base, was written.
    virtual void written(std::uint32_t offset, std::uint32_t value) = 0;
    /// Whether there is something to execute now.
    [[nodiscard]] virtual bool runnable() const = 0;
    /// Whether the engine has come to rest: it has nothing to do, or was stopped between requests.
    [[nodiscard]] virtual bool idle() const = 0;
    /// Executes until the work is done, waits, or has jumped JUMPS times.
    [[nodiscard]] virtual Progress run(unsigned jumps) = 0;
    /// Forgets what was under way. The registers have been reset.
    virtual void reset() = 0;
    /// The address space of the process whose work is being done.
    [[nodiscard]] virtual AddressSpace& process_memory() = 0;
    /// See EngineHost.
    [[nodiscard]] virtual std::uint64_t status_page() const = 0;
    [[nodiscard]] virtual bool is_wanted() const = 0;
};

} // namespace gem_upload::model::pci
