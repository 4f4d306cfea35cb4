#include "drm/pci.h"

#include "drm/chips.h"
#include "util/files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <system_error>

namespace gem_upload::drm {
namespace {

constexpr std::uint32_t display_class = 0x03;

std::string device_folder(const std::string& address, const SystemRoots& roots) {
    return fmt::format("{}/bus/pci/devices/{}", roots.sys, address);
}

/// A number as sysfs writes it ("0x8086"), 0 when the file is missing or no number.
std::uint32_t read_hex(const std::string& path) {
    std::string text = read_first_line(path);
    if (text.starts_with("0x")) {
        text.erase(0, 2);
    }
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
}

bool is_hex(std::string_view text) {
    return std::ranges::all_of(
        text, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

} // namespace

std::string PciDisplay::label() const {
    const Chip* chip = is_intel() ? find_chip(device_id) : nullptr;
    return fmt::format("{}{} at {}", pci_id_text(vendor_id, device_id),
                       chip != nullptr ? fmt::format(" ({})", chip->name) : "", address);
}

std::string pci_id_text(std::uint16_t vendor_id, std::uint16_t device_id) {
    return fmt::format("{:04x}:{:04x}", vendor_id, device_id);
}

std::string bound_driver(const std::string& address, const SystemRoots& roots) {
    std::error_code error;
    const auto target =
        std::filesystem::read_symlink(device_folder(address, roots) + "/driver", error);
    return error ? "" : target.filename().string();
}

std::vector<PciDisplay> find_pci_displays(const SystemRoots& roots) {
    std::vector<PciDisplay> displays;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(roots.sys + "/bus/pci/devices", error)) {
        const std::string address = entry.path().filename();
        const std::string folder = device_folder(address, roots);
        if (read_hex(folder + "/class") >> 16 != display_class) {
            continue;
        }
        displays.push_back({.address = address,
                            .vendor_id = static_cast<std::uint16_t>(read_hex(folder + "/vendor")),
                            .device_id = static_cast<std::uint16_t>(read_hex(folder + "/device")),
                            .driver = bound_driver(address, roots),
                            .modalias = read_first_line(folder + "/modalias")});
    }
    std::ranges::sort(displays, {}, &PciDisplay::address);
    return displays;
}

std::optional<std::string> normalize_pci_address(std::string_view text) {
    const std::string full = text.size() == 7 ? "0000:" + std::string(text) : std::string(text);
    const bool punctuated =
        full.size() == 12 && full[4] == ':' && full[7] == ':' && full[10] == '.';
    if (!punctuated || full[11] > '7' || !is_hex(full.substr(0, 4)) || !is_hex(full.substr(5, 2)) ||
        !is_hex(full.substr(8, 2)) || !is_hex(full.substr(11))) {
        return std::nullopt;
    }
    std::string lower(full.size(), '\0');
    std::ranges::transform(full, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

std::optional<std::uint64_t> bar_bytes(const std::string& address, unsigned bar,
                                       const SystemRoots& roots) {
    // One line a register: first and last byte's bus address, flags (kernel pci-sysfs.c).
    std::string text;
    try {
        text = read_file(device_folder(address, roots) + "/resource");
    } catch (const std::exception&) {
        return std::nullopt; // no such device any more, or a bus without resources
    }
    std::istringstream lines(text);
    std::string line;
    for (unsigned index = 0; index <= bar; ++index) {
        if (!std::getline(lines, line)) {
            return std::nullopt;
        }
    }
    std::istringstream fields(line);
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    fields >> std::hex >> first >> last;
    if (!fields || last <= first) {
        return std::nullopt;
    }
    return last - first + 1;
}

} // namespace gem_upload::drm
