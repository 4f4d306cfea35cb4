// The guest's system around the command: file systems, terminals, device nodes, the end.
#pragma once

#include "util/unique_fd.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gem_upload::guest {

/// proc, sysfs, devtmpfs, debugfs and what else programs expect. Throws failed_call.
void mount_file_systems();
/// The host's folder at /share; 0 or an errno.
[[nodiscard]] int mount_share();
/// busybox's programs, under their names.
void install_busybox();

/// A serial line that passes bytes as they are. Throws failed_call.
[[nodiscard]] UniqueFd open_line(const std::string& path);
/// Writes all of it; throws failed_call.
void write_all(int fd, std::string_view text);

/// Gives DRM nodes the permissions that udev's rules (50-udev-default.rules) would: render nodes to
/// all, the others to the group video.
void permit_nodes();
/// The DRM nodes, each with its driver's name.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> drm_nodes();

/// Takes the text consoles off framebuffers, which would hold their driver.
void release_consoles();

/// Ends the machine: QEMU exits with vm::end_status, or the machine is switched off.
[[noreturn]] void end_machine();

} // namespace gem_upload::guest
