// Submission by moving the tail of a ring buffer, up to gen7.
#pragma once

#include "model/pci/page_table.h"
#include "model/pci/profile.h"
#include "model/pci/registers.h"
#include "model/pci/submission.h"

#include <cstdint>

namespace gem_upload::model::pci {

class RingSubmission final : public Submission {
public:
    /// PROCESS_MEMORY enables page tables of the process; offset 0: there are none.
    RingSubmission(const EngineProfile& engine, RegisterBit process_memory, RegisterFile& registers,
                   GlobalPageTable& global_memory, CommandStreamer& streamer, EngineHost& host)
        : engine_(engine),
          has_process_memory_(process_memory.offset != 0),
          registers_(registers),
          global_memory_(global_memory),
          process_memory_(registers, engine, process_memory, global_memory),
          streamer_(streamer),
          host_(host) {}

    void written(std::uint32_t offset, std::uint32_t value) override;
    [[nodiscard]] bool runnable() const override;
    [[nodiscard]] bool idle() const override;
    [[nodiscard]] Progress run(unsigned jumps) override;
    void reset() override { stream_.clear(); }
    [[nodiscard]] AddressSpace& process_memory() override;
    [[nodiscard]] std::uint64_t status_page() const override;
    [[nodiscard]] bool is_wanted() const override { return false; }

private:
    [[nodiscard]] std::uint32_t held(std::uint32_t offset) const;
    [[nodiscard]] bool enabled() const;
    [[nodiscard]] bool stopped() const;
    [[nodiscard]] std::uint32_t bytes() const;
    [[nodiscard]] std::uint32_t head() const;
    [[nodiscard]] std::uint32_t tail() const;

    const EngineProfile& engine_;
    bool has_process_memory_;
    RegisterFile& registers_;
    GlobalPageTable& global_memory_;
    ProcessPageTable process_memory_;
    CommandStreamer& streamer_;
    EngineHost& host_;
    Stream stream_; ///< empty unless something was left in the middle
};

} // namespace gem_upload::model::pci
