#include "model/pci/journal.h"

#include <algorithm>
#include <fmt/format.h>

namespace gem_upload::model::pci {

void Journal::fault(const Fault& fault) {
    constexpr std::size_t limit = 100;
    auto& list = fault.unknown_command ? report_.unknown_commands : report_.faults;
    if (list.size() >= limit || std::find(list.begin(), list.end(), fault.what) != list.end()) {
        return;
    }
    list.push_back(fault.what);
    complain(fault.what);
}

void Journal::unknown_register(std::uint32_t offset, const std::string& name, bool written) {
    const auto [found, is_new] =
        unknown_.insert({offset, UnknownRegister{offset, name, false, false}});
    (written ? found->second.written : found->second.read) = true;
    if (is_new) {
        complain(fmt::format("unknown register {:#x} ({}) was {}", offset, name,
                             written ? "written" : "read"));
    }
}

Report Journal::report() const {
    Report report = report_;
    for (const auto& [offset, unknown] : unknown_) {
        report.unknown_registers.push_back(unknown);
    }
    return report;
}

void Journal::complain(const std::string& sentence) const {
    if (complaint_ != nullptr) {
        complaint_(sentence);
    }
}

} // namespace gem_upload::model::pci
