// One engine of the device: what its commands reach, and what it has done.
#pragma once

#include "model/command_streamer.h"
#include "model/pci/gpu.h"
#include "model/pci/profile.h"
#include "model/pci/submission.h"

#include <cstdint>
#include <memory>

namespace gem_upload::model::pci {

class Device;

class EngineUnit final : public EngineHost {
public:
    /// HANG_AT: see Settings.
    EngineUnit(Device& device, const EngineProfile& profile, Machine& machine,
               std::uint64_t hang_at);

    [[nodiscard]] Submission& submission() { return *submission_; }
    [[nodiscard]] bool runnable() const { return !hung_ && submission_->runnable(); }
    /// Executes for a while. After a fault the engine hangs until it is reset, as hardware does.
    [[nodiscard]] Progress::State run();
    /// Forgets what was under way; its registers have been reset.
    void reset();
    void count_reset() { ++report_.resets; }
    [[nodiscard]] const EngineProfile& profile() const { return profile_; }
    [[nodiscard]] EngineReport report() const { return report_; }

    [[nodiscard]] AddressSpace& global_memory() override;
    [[nodiscard]] AddressSpace& process_memory() override { return submission_->process_memory(); }
    [[nodiscard]] std::uint32_t read_register(std::uint32_t offset) override;
    void write_register(std::uint32_t offset, std::uint32_t value) override;
    [[nodiscard]] std::uint32_t register_base() const override { return profile_.base; }
    [[nodiscard]] std::uint64_t status_page() const override { return submission_->status_page(); }
    [[nodiscard]] bool is_wanted() const override { return submission_->is_wanted(); }
    void user_interrupt() override;
    void flush_interrupt() override;
    void fetch(std::uint64_t address, std::uint32_t header) override;
    void see(const Sight& command) override;
    [[nodiscard]] bool batch_begins() override;

private:
    [[nodiscard]] std::unique_ptr<Submission> make_submission(Machine& machine);
    /// A command may name what is not in the BAR; Rejection.
    void require_register(std::uint32_t offset) const;

    Device& device_;
    const EngineProfile& profile_;
    CommandStreamer streamer_;
    std::unique_ptr<Submission> submission_;
    EngineReport report_;
    std::uint64_t hang_at_;
    bool hung_ = false;
};

} // namespace gem_upload::model::pci
