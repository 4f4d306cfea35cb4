// The CPU-side model of positions 1 and 2 of the 2009 thread "GEM object write".
#pragma once

#include "bench/aperture_steps.h"
#include "bench/machine_memory.h"
#include "bench/method.h"
#include "bench/pool.h"
#include "bench/section_layout.h"

#include <memory>
#include <span>

namespace gem_upload::bench {

/// Each iteration writes one section of a pool that stands for the pages behind the aperture, and
/// each takes the next section.
class ApertureSession final : public Session {
public:
    ApertureSession(ApertureForm form, const Options& options, const MachineMemory& memory,
                    const CpuFeatures& features);

    void iterate() override;
    void wait() override {} // an iteration's own fences have waited
    [[nodiscard]] std::optional<std::string> verify() override;
    [[nodiscard]] std::uint64_t bytes_per_iteration() const override {
        return layout_.stored_bytes;
    }
    [[nodiscard]] std::uint64_t default_warmup() const override { return layout_.sections; }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override;
    /// Overwrites the pool.
    [[nodiscard]] std::vector<std::string> remarks(double best_mb_per_second) override;

    [[nodiscard]] const SectionLayout& layout() const { return layout_; }
    [[nodiscard]] std::span<std::uint32_t> pool() const { return pool_.dwords(); }

    /// What the side buffer holds where a stride leaves it alone.
    static constexpr std::uint32_t side_background = 0x51de'b0ff;

private:
    [[nodiscard]] std::uint32_t* side();

    ApertureForm form_;
    ApertureSteps steps_;
    SectionLayout layout_;
    bool limit_;
    std::string pool_text_;
    CpuFeatures features_;
    Pool pool_;
    std::vector<std::uint32_t> side_;
    std::uint64_t iterations_ = 0;
    std::uint32_t next_ = 1;
};

/// Sets a form up on this CPU: needs no device. Throws usage_error for options that make no sense
/// for it, cannot_measure where the CPU or the memory does not suffice.
[[nodiscard]] std::unique_ptr<Session> open_aperture(ApertureForm form, const Options& options);

/// The family's refusal: it runs on every x86-64 machine, with or without a device.
[[nodiscard]] std::optional<std::string> no_refusal(const drm::Device* device);

} // namespace gem_upload::bench
