#include "model/pci/device.h"
#include "model/pci/gpu.h"
#include "model/pci/profile.h"

namespace gem_upload::model::pci {

std::vector<const Profile*> profiles() {
    std::vector<const Profile*> all{&g33_profile, &snb_profile};
    for (const auto& later : {gen8_profiles(), gen11_profiles()}) {
        for (const Profile& profile : later) {
            all.push_back(&profile);
        }
    }
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
