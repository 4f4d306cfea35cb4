#include "vm_report.h"

#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace gem_upload::tools {
namespace {

using nlohmann::json;

template <typename T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json(nullptr);
}

json device_json(const vm::DeviceReport& device) {
    json engines = json::array();
    for (const model::pci::EngineReport& engine : device.gpu.engines) {
        engines.push_back({{"name", engine.name},
                           {"batches", engine.batches},
                           {"commands", engine.commands},
                           {"resets", engine.resets}});
    }
    json registers = json::array();
    for (const model::pci::UnknownRegister& unknown : device.gpu.unknown_registers) {
        registers.push_back({{"offset", unknown.offset},
                             {"near", unknown.near},
                             {"read", unknown.read},
                             {"written", unknown.written}});
    }
    return {{"complete", device.complete},
            {"engines", engines},
            {"interrupts", device.gpu.interrupts},
            {"resets", device.gpu.resets},
            {"faults", device.gpu.faults},
            {"unknown_registers", registers},
            {"unknown_commands", device.gpu.unknown_commands},
            {"config_accesses", device.link.config_accesses},
            {"bar_accesses", device.link.bar_accesses},
            {"missed_accesses", device.link.missed_accesses},
            {"interrupt_trouble", device.link.trouble}};
}

json guest_json(const vm::GuestRecord& guest) {
    json modules = json::object();
    for (const auto& [module, error] : guest.modules) {
        modules[module] = error;
    }
    json nodes = json::object();
    for (const auto& [node, driver] : guest.nodes) {
        nodes[node] = driver;
    }
    const bool exited = guest.status && WIFEXITED(*guest.status);
    const bool killed = guest.status && WIFSIGNALED(*guest.status);
    return {{"release", guest.release},
            {"modules", modules},
            {"nodes", nodes},
            {"interrupts_before", or_null(guest.before)},
            {"interrupts_after", or_null(guest.after)},
            {"exit_status", exited ? json(WEXITSTATUS(*guest.status)) : json(nullptr)},
            {"signal", killed ? json(WTERMSIG(*guest.status)) : json(nullptr)}};
}

} // namespace

std::string vm_record_to_json(const VmOptions& options, const VmRecord& record) {
    json findings = json::array();
    for (const vm::Finding& finding : record.outcome.findings) {
        findings.push_back({{"kind", vm::trouble_name(finding.trouble)},
                            {"line", finding.line},
                            {"after_load", finding.after_load}});
    }
    const json gpu =
        options.chip == nullptr ? json(nullptr) : json("model:" + std::string(options.chip->name));
    const json whole = {
        {"outcome", vm::verdict_name(record.outcome.verdict)},
        {"status", record.outcome.status},
        {"sentence", record.outcome.sentence},
        {"kernel_log", findings},
        {"complaints", record.outcome.complaints},
        {"gpu", gpu},
        {"drivers", options.drivers},
        {"command", options.command},
        {"kernel", record.kernel},
        {"release", record.release},
        {"qemu", record.qemu},
        {"accelerator", options.kvm ? "kvm" : "tcg"},
        {"seconds",
         {{"user_space", or_null(record.times.user_space)},
          {"drivers", or_null(record.times.drivers)},
          {"command", or_null(record.times.command)},
          {"end", record.times.end}}},
        {"guest", guest_json(record.evidence.guest)},
        {"device", record.evidence.device ? device_json(*record.evidence.device) : json(nullptr)},
    };
    return whole.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace gem_upload::tools
