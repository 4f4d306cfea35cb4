#include "model/pci/actions.h"

#include "model/gpu_clock.h"
#include "model/pci/device.h"

namespace gem_upload::model::pci {

void submission_written(Device& device, const Place& place, std::uint32_t value) {
    EngineUnit& engine = device.engine(place.engine);
    engine.submission().written(place.offset - engine.profile().base, value);
    device.kick(place.engine);
}

void reset_request_written(Device& device, const Place& place, std::uint32_t /*value*/) {
    constexpr std::uint32_t request = 1U << 0U;
    constexpr std::uint32_t ready = 1U << 1U;
    std::uint32_t& held = device.registers().at(place.offset);
    held = (held & request) != 0 ? held | ready : held & ~ready;
}

std::uint32_t read_timestamp(Device& device, const Place& /*place*/, std::uint32_t /*held*/) {
    return static_cast<std::uint32_t>(gpu_clock(device.chip()));
}

std::uint32_t read_timestamp_high(Device& device, const Place& /*place*/, std::uint32_t /*held*/) {
    return static_cast<std::uint32_t>(gpu_clock(device.chip()) >> 32U);
}

void power_well_written(Device& device, const Place& place, std::uint32_t value) {
    constexpr std::uint32_t requests = 0xaaaaaaaa;
    device.registers().at(place.offset) = (value & requests) | (value & requests) >> 1U;
}

std::uint32_t read_mi_mode(Device& device, const Place& place, std::uint32_t held) {
    constexpr std::uint32_t idle = 1U << 9U;
    return held | (device.engine(place.engine).submission().idle() ? idle : 0);
}

void interrupts_written(Device& device, const Place& place, std::uint32_t value) {
    device.interrupts().tree().written(place.offset, value);
    device.interrupts().update();
}

std::uint32_t read_interrupt_master(Device& device, const Place& /*place*/, std::uint32_t held) {
    constexpr std::uint32_t enabled = 1U << 31U;
    return (held & enabled) | device.interrupts().tree().summary();
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

void masked_forcewake_written(Device& device, const Place& place, std::uint32_t /*value*/) {
    constexpr std::uint32_t render = 0xa278;
    constexpr std::uint32_t media = 0xa270;
    constexpr std::uint32_t decoders = 0xa540;
    constexpr std::uint32_t enhancers = 0xa560;
    std::uint32_t acknowledge = 0x130044;
    if (place.offset == render) {
        acknowledge = 0xd84;
    } else if (place.offset == media) {
        acknowledge = 0xd88;
    } else if (place.offset >= enhancers) {
        acknowledge = 0xd70 + (place.offset - enhancers);
    } else if (place.offset >= decoders) {
        acknowledge = 0xd50 + (place.offset - decoders);
    }
    device.registers().at(acknowledge) = device.registers().at(place.offset);
}

void forcewake_written(Device& device, const Place& /*place*/, std::uint32_t value) {
    constexpr std::uint32_t acknowledge = 0x130090;
    device.registers().at(acknowledge) = value & 1U;
}

} // namespace gem_upload::model::pci
