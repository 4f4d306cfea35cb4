// The command streamer: reads commands from a ring or a batch in the GPU's memory and carries them
// out.
#pragma once

#include "model/command_reader.h"
#include "model/engine_host.h"
#include "model/fences.h"
#include "model/gpu.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gem_upload::model {

/// How far an engine came.
struct Progress {
    enum class State {
        finished,  ///< the batch ended, or the ring is empty
        yielded,   ///< it jumped as often as it may at a time; it can go on
        blocked,   ///< it waits for something; to be tried again
        preempted, ///< it stopped where other work, which waits for the engine, may take over
        faulted    ///< it cannot go on
    };
    State state = State::finished;
    Fault fault = {}; ///< in one sentence that names chip, engine, command, dword and field
};

/// Commands on their way: a ring or a batch, and what is called from it. A value, so that an
/// engine which is switched to other work can put it away and take it up again.
class Stream {
public:
    struct Level {
        CommandReader reader;
        AddressSpace* memory; ///< what its addresses refer to
        bool privileged;
    };

    [[nodiscard]] bool empty() const { return levels_.empty(); }
    /// Where it stands; the stream must not be empty.
    [[nodiscard]] const CommandReader& reader() const { return levels_.back().reader; }
    /// The ring or batch that it began with; the stream must not be empty.
    [[nodiscard]] CommandReader& outermost() { return levels_.front().reader; }
    [[nodiscard]] bool in_batch() const { return !empty() && !reader().is_ring(); }

    void enter(const Level& level) { levels_.push_back(level); }
    void leave() { levels_.pop_back(); }
    void clear() { levels_.clear(); }

    /// Whether other work may take over at an arbitration point (MI_ARB_ON_OFF).
    [[nodiscard]] bool& arbitrates() { return arbitrates_; }

    [[nodiscard]] Level& current() { return levels_.back(); }
    [[nodiscard]] std::size_t depth() const { return levels_.size(); }
    /// See CommandReader::forget().
    void forget();

private:
    std::vector<Level> levels_;
    bool arbitrates_ = true;
};

/// Executes commands of one chip on one engine. An object holds engine state (BCS_SWCTRL) that
/// stays from batch to batch, as on hardware; one stream at a time, on any thread. Engines that run
/// at once need an object each; they may share the fence registers, which must outlive them.
class CommandStreamer {
public:
    /// HOST, which must outlive the object, is nullptr for a front without registers and rings.
    CommandStreamer(const ChipModel& chip, const FenceRegisters& fences,
                    EngineHost* host = nullptr);

    /// Goes on with a stream until it ends, blocks, or has jumped JUMPS times: a batch that loops
    /// until memory changes is to be looked at again. What was written before a fault stays.
    [[nodiscard]] Progress advance(Stream& stream, Engine engine, unsigned jumps);

    /// Runs the batch at ADDRESS (a GPU address in MEMORY, without sign extension, 8-byte aligned)
    /// until its MI_BATCH_BUFFER_END. LENGTH is the batch's length in bytes (execbuffer's
    /// batch_len), or 0: as far as memory goes. Returns why the GPU stopped in the middle; a batch
    /// that seems to loop for ever is a fault too.
    [[nodiscard]] std::optional<Fault> run_batch(AddressSpace& memory, Engine engine,
                                                 std::uint64_t address, std::uint64_t length);

    /// Engine registers back to their values after a GPU reset.
    void reset() { swctrl_ = 0; }

private:
    const ChipModel* chip_;
    const FenceRegisters* fences_;
    EngineHost* host_;
    std::uint32_t swctrl_ = 0;
};

} // namespace gem_upload::model
