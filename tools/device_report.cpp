#include "device_report.h"

#include "drm/pci.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace gem_upload::tools {
namespace {

using Json = nlohmann::ordered_json;

std::vector<MethodReport> ask(std::span<const bench::Method* const> methods,
                              const drm::Device* device) {
    std::vector<MethodReport> reports;
    for (const bench::Method* method : methods) {
        reports.push_back({.name = std::string(method->name),
                           .group = std::string(bench::group_name(method->group)),
                           .refusal = method->refusal(device)});
    }
    return reports;
}

std::string aperture_text(const drm::Device& device) {
    constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
    if (device.aperture_bytes) {
        return fmt::format("{} MiB", *device.aperture_bytes / mebibyte);
    }
    return device.chip != nullptr && !device.chip->aperture ? "none" : "unknown";
}

std::string chip_text(const drm::Chip* chip) {
    if (chip == nullptr) {
        return "unknown to this version";
    }
    std::string version = std::to_string(chip->generation);
    if (chip->version % 100 != 0) {
        version += fmt::format(".{:02}", chip->version % 100);
    }
    return fmt::format("{} ({}), generation {}, {}", chip->title, chip->name, version,
                       chip->integrated ? "integrated" : "discrete");
}

std::string llc_text(const drm::Chip* chip) {
    return chip == nullptr ? "unknown" : chip->llc ? "yes" : "no";
}

void add_line(std::string& text, std::string_view name, std::string_view value) {
    if (!value.empty()) {
        fmt::format_to(std::back_inserter(text), "  {:<10} {}\n", name, value);
    }
}

void add_methods(std::string& text, const std::vector<MethodReport>& methods) {
    std::size_t width = 0;
    for (const MethodReport& method : methods) {
        width = std::max(width, method.name.size());
    }
    for (const MethodReport& method : methods) {
        fmt::format_to(std::back_inserter(text), "    {:<{}}  {}\n", method.name, width,
                       method.refusal ? "no: " + *method.refusal : "yes");
    }
}

std::string device_text(const DeviceReport& report) {
    const drm::Device& device = report.device;
    std::string nodes = device.primary_node;
    if (!device.render_node.empty()) {
        nodes += (nodes.empty() ? "" : ", ") + device.render_node;
    }
    std::string text = device.label() + "\n";
    add_line(text, "name", device.pci_name);
    add_line(text, "driver", device.driver + " " + device.driver_version);
    if (!device.pci_address.empty()) {
        add_line(text, "PCI",
                 fmt::format("{} at {}, revision {:02x}",
                             drm::pci_id_text(device.vendor_id, device.device_id),
                             device.pci_address, device.revision));
    }
    add_line(text, "nodes", nodes);
    if (device.vendor_id == drm::intel_vendor_id) {
        add_line(text, "chip", chip_text(device.chip));
        add_line(text, "LLC", llc_text(device.chip));
        add_line(text, "aperture", aperture_text(device));
    }
    text += "  can run:\n";
    add_methods(text, report.methods);
    return text;
}

Json methods_json(const std::vector<MethodReport>& methods) {
    Json array = Json::array();
    for (const MethodReport& method : methods) {
        array.push_back({{"name", method.name},
                         {"group", method.group},
                         {"can_run", !method.refusal},
                         {"reason", method.refusal ? Json(*method.refusal) : Json(nullptr)}});
    }
    return array;
}

/// Null for what is not known or not there.
Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json chip_json(const drm::Chip* chip) {
    if (chip == nullptr) {
        return nullptr;
    }
    return {{"name", chip->name},
            {"title", chip->title},
            {"generation", chip->generation},
            {"version", fmt::format("{}.{:02}", chip->version / 100, chip->version % 100)},
            {"llc", chip->llc},
            {"integrated", chip->integrated}};
}

Json device_json(const DeviceReport& report) {
    const drm::Device& device = report.device;
    const bool on_pci = !device.pci_address.empty();
    Json json;
    json["label"] = device.label();
    json["model"] = device.is_model();
    json["driver"] = device.driver;
    json["driver_version"] = or_null(device.driver_version);
    json["primary_node"] = or_null(device.primary_node);
    json["render_node"] = or_null(device.render_node);
    json["pci_address"] = or_null(device.pci_address);
    json["pci_id"] =
        on_pci ? Json(drm::pci_id_text(device.vendor_id, device.device_id)) : Json(nullptr);
    json["revision"] = on_pci ? Json(device.revision) : Json(nullptr);
    json["name"] = or_null(device.pci_name);
    json["chip"] = chip_json(device.chip);
    json["aperture_bytes"] = device.aperture_bytes ? Json(*device.aperture_bytes) : Json(nullptr);
    json["methods"] = methods_json(report.methods);
    return json;
}

} // namespace

DevicesReport gather_devices(const std::vector<drm::Device>& devices,
                             std::span<const bench::Method* const> methods) {
    DevicesReport report;
    for (const drm::Device& device : devices) {
        report.devices.push_back({.device = device, .methods = ask(methods, &device)});
    }
    report.without_gpu = ask(methods, nullptr);
    return report;
}

std::string devices_text(const DevicesReport& report) {
    std::string text;
    for (const DeviceReport& device : report.devices) {
        text += device_text(device) + "\n";
    }
    if (report.devices.empty()) {
        text += "Without a GPU:\n  can run:\n";
        add_methods(text, report.without_gpu);
        text += "\n";
    }
    for (const std::string& sentence : {report.driver_loading, report.no_gpu}) {
        text += sentence.empty() ? "" : sentence + "\n";
    }
    return text;
}

std::string devices_json(const DevicesReport& report) {
    Json json;
    json["devices"] = Json::array();
    for (const DeviceReport& device : report.devices) {
        json["devices"].push_back(device_json(device));
    }
    json["methods_without_gpu"] = methods_json(report.without_gpu);
    json["no_gpu"] = or_null(report.no_gpu);
    json["driver_loading"] = or_null(report.driver_loading);
    // What a kernel or a pci.ids file wrote need not be UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gem_upload::tools
