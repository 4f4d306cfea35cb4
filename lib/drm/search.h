// Parts of find_devices() that need no GPU to be tested.
#pragma once

#include "drm/device.h"
#include "drm/roots.h"

#include <optional>
#include <string>
#include <string_view>

namespace gem_upload::drm {

/// "g45" from the model's version description ("model:g45" and what follows after a space),
/// empty for a real driver's.
[[nodiscard]] std::string model_chip_of(std::string_view version_description);

/// Size of the CPU's window into the GGTT: the base address register that the chip's generation
/// uses for it (0 on gen2, else 2: kernel drivers/char/agp/intel-gtt.c), nothing where there is
/// none or the driver is not i915.
[[nodiscard]] std::optional<std::uint64_t> aperture_of(const Device& device,
                                                       const SystemRoots& roots = {});

/// "card10" after "card9", devices without a primary node last.
[[nodiscard]] bool comes_before(const Device& left, const Device& right);

/// Whether this build can search for devices at all.
[[nodiscard]] bool search_is_built_in();

} // namespace gem_upload::drm
