// The modelled GPU as a PCI function: what a transport plugs into a machine.
#pragma once

#include "model/gpu.h"
#include "model/pci/function.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::model::pci {

/// Immediate: engines run within the access that gave them work, so that a request is finished
/// before its submitter goes on, which hides races. Asynchronous: a thread of the device's own runs
/// them later.
enum class Timing { immediate, asynchronous };

struct Settings {
    Timing timing = Timing::asynchronous;
    /// Asynchronous only: between an engine's getting work and its beginning with it.
    std::chrono::microseconds delay{200};
    /// Where stolen memory begins, for the kernel to find and set aside: a physical address below
    /// 4 GiB, a multiple of 1 MiB; 0: there is none. Its size says the host bridge on g33; it is 32
    /// MiB on snb.
    std::uint32_t stolen_base = 0;
    /// The batch, counted from 1 on the engine that blits, which never ends; 0: none.
    std::uint64_t hang_at = 0;
    /// Takes a line, without its end, for each access to configuration space and registers, each
    /// command and each interrupt; empty for no trace. Called from any thread, one call at a time;
    /// must not call the device.
    std::function<void(std::string_view)> trace;
    /// As trace, for each register and command that the model does not know, at its first use, and
    /// for each fault; what report() lists at the end.
    std::function<void(std::string_view)> complaint;
};

struct EngineReport {
    std::string name;       ///< as the kernel calls it: "rcs0", "bcs0", "vcs0"
    std::uint64_t batches;  ///< begun
    std::uint64_t commands; ///< begun, those of the ring included; one that waits, at each look
    std::uint64_t resets;
};

/// A register that the model's table does not name; it is plain storage.
struct UnknownRegister {
    std::uint32_t offset; ///< in the register BAR, a multiple of 4
    std::string near;     ///< the closest known register below, and how far it is: "IER + 0x24"
    bool read;
    bool written;
};

/// What happened since the device was made; a reset by the machine does not clear it.
struct Report {
    std::vector<EngineReport> engines;
    std::uint64_t interrupts;        ///< rising edges of INTx, and messages
    std::uint64_t resets;            ///< of the whole GPU, by the kernel
    std::vector<std::string> faults; ///< why an engine stopped, a sentence each, the first 100
    std::vector<UnknownRegister> unknown_registers; ///< by offset
    std::vector<std::string> unknown_commands;      ///< a sentence each
};

class Gpu : public Function {
public:
    /// From any thread.
    [[nodiscard]] virtual Report report() const = 0;
};

/// The chips that exist as PCI functions, oldest first.
[[nodiscard]] std::vector<const ChipModel*> gpu_chips();

/// What a kernel must be told on its command line to drive one of gpu_chips(); empty: nothing.
[[nodiscard]] std::string_view kernel_arguments(const ChipModel& chip);

/// A GPU in MACHINE, which must outlive it, by its chip's name or alias; nullptr where gpu_chips()
/// has no such chip. It is in its power-on state, and no thread runs before its first work.
[[nodiscard]] std::unique_ptr<Gpu> make_gpu(std::string_view name, Machine& machine,
                                            const Settings& settings);

} // namespace gem_upload::model::pci
