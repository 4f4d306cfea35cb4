// How the launcher's settings reach the preloaded layer: as text in one environment variable.
#pragma once

#include "model/launch.h"

#include <string>
#include <string_view>
#include <sys/types.h>

namespace gem_upload::model {

inline constexpr const char* settings_variable = "GEM_UPLOAD_MODEL";

/// What the layer is told: the settings, and where the files lie that stand for /sys and /dev.
struct LayerSettings {
    Settings settings;
    std::string tree; ///< absolute path, without a slash at its end
    /// The process that removes the tree when it exits; 0: the launcher does.
    pid_t owner = 0;
};

/// Lines "name=value", free of secrets and readable in `env`. Throws usage_error where a value
/// holds a line break.
[[nodiscard]] std::string settings_to_text(const LayerSettings& settings);
/// Throws usage_error that names the line.
[[nodiscard]] LayerSettings settings_from_text(std::string_view text);

/// "asynchronous", "immediate", "late".
[[nodiscard]] std::string_view execution_name(Settings::Execution execution);
/// Throws usage_error that names the known ones.
[[nodiscard]] Settings::Execution execution_from_name(std::string_view name);

} // namespace gem_upload::model
