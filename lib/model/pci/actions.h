// What registers do beyond holding a value; rows of the register tables name these.
#pragma once

#include "model/pci/registers.h"

namespace gem_upload::model::pci {

/// A register through which work comes: the engine may have got some, or lost it.
void submission_written(Device& device, const Place& place, std::uint32_t value);
/// RESET_CTL: an engine that is asked to prepare for its reset is ready at once.
void reset_request_written(Device& device, const Place& place, std::uint32_t value);
/// MI_MODE, with the bit that says that the engine is idle.
[[nodiscard]] std::uint32_t read_mi_mode(Device& device, const Place& place, std::uint32_t held);
/// What decides about interrupts has changed.
void interrupts_written(Device& device, const Place& place, std::uint32_t value);
[[nodiscard]] std::uint32_t read_interrupt_master(Device& device, const Place& place,
                                                  std::uint32_t held);
[[nodiscard]] std::uint32_t read_timestamp(Device& device, const Place& place, std::uint32_t held);
[[nodiscard]] std::uint32_t read_timestamp_high(Device& device, const Place& place,
                                                std::uint32_t held);
void fence_written(Device& device, const Place& place, std::uint32_t value);
void swizzling_written(Device& device, const Place& place, std::uint32_t value);
/// Gen6's GDRST.
void reset_written(Device& device, const Place& place, std::uint32_t value);
/// Gen6's FORCEWAKE: acknowledged at once.
void forcewake_written(Device& device, const Place& place, std::uint32_t value);

/// From gen8 on: which engines are to be awake, with a mask; acknowledged at once.
void masked_forcewake_written(Device& device, const Place& place, std::uint32_t value);
/// A display power well's requests; its state bits follow at once.
void power_well_written(Device& device, const Place& place, std::uint32_t value);

} // namespace gem_upload::model::pci
