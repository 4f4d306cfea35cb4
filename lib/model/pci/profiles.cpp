#include "model/pci/device.h"
#include "model/pci/gpu.h"
#include "model/pci/profile.h"

namespace gem_upload::model::pci {
namespace {

const Profile* find_profile(const ChipModel* chip) {
    for (const Profile* profile : profiles()) {
        if (chip != nullptr && profile->chip == chip->name) {
            return profile;
        }
    }
    return nullptr;
}

} // namespace

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

std::string_view kernel_arguments(const ChipModel& chip) {
    const Profile* const profile = find_profile(&chip);
    return profile == nullptr ? std::string_view{} : profile->kernel_arguments;
}

std::unique_ptr<Gpu> make_gpu(std::string_view name, Machine& machine, const Settings& settings) {
    const ChipModel* const chip = find_chip_model(name);
    const Profile* const profile = find_profile(chip);
    return profile == nullptr ? nullptr
                              : std::make_unique<Device>(*profile, *chip, machine, settings);
}

} // namespace gem_upload::model::pci
