#include "model/pci/actions.h"

#include "model/pci/device.h"

namespace gem_upload::model::pci {

void ring_written(Device& device, const Place& place, std::uint32_t /*value*/) {
    device.engine(place.engine).submission().registers_written();
    device.kick(place.engine);
}

std::uint32_t read_mi_mode(Device& device, const Place& place, std::uint32_t held) {
    constexpr std::uint32_t idle = 1U << 9U;
    return held | (device.engine(place.engine).submission().idle() ? idle : 0);
}

void interrupts_written(Device& device, const Place& /*place*/, std::uint32_t /*value*/) {
    device.interrupts().update();
}

void fence_written(Device& device, const Place& /*place*/, std::uint32_t /*value*/) {
    device.load_fences();
}

void swizzling_written(Device& device, const Place& /*place*/, std::uint32_t /*value*/) {
    device.load_swizzling();
}

void reset_written(Device& device, const Place& /*place*/, std::uint32_t value) {
    device.reset_engines(value);
}

void forcewake_written(Device& device, const Place& /*place*/, std::uint32_t value) {
    constexpr std::uint32_t acknowledge = 0x130090;
    device.registers().at(acknowledge) = value & 1U;
}

} // namespace gem_upload::model::pci
