#include "model/front/device_tree.h"

#include "util/error.h"
#include "util/unique_fd.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

namespace gem_upload::model {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_prefix = "gem-upload-model.";

void write_file(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    const UniqueFd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw failed_call("writing", path.string(), errno);
    }
}

/// A PCI resource: sysfs shows its size as the file's; nothing is behind it.
void write_hole(const fs::path& path, std::uint64_t bytes) {
    write_file(path, "");
    if (::truncate(path.c_str(), static_cast<off_t>(bytes)) != 0) {
        throw failed_call("sizing", path.string(), errno);
    }
}

void link(const fs::path& path, const fs::path& target) {
    fs::create_directories(path.parent_path());
    fs::create_symlink(target, path);
}

struct Bar {
    std::uint64_t start;
    std::uint64_t bytes;
    std::uint64_t flags; ///< as sysfs prints them: IORESOURCE_MEM, _PREFETCH, _MEM_64
};

// Registers and page tables (BAR 0), aperture (BAR 2), as Intel integrated graphics have them.
std::array<Bar, 3> bars(const ChipModel& chip) {
    return {
        {{0xf6000000, 0x400000, 0x140204}, {0, 0, 0}, {0xe0000000, chip.aperture_bytes, 0x14220c}}};
}

std::string resource_text(const ChipModel& chip) {
    std::string text;
    for (const Bar& bar : bars(chip)) {
        text += bar.bytes == 0 ? std::string("0x0000000000000000 0x0000000000000000 "
                                             "0x0000000000000000\n")
                               : fmt::format("{:#018x} {:#018x} {:#018x}\n", bar.start,
                                             bar.start + bar.bytes - 1, bar.flags);
    }
    for (std::size_t line = bars(chip).size(); line < 13; ++line) {
        text += "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
    }
    return text;
}

constexpr std::uint32_t display_class = 0x030000; // VGA compatible
constexpr std::uint16_t intel = 0x8086;
constexpr std::uint16_t subsystem_device = 0x2010;

std::string config_space(const ChipModel& chip) {
    std::string config(256, '\0');
    const auto put = [&config](std::size_t offset, std::uint64_t value, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i) {
            config[offset + i] = static_cast<char>(value >> (8 * i) & 0xff);
        }
    };
    put(0x00, intel, 2);
    put(0x02, chip.device_id, 2);
    put(0x04, 0x0007, 2); // I/O, memory, bus master
    put(0x08, chip.revision, 1);
    put(0x09, display_class, 3);
    const std::array<Bar, 3> regions = bars(chip);
    put(0x10, regions[0].start | 0x4, 8); // 64 bit
    put(0x18, regions[2].start | 0xc, 8); // 64 bit, prefetchable
    put(0x2c, intel, 2);
    put(0x2e, subsystem_device, 2);
    return config;
}

std::string uevent_text(const ChipModel& chip) {
    return fmt::format(
        "DRIVER=i915\nPCI_CLASS={:X}\nPCI_ID=8086:{:04X}\nPCI_SUBSYS_ID=8086:{:04X}\n"
        "PCI_SLOT_NAME={}\nMODALIAS=pci:v00008086d{:08X}sv00008086sd{:08X}"
        "bc03sc00i00\n",
        display_class, chip.device_id, subsystem_device, device_pci_address, chip.device_id,
        subsystem_device);
}

void write_node(const fs::path& root, const fs::path& pci_device, std::string_view name,
                unsigned minor) {
    write_file(root / "dev/dri" / name, "");
    const fs::path folder = pci_device / "drm" / name;
    write_file(folder / "dev", fmt::format("{}:{}\n", drm_major, minor));
    write_file(folder / "uevent", fmt::format("MAJOR={}\nMINOR={}\nDEVNAME=dri/{}\nDEVTYPE="
                                              "drm_minor\n",
                                              drm_major, minor, name));
    link(folder / "device", fmt::format("../../../{}", device_pci_address));
    link(folder / "subsystem", "../../../../../class/drm");
    const std::string here = fmt::format("devices/pci0000:00/{}/drm/{}", device_pci_address, name);
    link(root / "sys/class/drm" / name, "../../" + here);
    link(root / fmt::format("sys/dev/char/{}:{}", drm_major, minor), "../../" + here);
}

