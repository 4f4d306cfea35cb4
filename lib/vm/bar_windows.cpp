#include "vm/bar_windows.h"

namespace gem_upload::vm {
namespace {

// PCI Local Bus Specification 3.0, 6.2.5.1.
constexpr std::uint32_t first_bar = 0x10;
constexpr unsigned most_bars = 6;
constexpr std::uint32_t io_space = 1;
constexpr std::uint32_t type_mask = 6;
constexpr std::uint32_t type_64_bit = 4;

} // namespace

std::vector<BarWindow> bar_windows(model::pci::Function& function) {
    std::vector<BarWindow> windows;
    for (unsigned bar = 0; bar < most_bars; ++bar) {
        const std::uint64_t bytes = function.bar_bytes(bar);
        if (bytes == 0) {
            continue;
        }
        const std::uint32_t low = function.read_config(first_bar + 4 * bar, 4);
        if ((low & io_space) != 0) {
            windows.push_back({bar, false, low & ~std::uint32_t{3}, bytes});
            continue;
        }
        std::uint64_t address = low & ~std::uint32_t{15};
        if ((low & type_mask) == type_64_bit) {
            address |= std::uint64_t{function.read_config(first_bar + 4 * bar + 4, 4)} << 32U;
        }
        windows.push_back({bar, true, address, bytes});
    }
    return windows;
}

std::optional<BarPlace> find_bar(const std::vector<BarWindow>& windows, bool memory,
                                 std::uint64_t address, unsigned bytes) {
    for (const BarWindow& window : windows) {
        if (window.memory != memory || address < window.address) {
            continue;
        }
        const std::uint64_t offset = address - window.address;
        if (offset < window.bytes && bytes <= window.bytes - offset) {
            return BarPlace{window.bar, offset};
        }
    }
    return std::nullopt;
}

} // namespace gem_upload::vm
