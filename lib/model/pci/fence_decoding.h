// Fence registers as each generation lays them out.
#pragma once

#include "model/pci/profile.h"

namespace gem_upload::model::pci {

/// Register INDEX's fence, nothing if it holds none. Eight at 0x2000, eight at 0x3000.
[[nodiscard]] std::optional<Fence> gen3_fence(const RegisterFile& registers, unsigned index);
/// Two dwords each at 0x100000.
[[nodiscard]] std::optional<Fence> gen6_fence(const RegisterFile& registers, unsigned index);

} // namespace gem_upload::model::pci
