#include "model/pci/engine.h"

#include "model/pci/device.h"
#include "model/pci/execlists.h"
#include "model/pci/ring_submission.h"
#include "model/rejection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gem_upload::model::pci {
namespace {

/// A batch that jumps more often at a time is taken for one that waits in a loop.
constexpr unsigned jumps_at_a_time = 64;
/// Dwords of a command that the trace shows.
constexpr std::size_t traced_dwords = 8;

} // namespace

EngineUnit::EngineUnit(Device& device, const EngineProfile& profile, Machine& machine,
                       std::uint64_t hang_at)
    : device_(device),
      profile_(profile),
      streamer_(device.chip(), device.fences(), this),
      submission_(make_submission(machine)),
      report_{std::string(profile.name), 0, 0, 0},
      hang_at_(hang_at) {}

std::unique_ptr<Submission> EngineUnit::make_submission(Machine& machine) {
    const Profile& chip = device_.profile();
    if (chip.execlists == nullptr) {
        return std::make_unique<RingSubmission>(profile_, chip.process_memory, device_.registers(),
                                                device_.page_table(), streamer_, *this);
    }
    return std::make_unique<Execlists>(
        profile_, *chip.execlists, device_.registers(), machine, streamer_, *this,
        [this] { device_.interrupts().raise(profile_, profile_.context_interrupt); });
}

Progress::State EngineUnit::run() {
    const Progress progress = submission_->run(jumps_at_a_time);
    if (progress.state == Progress::State::faulted) {
        hung_ = true;
        device_.journal().fault(progress.fault);
    }
    return progress.state;
}

bool EngineUnit::batch_begins() {
    ++report_.batches;
    hung_ = report_.batches == hang_at_;
    return !hung_;
}

void EngineUnit::reset() {
    hung_ = false;
    streamer_.reset();
    submission_->reset();
}

AddressSpace& EngineUnit::global_memory() {
    return device_.page_table();
}

void EngineUnit::require_register(std::uint32_t offset) const {
    if (offset % 4 != 0 || offset >= device_.profile().register_bytes) {
        reject("there is no register {:#x}", offset);
    }
}

std::uint32_t EngineUnit::read_register(std::uint32_t offset) {
    require_register(offset);
    return device_.read_register(offset);
}

void EngineUnit::write_register(std::uint32_t offset, std::uint32_t value) {
    require_register(offset);
    device_.write_register(offset, value);
}

void EngineUnit::user_interrupt() {
    device_.interrupts().raise(profile_, profile_.user_interrupt);
}

void EngineUnit::flush_interrupt() {
    device_.interrupts().raise(profile_, profile_.flush_interrupt);
}

void EngineUnit::fetch(std::uint64_t address, std::uint32_t header) {
    const EngineOffsets& offsets = device_.profile().engine_offsets;
    device_.registers().at(profile_.base + offsets.active_head) =
        static_cast<std::uint32_t>(address);
    if (offsets.active_head_high != 0) {
        device_.registers().at(profile_.base + offsets.active_head_high) =
            static_cast<std::uint32_t>(address >> 32U);
    }
    device_.registers().at(profile_.base + offsets.header) = header;
}

void EngineUnit::see(const Sight& command) {
    ++report_.commands;
    if (device_.journal().traces()) {
        const auto shown = command.dwords.first(std::min(command.dwords.size(), traced_dwords));
        device_.journal().trace(fmt::format("{} {} {:#x} {} {:08x}{}", profile_.name,
                                            command.in_ring ? "ring" : "batch", command.address,
                                            command.name, fmt::join(shown, " "),
                                            shown.size() < command.dwords.size() ? " ..." : ""));
    }
}

} // namespace gem_upload::model::pci
