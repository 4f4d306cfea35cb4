#include "model/command_streamer.h"

#include "model/batch_reader.h"
#include "model/commands.h"
#include "model/rejection.h"

namespace gem_upload::model {
namespace {

constexpr std::uint32_t client_3d = 3;
/// A batch that jumps more often is taken for an endless loop, which the kernel would call a hang.
constexpr unsigned jump_limit = 4096;

/// One batch on its way: where it stands, and where a second-level batch returns to.
class BatchRun {
public:
    BatchRun(const Execution& execution, const BatchReader& reader)
        : execution_(execution), reader_(reader) {}

    std::optional<Fault> run() {
        try {
            while (!finished_) {
                command_ = "a command";
                step();
            }
        } catch (const Rejection& rejection) {
            return Fault{fmt::format("{}, {}: {} at dword {} of the batch at {:#x}: {}",
                                     execution_.chip.name, engine_name(execution_.engine), command_,
                                     reader_.index(), reader_.start(), rejection.what())};
        }
        return std::nullopt;
    }

private:
    void step() {
        const std::uint32_t header = reader_.peek(1).front();
        if (field(header, 31, 29) == client_3d && execution_.engine == Engine::render) {
            reader_.advance(skipped_3d_length(execution_.chip, header));
            return;
        }
        const Command& command = find_command(execution_.chip, execution_.engine, header);
        command_ = command.name;
        if (command.giver == Giver::kernel) {
            reject("only the kernel's ring may hold it, not a batch");
        }
        const unsigned length = command_length(command, header);
        execution_.flow = {};
        execute(command, execution_, reader_.peek(length));
        if (execution_.flow.jump) {
            jump(length);
        } else if (execution_.flow.end) {
            end();
        } else {
            reader_.advance(length);
        }
    }

    void jump(unsigned length) {
        if (++jumps_ > jump_limit) {
            reject("it is jump {} of this batch, which seems to loop for ever", jumps_);
        }
        if (execution_.flow.second_level) {
            if (caller_) {
                reject("a second-level batch may not call another one");
            }
            caller_ = reader_;
            caller_->advance(length);
        }
        reader_.enter(*execution_.flow.jump, 0);
    }

    void end() {
        finished_ = !caller_;
        if (caller_) {
            reader_ = *caller_;
            caller_.reset();
        }
    }

    Execution execution_;
    BatchReader reader_;
    std::optional<BatchReader> caller_;
    std::string_view command_;
    unsigned jumps_ = 0;
    bool finished_ = false;
};

} // namespace

CommandStreamer::CommandStreamer(const ChipModel& chip, const FenceRegisters& fences)
    : chip_(&chip), fences_(&fences) {}

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
    BatchReader reader(memory, engine);
    reader.enter(address, length);
    return BatchRun({*chip_, *fences_, memory, engine, swctrl_, {}}, reader).run();
}

} // namespace gem_upload::model
