// Submission by moving the tail of a ring buffer, up to gen7.
#pragma once

#include "model/pci/profile.h"
#include "model/pci/registers.h"
#include "model/pci/submission.h"

#include <cstdint>

namespace gem_upload::model::pci {

class RingSubmission final : public Submission {
public:
    RingSubmission(const EngineProfile& engine, RegisterFile& registers, CommandStreamer& streamer,
                   EngineHost& host)
        : engine_(engine), registers_(registers), streamer_(streamer), host_(host) {}

    void registers_written() override;
    [[nodiscard]] bool runnable() const override;
    [[nodiscard]] bool idle() const override;
    [[nodiscard]] Progress run(unsigned jumps) override;
    void reset() override { stream_.clear(); }

private:
    [[nodiscard]] std::uint32_t held(std::uint32_t offset) const;
    [[nodiscard]] bool enabled() const;
    [[nodiscard]] bool stopped() const;
    [[nodiscard]] std::uint32_t bytes() const;
    [[nodiscard]] std::uint32_t head() const;
    [[nodiscard]] std::uint32_t tail() const;

    const EngineProfile& engine_;
    RegisterFile& registers_;
    CommandStreamer& streamer_;
    EngineHost& host_;
    Stream stream_; ///< empty unless something was left in the middle
};

} // namespace gem_upload::model::pci
