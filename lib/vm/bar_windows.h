// Where a function's BARs lie in the guest: QEMU's messages name absolute addresses.
#pragma once

#include "model/pci/function.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gem_upload::vm {

struct BarWindow {
    unsigned bar;
    bool memory; ///< not I/O space
    std::uint64_t address;
    std::uint64_t bytes;
};

struct BarPlace {
    unsigned bar;
    std::uint64_t offset;
};

/// As the function's configuration space has them now.
[[nodiscard]] std::vector<BarWindow> bar_windows(model::pci::Function& function);
/// Where an access of BYTES bytes goes; nothing where no BAR holds it whole.
[[nodiscard]] std::optional<BarPlace> find_bar(const std::vector<BarWindow>& windows, bool memory,
                                               std::uint64_t address, unsigned bytes);

} // namespace gem_upload::vm
