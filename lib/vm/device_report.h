// What the device process tells at its end, in lines that travel over a descriptor.
#pragma once

#include "model/pci/gpu.h"
#include "vm/mpqemu_link.h"

#include <string>
#include <string_view>

namespace gem_upload::vm {

struct DeviceReport {
    bool complete = false; ///< it came to its end in order
    LinkReport link;
    model::pci::Report gpu{};

    /// Of all engines.
    [[nodiscard]] std::uint64_t batches() const;
};

[[nodiscard]] std::string report_to_text(const DeviceReport& report);
/// Lines that are not understood are left out; COMPLETE tells whether the last line was there.
[[nodiscard]] DeviceReport report_from_text(std::string_view text);

} // namespace gem_upload::vm
