// What registers do beyond holding a value; rows of the register tables name these.
#pragma once

#include "model/pci/registers.h"

namespace gem_upload::model::pci {

/// A ring's registers: the engine may have got work, or lost it.
void ring_written(Device& device, const Place& place, std::uint32_t value);
/// MI_MODE, with the bit that says that the engine is idle.
[[nodiscard]] std::uint32_t read_mi_mode(Device& device, const Place& place, std::uint32_t held);
/// What decides about interrupts has changed.
void interrupts_written(Device& device, const Place& place, std::uint32_t value);
void fence_written(Device& device, const Place& place, std::uint32_t value);
void swizzling_written(Device& device, const Place& place, std::uint32_t value);
/// Gen6's GDRST.
void reset_written(Device& device, const Place& place, std::uint32_t value);
/// Gen6's FORCEWAKE: acknowledged at once.
void forcewake_written(Device& device, const Place& place, std::uint32_t value);

} // namespace gem_upload::model::pci
