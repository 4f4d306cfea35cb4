// A kernel's modules on disk: lib/modules/RELEASE, as depmod(8) describes it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

/// modules.dep: each module's file, and the files that it needs, from the folder on.
struct ModuleFile {
    std::string path;
    std::vector<std::string> needs;
};

class ModuleTree {
public:
    /// The texts of modules.dep and modules.builtin.
    ModuleTree(std::string_view dependencies, std::string_view builtin);

    [[nodiscard]] bool is_builtin(const std::string& module) const;
    /// nullptr where there is no such module.
    [[nodiscard]] const ModuleFile* find(const std::string& module) const;
    /// The files that MODULES need, themselves included; what is built into the kernel needs none.
    /// Throws failure that names the module and FOLDER where one is missing.
    [[nodiscard]] std::set<std::string> files_for(const std::vector<std::string>& modules,
                                                  const std::string& folder) const;

private:
    std::map<std::string, ModuleFile> files_;
    std::set<std::string> builtin_;
};

/// "kernel/drivers/gpu/drm/drm-kms-helper.ko.xz" is the module "drm_kms_helper".
[[nodiscard]] std::string module_name(std::string_view path);

/// The folder of RELEASE's modules in what a person may have named: itself, a folder of releases
/// (lib/modules), or a root with lib/modules in it. Throws failure in one sentence where it is
/// none, or has other releases' modules only.
[[nodiscard]] std::string find_module_folder(const std::string& named, const std::string& release);

/// The release that a module was built for (its vermagic); empty where it tells none.
[[nodiscard]] std::string module_release(std::string_view module_bytes);

} // namespace gem_upload::vm
