// The modelled GPU: its parts, and what holds them together.
#pragma once

#include "model/fences.h"
#include "model/pci/config_space.h"
#include "model/pci/engine.h"
#include "model/pci/function.h"
#include "model/pci/gpu.h"
#include "model/pci/interrupts.h"
#include "model/pci/journal.h"
#include "model/pci/page_table.h"
#include "model/pci/profile.h"
#include "model/pci/registers.h"
#include "model/pci/scheduler.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gem_upload::model::pci {

/// One lock guards it all: the functions of Gpu take it, all others are called with it.
class Device final : public Gpu {
public:
    Device(const Profile& profile, const ChipModel& chip, Machine& machine,
           const Settings& settings);

    [[nodiscard]] std::uint32_t read_config(std::uint32_t offset, unsigned bytes) override;
    void write_config(std::uint32_t offset, std::uint32_t value, unsigned bytes) override;
    [[nodiscard]] std::uint64_t read_bar(unsigned bar, std::uint64_t offset,
                                         unsigned bytes) override;
    void write_bar(unsigned bar, std::uint64_t offset, std::uint64_t value,
                   unsigned bytes) override;
    [[nodiscard]] std::uint64_t bar_bytes(unsigned bar) const override;
    void reset() override;
    void pause() override;
    void resume() override;
    [[nodiscard]] Report report() const override;

    [[nodiscard]] const Profile& profile() const { return profile_; }
    [[nodiscard]] const ChipModel& chip() const { return chip_; }
    [[nodiscard]] RegisterFile& registers() { return registers_; }
    [[nodiscard]] GlobalPageTable& page_table() { return page_table_; }
    [[nodiscard]] FenceRegisters& fences() { return fences_; }
    [[nodiscard]] Interrupts& interrupts() { return interrupts_; }
    [[nodiscard]] Journal& journal() { return journal_; }
    [[nodiscard]] EngineUnit& engine(std::size_t index) { return *engines_[index]; }

    /// A dword of the register BAR, by its row in the table.
    [[nodiscard]] std::uint32_t read_register(std::uint32_t offset);
    void write_register(std::uint32_t offset, std::uint32_t value);

    void kick(std::size_t engine) { scheduler_.kick(engine); }
    /// The kernel resets the engines that any of BITS stands for.
    void reset_engines(std::uint32_t bits);
    /// From the registers to the core's fences and swizzling.
    void load_fences();
    void load_swizzling();

private:
    /// What a read of a BAR answers; bits beyond BYTES may be anything.
    [[nodiscard]] std::uint64_t answer(unsigned bar, std::uint64_t offset, unsigned bytes);
    [[nodiscard]] std::uint64_t read_registers(std::uint64_t offset, unsigned bytes);
    void write_registers(std::uint64_t offset, std::uint64_t value, unsigned bytes);
    void access_aperture(std::uint64_t offset, Span bytes, Access access);
    [[nodiscard]] bool switched_on(const RegisterBit& bit) const;
    void trace_access(std::string_view what, const std::string& name, std::uint64_t offset,
                      std::uint64_t value) const;

    mutable std::mutex lock_;
    const Profile& profile_;
    const ChipModel& chip_;
    Journal journal_;
    RegisterFile registers_;
    ConfigSpace config_;
    GlobalPageTable page_table_;
    FenceRegisters fences_;
    Interrupts interrupts_;
    std::vector<std::unique_ptr<EngineUnit>> engines_;
    Scheduler scheduler_; ///< last: its thread uses all the others
};

} // namespace gem_upload::model::pci
