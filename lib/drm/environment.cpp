#include "drm/environment.h"

#include "config.h"
#include "drm/loaded_libraries.h"
#include "drm/pci.h"
#include "util/files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

namespace gem_upload::drm {
namespace {

// The flags that decide how memory is written and flushed, or say that it is a guest.
constexpr std::array recorded_flags = {
    "pat",  "mtrr",    "sse2",       "sse4_1", "avx",     "avx2",      "avx512f",   "erms",
    "fsrm", "clflush", "clflushopt", "clwb",   "movdiri", "movdir64b", "hypervisor"};

void add(Environment& environment, std::string name, std::string value) {
    if (!value.empty()) {
        environment.emplace_back(std::move(name), std::move(value));
    }
}

/// "name : value" lines of the first CPU; the file grows with the machine, so no more is read.
std::map<std::string, std::string> first_cpu(const SystemRoots& roots) {
    std::map<std::string, std::string> fields;
    std::ifstream file(roots.proc + "/cpuinfo");
    for (std::string line; std::getline(file, line) && !line.empty();) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) {
            continue;
        }
        const std::string name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
        const std::size_t value = line.find_first_not_of(' ', colon + 1);
        fields[name] = value == std::string::npos ? "" : line.substr(value);
    }
    return fields;
}

std::string flags_that_matter(const std::string& flags) {
    std::istringstream words(flags);
    std::vector<std::string> present;
    for (std::string word; words >> word;) {
        present.push_back(word);
    }
    std::vector<std::string> matter;
    std::ranges::copy_if(recorded_flags, std::back_inserter(matter), [&](std::string_view flag) {
        return std::ranges::find(present, flag) != present.end();
    });
    return fmt::format("{}", fmt::join(matter, " "));
}

/// The files below a folder whose names begin with a prefix, sorted; none if it is not there.
std::vector<std::filesystem::path> entries(const std::string& folder, std::string_view prefix) {
    std::vector<std::filesystem::path> paths;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().filename().string().starts_with(prefix)) {
            paths.push_back(entry.path());
        }
    }
    std::ranges::sort(paths);
    return paths;
}

/// "performance", or "performance (3), powersave (1)" where CPUs differ.
std::string counted(const std::map<std::string, int>& counts, bool always_count) {
    std::vector<std::string> parts;
    for (const auto& [value, count] : counts) {
        parts.push_back(counts.size() == 1 && !always_count ? value
                                                            : fmt::format("{} ({})", value, count));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string governor(const SystemRoots& roots) {
    std::map<std::string, int> governors;
    for (const auto& policy : entries(roots.sys + "/devices/system/cpu/cpufreq", "policy")) {
        if (const std::string name = read_first_line(policy / "scaling_governor"); !name.empty()) {
            ++governors[name];
        }
    }
    return counted(governors, false);
}

/// The two drivers say it in opposite senses.
std::string turbo(const SystemRoots& roots) {
    const std::string cpu = roots.sys + "/devices/system/cpu";
    if (const std::string off = read_first_line(cpu + "/intel_pstate/no_turbo"); !off.empty()) {
        return off == "0" ? "on" : "off";
    }
    const std::string boost = read_first_line(cpu + "/cpufreq/boost");
    return boost.empty() ? "" : boost == "1" ? "on" : "off";
}

/// The chosen one of "always [madvise] never".
std::string bracketed(const std::string& path) {
    const std::string line = read_first_line(path);
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']', open);
    return open == std::string::npos || close == std::string::npos
               ? ""
               : line.substr(open + 1, close - open - 1);
}

/// How many memory type ranges of each type: a range over the aperture beats PAT-less WC.
std::string mtrr(const SystemRoots& roots) {
    // reg00: base=0x000000000 (    0MB), size= 2048MB, count=1: write-back
    std::map<std::string, int> types;
    std::ifstream file(roots.proc + "/mtrr");
    for (std::string line; std::getline(file, line);) {
        if (const std::size_t colon = line.rfind(": "); colon != std::string::npos) {
            ++types[line.substr(colon + 2)];
        }
    }
    return counted(types, true);
}

std::string iommu(const SystemRoots& roots) {
    const std::string folder = roots.sys + "/class/iommu";
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
        return "";
    }
    std::vector<std::string> names;
    for (const auto& path : entries(folder, "")) {
        names.push_back(path.filename());
    }
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, " "));
}

