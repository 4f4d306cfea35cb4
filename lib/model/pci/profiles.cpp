#include "model/pci/device.h"
#include "model/pci/gpu.h"
#include "model/pci/profile.h"

#include <array>

namespace gem_upload::model::pci {

std::span<const Profile* const> profiles() {
    static constexpr std::array<const Profile*, 2> all{&g33_profile, &snb_profile};
    return all;
}

std::vector<const ChipModel*> gpu_chips() {
    std::vector<const ChipModel*> chips;
    for (const Profile* profile : profiles()) {
        chips.push_back(find_chip_model(profile->chip));
    }
    return chips;
}

std::unique_ptr<Gpu> make_gpu(std::string_view name, Machine& machine, const Settings& settings) {
    const ChipModel* chip = find_chip_model(name);
    for (const Profile* profile : profiles()) {
        if (chip != nullptr && profile->chip == chip->name) {
            return std::make_unique<Device>(*profile, *chip, machine, settings);
        }
    }
    return nullptr;
}

} // namespace gem_upload::model::pci
