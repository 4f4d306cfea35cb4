// What a device says of itself: its trace, its complaints and its report.
#pragma once

#include "model/gpu.h"
#include "model/pci/gpu.h"

#include <cstdint>
#include <map>
#include <string>

namespace gem_upload::model::pci {

/// Not synchronised: used under the device's lock.
class Journal {
public:
    explicit Journal(const Settings& settings)
        : trace_(settings.trace), complaint_(settings.complaint) {}

    /// Whether lines are wanted: making them costs time.
    [[nodiscard]] bool traces() const { return trace_ != nullptr; }
    void trace(const std::string& line) const { trace_(line); }

    /// Each once.
    void fault(const Fault& fault);
    /// NAME is that of the closest known register.
    void unknown_register(std::uint32_t offset, const std::string& name, bool written);

    void count_interrupt() { ++report_.interrupts; }
    void count_reset() { ++report_.resets; }

    /// Without the engines' part.
    [[nodiscard]] Report report() const;

private:
    void complain(const std::string& sentence) const;

    std::function<void(std::string_view)> trace_;
    std::function<void(std::string_view)> complaint_;
    Report report_{};
    std::map<std::uint32_t, UnknownRegister> unknown_;
};

} // namespace gem_upload::model::pci
