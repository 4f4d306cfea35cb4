// The command streamer: reads a batch buffer from the GPU's memory and carries it out.
#pragma once

#include "model/fences.h"
#include "model/gpu.h"

#include <cstdint>
#include <optional>

namespace gem_upload::model {

/// Executes batches of one chip. An object holds engine state (BCS_SWCTRL) that stays from batch to
/// batch, as on hardware; one batch at a time, on any thread. Engines that run at once need an
/// object each; they may share the fence registers, which must outlive them.
class CommandStreamer {
public:
    CommandStreamer(const ChipModel& chip, const FenceRegisters& fences);

    /// Runs the batch at ADDRESS (a GPU address in MEMORY, without sign extension, 8-byte aligned)
    /// until its MI_BATCH_BUFFER_END. LENGTH is the batch's length in bytes (execbuffer's
    /// batch_len), or 0: as far as memory goes. Returns why the GPU stopped in the middle, in one
    /// sentence that names chip, engine, command, dword and field; what was written before stays.
    [[nodiscard]] std::optional<Fault> run_batch(AddressSpace& memory, Engine engine,
                                                 std::uint64_t address, std::uint64_t length);

    /// Engine registers back to their values after a GPU reset.
    void reset() { swctrl_ = 0; }

private:
    const ChipModel* chip_;
    const FenceRegisters* fences_;
    std::uint32_t swctrl_ = 0;
};

} // namespace gem_upload::model
