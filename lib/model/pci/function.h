// What stands between a modelled PCI device and the machine that it is plugged into: a device
// knows no QEMU, and a transport (lib/vm/) knows no GPU.
#pragma once

#include "model/gpu.h"

#include <cstdint>

namespace gem_upload::model::pci {

/// The machine as a device sees it. Its functions may be called from any thread, also while an
/// access to the device is being answered.
class Machine {
public:
    Machine() = default;
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    virtual ~Machine() = default;

    /// Guest memory at a physical address up to where it stops being contiguous; empty where there
    /// is none. Valid until the machine's memory map changes, which the transport does only between
    /// accesses and while no engine runs.
    [[nodiscard]] virtual Span memory(std::uint64_t physical) = 0;
    /// The level of the INTA pin. Returns when the machine has seen it.
    virtual void set_interrupt(bool asserted) = 0;
    /// A message-signalled interrupt: a 32-bit write of DATA to ADDRESS. Returns when the machine
    /// has seen it.
    virtual void send_message(std::uint64_t address, std::uint32_t data) = 0;
};

/// A PCI function. Accesses come from one thread, one at a time.
class Function {
public:
    Function() = default;
    Function(const Function&) = delete;
    Function& operator=(const Function&) = delete;
    virtual ~Function() = default;

    /// Configuration space: BYTES is 1, 2 or 4, OFFSET below 256.
    [[nodiscard]] virtual std::uint32_t read_config(std::uint32_t offset, unsigned bytes) = 0;
    virtual void write_config(std::uint32_t offset, std::uint32_t value, unsigned bytes) = 0;
    /// An access within a BAR: BYTES is 1, 2, 4 or 8.
    [[nodiscard]] virtual std::uint64_t read_bar(unsigned bar, std::uint64_t offset,
                                                 unsigned bytes) = 0;
    virtual void write_bar(unsigned bar, std::uint64_t offset, std::uint64_t value,
                           unsigned bytes) = 0;
    /// The size of a BAR in bytes, 0 where there is none.
    [[nodiscard]] virtual std::uint64_t bar_bytes(unsigned bar) const = 0;
    /// Power-on state. Must not raise or lower an interrupt through the machine.
    virtual void reset() = 0;
    /// Stops and resumes execution, so that the machine may change its memory map.
    virtual void pause() = 0;
    virtual void resume() = 0;
};

} // namespace gem_upload::model::pci
