#include "model/command_streamer.h"

#include "model/commands.h"
#include "model/rejection.h"

namespace gem_upload::model {
namespace {

constexpr std::uint32_t client_3d = 3;
/// A user-space batch that jumps more often is taken for an endless loop, which the kernel would
/// call a hang.
constexpr unsigned jump_limit = 4096;

/// Carries out a stream's commands until something stops it.
class Advance {
public:
    using State = Progress::State;

    Advance(Stream& stream, const ChipModel& chip, const FenceRegisters& fences, Engine engine,
            std::uint32_t& swctrl, EngineHost* host, unsigned jumps)
        : stream_(stream),
          chip_(chip),
          fences_(fences),
          engine_(engine),
          swctrl_(swctrl),
          host_(host),
          jumps_left_(jumps) {}

    Progress run() {
        try {
            std::optional<State> stopped;
            while (!stopped) {
                stopped = step();
            }
            return {*stopped, {}};
        } catch (const UnknownCommand& unknown) {
            return {State::faulted, {sentence(unknown), true}};
        } catch (const Rejection& rejection) {
            return {State::faulted, {sentence(rejection)}};
        }
    }

private:
    /// One command; nothing as long as it goes on.
    std::optional<State> step() {
        command_ = "a command";
        if (stream_.empty() || !stream_.reader().holds(1)) {
            return State::finished;
        }
        CommandReader& reader = stream_.current().reader;
        const std::uint32_t header = reader.peek(1).front();
        if (host_ != nullptr) {
            host_->fetch(reader.position(), header);
        }
        const Command* command = command_for(header);
        const unsigned length = command == nullptr ? skipped_3d_length(chip_, header)
                                                   : command_length(*command, header);
        if (!reader.holds(length)) {
            return State::finished; // the tail will move past it
        }
        if (command == nullptr) {
            show(reader, "3D", reader.peek(1));
            reader.advance(length);
            return std::nullopt;
        }
        const Dwords dwords = reader.peek(length);
        show(reader, command->name, dwords);
        Execution execution{chip_,   fences_, *stream_.current().memory,    engine_,
                            swctrl_, host_,   stream_.current().privileged, stream_.arbitrates(),
                            {}};
        execute(*command, execution, dwords);
        return follow(execution.flow, length);
    }

    /// The row of the next command, nullptr for one that the model skips.
    const Command* command_for(std::uint32_t header) {
        const bool draws = field(header, 31, 29) == client_3d && engine_ == Engine::render;
        const Command* command =
            draws ? find_render_command(chip_, header) : &find_command(chip_, engine_, header);
        command_ = command == nullptr ? command_ : command->name;
        return command;
    }

    void show(const CommandReader& reader, std::string_view name, Dwords dwords) {
        if (host_ != nullptr) {
            host_->see({name, dwords, reader.position(), reader.is_ring()});
        }
    }

    std::optional<State> follow(const Flow& flow, unsigned length) {
        if (flow.block) {
            return preemptible() ? State::preempted : State::blocked;
        }
        if (flow.jump) {
            return jump(*flow.jump, length);
        }
        if (flow.end && !stream_.current().reader.is_ring()) {
            stream_.leave();
        } else {
            stream_.current().reader.advance(length);
        }
        return flow.arbitrate && preemptible() ? std::optional(State::preempted) : std::nullopt;
    }

    [[nodiscard]] bool preemptible() const {
        return host_ != nullptr && stream_.arbitrates() && host_->is_wanted();
    }

    std::optional<State> jump(const Jump& target, unsigned length) {
        if (jumps_left_ == 0) {
            return State::yielded;
        }
        --jumps_left_;
        Stream::Level& from = stream_.current();
        if (from.reader.is_ring() && host_ != nullptr && !host_->batch_begins()) {
            return State::blocked;
        }
        Stream::Level to = level_for(target, from);
        if (from.reader.is_ring() || target.second_level) {
            const std::size_t limit = stream_.outermost().is_ring() ? 3 : 2;
            if (stream_.depth() == limit) {
                reject("a second-level batch may not call another one");
            }
            from.reader.advance(length);
            stream_.enter(to);
        } else {
            from = std::move(to);
        }
        return std::nullopt;
    }

    [[nodiscard]] Stream::Level level_for(const Jump& target, const Stream::Level& from) const {
        AddressSpace* memory = from.memory;
        const bool privileged = from.privileged && target.privileged;
        if (from.privileged) {
            memory = target.global ? &host_->global_memory() : &host_->process_memory();
        }
        return {CommandReader::batch(*memory, engine_, target.address, 0), memory, privileged};
    }

    [[nodiscard]] std::string sentence(const Rejection& rejection) const {
        const CommandReader& reader = stream_.reader();
        return fmt::format("{}, {}: {} at dword {} of the {} at {:#x}: {}", chip_.name,
                           engine_name(engine_), command_, reader.index(),
                           reader.is_ring() ? "ring" : "batch", reader.start(), rejection.what());
    }

    Stream& stream_;
    const ChipModel& chip_;
    const FenceRegisters& fences_;
    Engine engine_;
    std::uint32_t& swctrl_;
    EngineHost* host_;
    unsigned jumps_left_;
    std::string_view command_;
};

} // namespace

void Stream::forget() {
    for (Level& level : levels_) {
        level.reader.forget();
    }
}

CommandStreamer::CommandStreamer(const ChipModel& chip, const FenceRegisters& fences,
                                 EngineHost* host)
    : chip_(&chip), fences_(&fences), host_(host) {}

Progress CommandStreamer::advance(Stream& stream, Engine engine, unsigned jumps) {
    stream.forget();
    return Advance(stream, *chip_, *fences_, engine, swctrl_, host_, jumps).run();
}

std::optional<Fault> CommandStreamer::run_batch(AddressSpace& memory, Engine engine,
                                                std::uint64_t address, std::uint64_t length) {
    if (engine == Engine::blt && !chip_->blt_ring) {
        return Fault{fmt::format("{}: gen{} has no BLT engine, its blits go to the render engine",
                                 chip_->name, chip_->generation)};
    }
    if (address % 8 != 0 || length % 8 != 0) {
        return Fault{fmt::format("{}, {}: the batch at {:#x} of {} bytes must begin and end at a "
                                 "multiple of 8",
                                 chip_->name, engine_name(engine), address, length)};
    }
    Stream stream;
    stream.enter({CommandReader::batch(memory, engine, address, length), &memory, false});
    const Progress progress = advance(stream, engine, jump_limit);
    if (progress.state == Progress::State::finished) {
        return std::nullopt;
    }
    if (progress.state == Progress::State::faulted) {
        return progress.fault;
    }
    const CommandReader& reader = stream.reader();
    if (progress.state == Progress::State::blocked) {
        return Fault{fmt::format("{}, {}: the command at dword {} of the batch at {:#x} waits for "
                                 "what nobody will write",
                                 chip_->name, engine_name(engine), reader.index(), reader.start())};
    }
    return Fault{fmt::format("{}, {}: MI_BATCH_BUFFER_START at dword {} of the batch at {:#x}: it "
                             "is jump {} of this batch, which seems to loop for ever",
                             chip_->name, engine_name(engine), reader.index(), reader.start(),
                             jump_limit + 1)};
}

} // namespace gem_upload::model
