// Rows of i915's table of ioctls for what is no more, or not in the model.
#pragma once

#include "model/front/drm/ioctl.h"

#include <span>

namespace gem_upload::model::i915 {

[[nodiscard]] std::span<const Ioctl> legacy_table();

} // namespace gem_upload::model::i915
