// A kernel package that is unpacked, never installed: boot/vmlinuz-RELEASE and lib/modules/RELEASE
// (Debian), or all in lib/modules/RELEASE (Fedora).
#pragma once

#include "util/stop_signals.h"

#include <string>
#include <vector>

namespace gem_upload::vm {

struct KernelFiles {
    std::string image;   ///< vmlinuz
    std::string modules; ///< a root with lib/modules
    std::string name;    ///< "linux-image-6.1.0-57-amd64_6.1.192-3_amd64"
};

/// The kernel images in an unpacked package.
[[nodiscard]] std::vector<std::string> images_in(const std::string& root);
/// The one kernel in a folder that a person has named. Throws failure where there is none, or more.
[[nodiscard]] KernelFiles kernel_in_folder(const std::string& root);

/// Unpacks Debian packages into one folder, and has depmod index the modules in it. Throws failure,
/// Interrupted.
void unpack_debian_packages(const std::vector<std::string>& packages, const std::string& root,
                            StopSignals& signals);
/// Has depmod index the modules in an unpacked package.
void index_modules(const std::string& root, StopSignals& signals);

/// FOLDER, which holds RELEASE's modules; where it has no modules.dep, a likeness of it in WORK
/// that has.
[[nodiscard]] std::string with_module_index(const std::string& folder, const std::string& release,
                                            const std::string& work, StopSignals& signals);

} // namespace gem_upload::vm
