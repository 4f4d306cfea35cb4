#include "model/command_streamer.h"

namespace gem_upload::model {

CommandStreamer::CommandStreamer(const ChipModel& chip, const FenceRegisters& fences)
    : chip_(&chip), fences_(&fences) {}

std::optional<Fault> CommandStreamer::run_batch(AddressSpace& memory, Engine engine,
                                                std::uint64_t address, std::uint64_t /*length*/) {
    auto start = memory.translate(engine, address, Access::read);
    if (auto* fault = std::get_if<Fault>(&start)) {
        return *fault;
    }
    return Fault{std::string(chip_->name) + ": no command is executed yet"};
}

} // namespace gem_upload::model
