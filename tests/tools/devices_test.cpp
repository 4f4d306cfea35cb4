// Worse than useless: a method shown as able to run where it refuses (or the other way), two views
// that disagree, JSON that no parser takes, or a machine without a GPU told that nothing works.
#include "drm/search.h"
#include "model/launch.h"
#include "tools/device_report.h"
#include "tools/subcommand.h"
#include "util/error.h"

#include <array>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gem_upload {
namespace {

std::optional<std::string> never(const drm::Device* /*device*/) {
    return std::nullopt;
}
std::optional<std::string> needs_pwrite(const drm::Device* device) {
    if (device == nullptr) {
        return "it needs an Intel GPU driven by i915";
    }
    return device->chip != nullptr && device->chip->pwrite
               ? std::nullopt
               : std::optional<std::string>("the kernel refuses PWRITE on this chip");
}

bench::Method make_method(std::string_view name, bench::Group group,
                          std::optional<std::string> (*refusal)(const drm::Device*)) {
    bench::Method method{};
    method.name = name;
    method.group = group;
    method.refusal = refusal;
    return method;
}

const bench::Method blit = make_method("upload_blit_large", bench::Group::blit, needs_pwrite);
const bench::Method aperture = make_method("upload_aperture", bench::Group::aperture, never);
constexpr std::array methods = {&blit, &aperture};

drm::Device make_device(std::uint16_t device_id) {
    drm::Device device;
    device.primary_node = "/dev/dri/card0";
    device.render_node = "/dev/dri/renderD128";
    device.driver = "i915";
    device.driver_version = "1.6.0";
    device.pci_address = "0000:00:02.0";
    device.vendor_id = 0x8086;
    device.device_id = device_id;
    device.revision = 7;
    device.chip = drm::find_chip(device_id);
    return device;
}

/// The words of the line that begins with NAME.
std::string line_of(const std::string& text, const std::string& name) {
    const std::size_t start = text.find("  " + name + " ");
    if (start == std::string::npos) {
        return "(absent)";
    }
    const std::string line = text.substr(start, text.find('\n', start) - start);
    return line.substr(line.find_first_not_of(' ', name.size() + 2));
}

TEST(DeviceReport, TextOfAG45) {
    drm::Device device = make_device(0x2e22);
    device.aperture_bytes = 268435456;
    device.pci_name = "4 Series Chipset";
    const std::string text = tools::devices_text(tools::gather_devices({device}, methods));
    EXPECT_TRUE(text.starts_with("i915 8086:2e22 (g45) at 0000:00:02.0\n"));
    EXPECT_EQ(line_of(text, "name"), "4 Series Chipset");
    EXPECT_EQ(line_of(text, "driver"), "i915 1.6.0");
    EXPECT_EQ(line_of(text, "PCI"), "8086:2e22 at 0000:00:02.0, revision 07");
    EXPECT_EQ(line_of(text, "nodes"), "/dev/dri/card0, /dev/dri/renderD128");
    EXPECT_NE(line_of(text, "chip").find("(g45), generation 4, integrated"), std::string::npos);
    EXPECT_EQ(line_of(text, "LLC"), "no");
    EXPECT_EQ(line_of(text, "aperture"), "256 MiB");
    EXPECT_EQ(line_of(text, "  upload_blit_large"), "yes");
    EXPECT_EQ(line_of(text, "  upload_aperture"), "yes");
}

TEST(DeviceReport, RefusalsCarryTheirReason) {
    const auto report = tools::gather_devices({make_device(0x56a0)}, methods); // DG2
    const std::string text = tools::devices_text(report);
    EXPECT_EQ(line_of(text, "  upload_blit_large"), "no: the kernel refuses PWRITE on this chip");
    EXPECT_NE(line_of(text, "chip").find("generation 12.55, discrete"), std::string::npos);
    EXPECT_EQ(line_of(text, "aperture"), "none");

    const auto json = nlohmann::json::parse(tools::devices_json(report));
    const auto& method = json["devices"][0]["methods"][0];
    EXPECT_EQ(method["name"], "upload_blit_large");
    EXPECT_EQ(method["group"], "blit");
    EXPECT_EQ(method["can_run"], false);
    EXPECT_EQ(method["reason"], "the kernel refuses PWRITE on this chip");
    EXPECT_EQ(json["devices"][0]["methods"][1]["can_run"], true);
    EXPECT_TRUE(json["devices"][0]["methods"][1]["reason"].is_null());
    EXPECT_TRUE(json["devices"][0]["aperture_bytes"].is_null());
}

TEST(DeviceReport, JsonOfASandyBridge) {
    drm::Device device = make_device(0x0116);
    device.aperture_bytes = 268435456;
    const auto json =
        nlohmann::json::parse(tools::devices_json(tools::gather_devices({device}, methods)));
    const auto& shown = json["devices"][0];
    EXPECT_EQ(shown["label"], "i915 8086:0116 (snb) at 0000:00:02.0");
    EXPECT_EQ(shown["model"], false);
    EXPECT_EQ(shown["driver"], "i915");
    EXPECT_EQ(shown["chip"]["name"], "snb");
    EXPECT_EQ(shown["chip"]["generation"], 6);
    EXPECT_EQ(shown["chip"]["llc"], true);
    EXPECT_EQ(shown["aperture_bytes"], 268435456);
    EXPECT_EQ(shown["pci_id"], "8086:0116");
    EXPECT_EQ(shown["pci_address"], "0000:00:02.0");
    EXPECT_EQ(shown["render_node"], "/dev/dri/renderD128");
    EXPECT_TRUE(json["no_gpu"].is_null());
    EXPECT_TRUE(json["driver_loading"].is_null());
}

TEST(DeviceReport, UnknownIsSaidAndNotGuessed) {
    drm::Device device = make_device(0xffff);
    device.driver_version = "";
    device.pci_name = "caf\xe9"; // Latin-1: not UTF-8
    const auto report = tools::gather_devices({device}, methods);
    const std::string text = tools::devices_text(report);
    EXPECT_EQ(line_of(text, "chip"), "unknown to this version");
    EXPECT_EQ(line_of(text, "LLC"), "unknown");
    EXPECT_EQ(line_of(text, "aperture"), "unknown");
    const auto json = nlohmann::json::parse(tools::devices_json(report));
    EXPECT_TRUE(json["devices"][0]["chip"].is_null());
    EXPECT_TRUE(json["devices"][0]["driver_version"].is_null());
}

TEST(DeviceReport, DeviceThatIsNotOnPci) {
    drm::Device device;
    device.primary_node = "/dev/dri/card0";
    device.driver = "vgem";
    const auto report = tools::gather_devices({device}, methods);
    const std::string text = tools::devices_text(report);
    EXPECT_TRUE(text.starts_with("vgem at /dev/dri/card0\n"));
    EXPECT_EQ(line_of(text, "LLC"), "(absent)");
    const auto json = nlohmann::json::parse(tools::devices_json(report));
    EXPECT_TRUE(json["devices"][0]["pci_id"].is_null());
    EXPECT_TRUE(json["devices"][0]["render_node"].is_null());
}

TEST(DeviceReport, ModelIsNamedAsSuch) {
    drm::Device device = make_device(0x2e22);
    device.model_chip = "g45";
    const auto report = tools::gather_devices({device}, methods);
    EXPECT_TRUE(tools::devices_text(report).starts_with("model:g45\n"));
    EXPECT_EQ(nlohmann::json::parse(tools::devices_json(report))["devices"][0]["model"], true);
}

TEST(DeviceReport, WithoutAGpuTheApertureFamilyRuns) {
    tools::DevicesReport report = tools::gather_devices({}, methods);
    report.no_gpu = "no GPU here";
    report.driver_loading = "no driver was loaded";
    const std::string text = tools::devices_text(report);
    EXPECT_TRUE(text.starts_with("Without a GPU:\n"));
    EXPECT_EQ(line_of(text, "  upload_aperture"), "yes");
    EXPECT_EQ(line_of(text, "  upload_blit_large"), "no: it needs an Intel GPU driven by i915");
    EXPECT_NE(text.find("no driver was loaded\nno GPU here\n"), std::string::npos);
    const auto json = nlohmann::json::parse(tools::devices_json(report));
    EXPECT_TRUE(json["devices"].empty());
    EXPECT_EQ(json["methods_without_gpu"][1]["can_run"], true);
    EXPECT_EQ(json["no_gpu"], "no GPU here");
    EXPECT_EQ(json["driver_loading"], "no driver was loaded");
}

/// Runs `gem-upload devices ARGUMENTS` in this process, never loading a driver.
int run_devices(std::vector<std::string> arguments, std::string& output) {
    arguments.insert(arguments.begin(), {"devices", "--no-load"});
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    testing::internal::CaptureStdout();
    try {
        const int status = tools::devices_main(static_cast<int>(arguments.size()), argv.data());
        output = testing::internal::GetCapturedStdout();
        return status;
    } catch (...) {
        output = testing::internal::GetCapturedStdout();
        throw;
    }
}

TEST(DevicesMain, BothViewsOfThisMachine) {
    std::string text;
    EXPECT_EQ(run_devices({}, text), 0);
    EXPECT_NE(text.find("upload_aperture"), std::string::npos);
    std::string json;
    EXPECT_EQ(run_devices({"--json"}, json), 0);
    EXPECT_EQ(nlohmann::json::parse(json)["methods_without_gpu"].size(), methods.size());
}

/// The status of the error that `gem-upload devices ARGUMENTS` gives; nothing if it gives none.
std::optional<Exit> refusal_of(const std::vector<std::string>& arguments) {
    std::string output;
    try {
        run_devices(arguments, output);
        return std::nullopt;
    } catch (const Error& error) {
        EXPECT_EQ(output, "");
        return error.status();
    }
}

TEST(DevicesMain, BadInputIsAUsageError) {
    EXPECT_EQ(refusal_of({"--unknown"}), Exit::usage);
    EXPECT_EQ(refusal_of({"surplus"}), Exit::usage);
    EXPECT_EQ(refusal_of({"--load"}), Exit::usage); // contradicts --no-load
}

TEST(DevicesMain, DeviceThatIsNotThere) {
    const Exit expected = drm::search_is_built_in() ? Exit::usage : Exit::skipped;
    EXPECT_EQ(refusal_of({"--device", "/nowhere/card0"}), expected);
    EXPECT_EQ(refusal_of({"--device", "pci:nonsense"}), expected);
    EXPECT_EQ(refusal_of({"--device", "nonsense"}), expected);
}

} // namespace

namespace bench {
std::span<const Method* const> all_methods() {
    return methods;
}
} // namespace bench

namespace model {
bool on_model() {
    return false;
}
void enter_model_if_asked(std::string_view /*device*/, int /*argc*/, char** /*argv*/) {}
} // namespace model

} // namespace gem_upload