void write_pci_device(const fs::path& device, const ChipModel& chip) {
    write_file(device / "vendor", "0x8086\n");
    write_file(device / "device", fmt::format("{:#06x}\n", chip.device_id));
    write_file(device / "subsystem_vendor", "0x8086\n");
    write_file(device / "subsystem_device", fmt::format("{:#06x}\n", subsystem_device));
    write_file(device / "revision", fmt::format("{:#04x}\n", chip.revision));
    write_file(device / "class", fmt::format("{:#08x}\n", display_class));
    write_file(device / "irq", "16\n");
    write_file(device / "enable", "1\n");
    write_file(device / "boot_vga", "1\n");
    write_file(device / "uevent", uevent_text(chip));
    write_file(device / "config", config_space(chip));
    write_file(device / "resource", resource_text(chip));
    write_hole(device / "resource0", bars(chip)[0].bytes);
    write_hole(device / "resource2", chip.aperture_bytes);
    write_hole(device / "resource2_wc", chip.aperture_bytes);
    write_file(device / "power/runtime_status", "active\n");
    write_file(device / "power/control", "on\n");
    link(device / "driver", "../../../bus/pci/drivers/i915");
    link(device / "subsystem", "../../../bus/pci");
}

void write_driver(const fs::path& root) {
    const fs::path bus = root / "sys/bus/pci";
    link(bus / "devices" / device_pci_address,
         fmt::format("../../../devices/pci0000:00/{}", device_pci_address));
    link(bus / "drivers/i915" / device_pci_address,
         fmt::format("../../../../devices/pci0000:00/{}", device_pci_address));
    link(bus / "drivers/i915/module", "../../../../module/i915");
    write_file(bus / "drivers/i915/uevent", "");
    write_file(bus / "uevent", "");
    write_file(root / "sys/module/i915/initstate", "live\n");
    write_file(root / "sys/module/i915/refcnt", "1\n");
    write_file(root / "sys/module/i915/coresize", "3000000\n");
    fs::create_directories(root / "sys/module/i915/holders");
    fs::create_directories(root / "sys/module/i915/parameters");
    write_file(root / "sys/class/drm/version", "drm 1.1.0 20060810\n");
}

/// sysfs folders that must list the model's entries beside the machine's own: the latter are
/// linked to.
void merge_listing(const fs::path& root, const std::string& folder) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const fs::path own = root.string() + entry.path().string();
        if (!fs::exists(fs::symlink_status(own))) {
            link(own, entry.path());
        }
    }
}

void fill(const fs::path& root, const ChipModel& chip) {
    const fs::path device = root / "sys/devices/pci0000:00" / device_pci_address;
    write_pci_device(device, chip);
    write_driver(root);
    write_node(root, device, "card0", primary_minor);
    write_node(root, device, "renderD128", render_minor);
    write_file(root.string() + std::string(error_state_path), "No error state collected\n");
    const fs::path debugfs = root / "sys/kernel/debug/dri/0";
    write_file(debugfs / "name",
               fmt::format("i915 dev={} unique={}\n", device_pci_address, device_pci_address));
    // IGT writes here before it begins: there is nothing of the kind to drop in the model.
    write_file(debugfs / "i915_gem_drop_caches", "0x0\n");
    for (const char* folder : {"/sys/class", "/sys/bus", "/sys/devices/pci0000:00"}) {
        fs::create_directories(root.string() + folder);
        merge_listing(root, folder);
    }
}

/// Memory rather than a disk, unless TMPDIR says where.
fs::path temporary_folder() {
    std::error_code ignored;
    const char* wanted = std::getenv("TMPDIR");
    if (wanted != nullptr && fs::is_directory(wanted, ignored)) {
        return fs::absolute(wanted);
    }
    const bool memory = ::access("/dev/shm", W_OK | X_OK) == 0;
    return memory ? "/dev/shm" : "/tmp";
}

/// The process id in "gem-upload-model.PID.XXXXXX", or 0.
pid_t maker_of(std::string_view name) {
    if (!name.starts_with(folder_prefix)) {
        return 0;
    }
    name.remove_prefix(folder_prefix.size());
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    const bool whole = error == std::errc{} && end != name.data() + name.size() && *end == '.';
    return whole && pid > 0 ? pid : 0;
}

/// Trees of processes that were killed before they could remove theirs.
void sweep(const fs::path& folder) {
    std::error_code ignored;
    std::vector<fs::path> stale;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const pid_t maker = maker_of(entry.path().filename().string());
        if (maker != 0 && ::kill(maker, 0) != 0 && errno == ESRCH) {
            stale.push_back(entry.path());
        }
    }
    for (const fs::path& path : stale) {
        fs::remove_all(path, ignored);
    }
}

} // namespace

std::string create_device_tree(const ChipModel& chip) {
    const fs::path folder = temporary_folder();
    sweep(folder);
    std::string path = folder / fmt::format("{}{}.XXXXXX", folder_prefix, ::getpid());
    if (::mkdtemp(path.data()) == nullptr) {
        throw failed_call("creating a folder for the model in", folder.string(), errno);
    }
    try {
        fill(path, chip);
    } catch (const fs::filesystem_error& error) {
        remove_device_tree(path);
        throw failed_call("creating the model's device files in", path, error.code().value());
    } catch (...) {
        remove_device_tree(path);
        throw;
    }
    return path;
}

void remove_device_tree(const std::string& path) noexcept {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

} // namespace gem_upload::model
