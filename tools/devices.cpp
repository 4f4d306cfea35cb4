// gem-upload devices: what is there, and what can be measured on it.
#include "device_report.h"
#include "drm/modules.h"
#include "drm/select.h"
#include "model/launch.h"
#include "subcommand.h"
#include "util/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/core.h>
#include <string>
#include <vector>

namespace gem_upload::tools {
namespace {

struct DevicesOptions {
    std::string device;
    bool json = false;
    bool load = false;
    bool no_load = false;
};

void add_options(CLI::App& app, DevicesOptions& options) {
    app.add_option("--device", options.device,
                   "describe only this one: a node's path, pci:0000:00:02.0, a driver's name or "
                   "model:CHIP");
    app.add_flag("--json", options.json, "print JSON");
    CLI::Option* load = app.add_flag(
        "--load", options.load,
        "load the driver of an Intel display device that has none, even if it is blacklisted");
    app.add_flag("--no-load", options.no_load,
                 "load no driver, not even one that is missing and not blacklisted")
        ->excludes(load);
}

/// The model executes the whole command line anew; its first word was taken off by the dispatcher.
void enter_model_if_asked(const std::string& device, int argc, char** argv) {
    std::string program = "gem-upload";
    std::vector<char*> whole(argv, argv + argc);
    whole.insert(whole.begin(), program.data());
    whole.push_back(nullptr);
    model::enter_model_if_asked(device, argc + 1, whole.data());
}

std::string load_driver(const DevicesOptions& options) {
    const bool real_machine = !model::on_model();
    return real_machine && !options.no_load ? drm::load_driver_if_needed(options.load) : "";
}

std::vector<drm::Device> devices_asked_for(const DevicesOptions& options) {
    if (!options.device.empty()) {
        return {drm::select_device(options.device)};
    }
    return drm::find_devices();
}

bool any_measurable(const std::vector<drm::Device>& devices) {
    return std::ranges::find(devices, "i915", &drm::Device::driver) != devices.end();
}

} // namespace

int devices_main(int argc, char** argv) {
    DevicesOptions options;
    CLI::App app("List the GPUs, and for each method whether it can run there.",
                 "gem-upload devices");
    add_options(app, options);
    if (const std::optional<int> status = parse_command_line(app, argc, argv)) {
        return *status;
    }
    enter_model_if_asked(options.device, argc, argv);
    const std::string driver_loading = load_driver(options);
    const std::vector<drm::Device> devices = devices_asked_for(options);
    DevicesReport report = gather_devices(devices, bench::all_methods());
    report.driver_loading = driver_loading;
    if (!any_measurable(devices)) {
        report.no_gpu = drm::why_no_gpu(devices, drm::look_around());
    }
    fmt::print("{}", options.json ? devices_json(report) : devices_text(report));
    return 0;
}

} // namespace gem_upload::tools