std::string mains_power(const SystemRoots& roots) {
    for (const auto& supply : entries(roots.sys + "/class/power_supply", "")) {
        if (read_first_line(supply / "type") == "Mains") {
            return read_first_line(supply / "online") == "1" ? "yes" : "no";
        }
    }
    return "";
}

void add_kernel(Environment& environment, const SystemRoots& roots) {
    add(environment, "kernel_release", read_first_line(roots.proc + "/sys/kernel/osrelease"));
    add(environment, "kernel_version", read_first_line(roots.proc + "/sys/kernel/version"));
    add(environment, "kernel_command_line", read_first_line(roots.proc + "/cmdline"));
    add(environment, "boot_id", read_first_line(roots.proc + "/sys/kernel/random/boot_id"));
}

void add_machine(Environment& environment, const SystemRoots& roots) {
    std::map<std::string, std::string> cpu = first_cpu(roots);
    const std::string huge_pages = roots.sys + "/kernel/mm/transparent_hugepage";
    add(environment, "cpu_model", cpu["model name"]);
    add(environment, "cpu_microcode", cpu["microcode"]);
    add(environment, "cpu_flags", flags_that_matter(cpu["flags"]));
    add(environment, "cpus_online", read_first_line(roots.sys + "/devices/system/cpu/online"));
    add(environment, "governor", governor(roots));
    add(environment, "turbo", turbo(roots));
    add(environment, "transparent_huge_pages", bracketed(huge_pages + "/enabled"));
    add(environment, "shmem_huge_pages", bracketed(huge_pages + "/shmem_enabled"));
    add(environment, "mtrr", mtrr(roots));
    add(environment, "iommu", iommu(roots));
    add(environment, "mains_power", mains_power(roots));
}

/// i915 keeps frequencies beside the card, xe below the device's first tile and GT.
void add_frequencies(Environment& environment, const Device& device, const SystemRoots& roots) {
    const std::string card =
        roots.sys + "/class/drm/" + std::filesystem::path(device.primary_node).filename().string();
    const bool xe = device.driver == "xe";
    const auto frequency = [&](std::string_view which) {
        return read_first_line(xe ? fmt::format("{}/device/tile0/gt0/freq0/{}_freq", card, which)
                                  : fmt::format("{}/gt_{}_freq_mhz", card, which));
    };
    add(environment, "gpu_min_mhz", frequency("min"));
    add(environment, "gpu_max_mhz", frequency("max"));
    add(environment, "gpu_actual_mhz", frequency("act"));
}

void add_device(Environment& environment, const Device& device, const SystemRoots& roots) {
    add(environment, "device", device.label());
    add(environment, "driver",
        device.driver_version.empty() ? device.driver
                                      : device.driver + " " + device.driver_version);
    if (!device.pci_address.empty()) {
        add(environment, "pci_id", pci_id_text(device.vendor_id, device.device_id));
        add(environment, "runtime_pm",
            read_first_line(
                fmt::format("{}/bus/pci/devices/{}/power/control", roots.sys, device.pci_address)));
    }
    add(environment, "force_probe",
        read_first_line(
            fmt::format("{}/module/{}/parameters/force_probe", roots.sys, device.driver)));
    if (device.aperture_bytes) {
        add(environment, "aperture_bytes", std::to_string(*device.aperture_bytes));
    }
    add_frequencies(environment, device, roots);
}

} // namespace

Environment read_environment(const Device* device, const SystemRoots& roots) {
    Environment environment;
    add_kernel(environment, roots);
    add_machine(environment, roots);
    if (device != nullptr) {
        add_device(environment, *device, roots);
    }
    add(environment, "libraries", LIBRARIES_BUILT_WITH);
    add(environment, "loaded_libraries", fmt::format("{}", fmt::join(loaded_libraries(), " ")));
    add(environment, "gem_upload_tools", GEM_UPLOAD_VERSION);
    return environment;
}

} // namespace gem_upload::drm
