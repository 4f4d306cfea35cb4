// The transport of QEMU's multi-process protocol (7.2): serves a modelled PCI function to QEMU's
// x-pci-proxy-dev, and is the machine to it. Interrupts go by qtest, for the event descriptors that
// QEMU sends have no listener under emulation.
#pragma once

#include "model/pci/function.h"
#include "vm/bar_windows.h"
#include "vm/guest_memory.h"
#include "vm/mpqemu_socket.h"
#include "vm/qtest_client.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gem_upload::vm {

/// What went over the link.
struct LinkReport {
    std::uint64_t config_accesses = 0;
    std::uint64_t bar_accesses = 0;
    std::uint64_t missed_accesses = 0; ///< to no BAR: answered by ones, as on a bus
    std::uint64_t messages = 0;        ///< message-signalled interrupts sent
    std::uint64_t raised = 0;          ///< times that the interrupt pin was raised
    std::string trouble;               ///< why an interrupt could not be delivered; empty
};

class MpqemuLink final : public model::pci::Machine {
public:
    MpqemuLink(UniqueFd proxy, UniqueFd qtest)
        : socket_(std::move(proxy)), qtest_(std::move(qtest)) {}

    /// Answers for FUNCTION until QEMU closes the connection. Throws failure, failed_call.
    void serve(model::pci::Function& function);
    /// After serve().
    [[nodiscard]] LinkReport report() const;

    [[nodiscard]] model::Span memory(std::uint64_t physical) override;
    void set_interrupt(bool asserted) override;
    void send_message(std::uint64_t address, std::uint32_t data) override;

private:
    std::uint64_t perform(model::pci::Function& function, const ReceivedMessage& received);
    std::uint64_t config(model::pci::Function& function, const ConfigAccess& access);
    std::uint64_t bar(model::pci::Function& function, const BarAccess& access);
    void remap(model::pci::Function& function, const SyncMemory& sync,
               const std::vector<UniqueFd>& descriptors);
    void reset(model::pci::Function& function);
    void deliver(const std::string& command);

    MpqemuSocket socket_;
    QtestClient qtest_;
    GuestMemory memory_;
    std::vector<BarWindow> windows_;
    bool windows_known_ = false;
    bool running_ = false;       ///< the guest has used a BAR: QEMU's main thread is free to answer
    std::mutex interrupt_mutex_; ///< guards what stands below
    std::optional<bool> level_;  ///< of the pin, where it is known
    LinkReport report_;
};

} // namespace gem_upload::vm
