// Worse than useless: a chip that allows what the kernel refuses on it, for then a benchmark passes
// here and fails on the machine. Expected values: the platform and gate tables of the hardware
// reference, typed in here from there, and PCI ids from include/drm/i915_pciids.h.
#include "model/gpu.h"

#include <gtest/gtest.h>
#include <set>

namespace gem_upload::model {
namespace {

struct Expected {
    std::string_view name;
    std::uint16_t device_id;
    int generation;
    bool llc;
    bool blt_ring;
    bool coherent_ggtt;
    int fences;
    unsigned address_bits;
    bool pwrite_and_relocations;
};

constexpr Expected expected[] = {
    {"g33", 0x29c2, 3, false, false, true, 16, 32, true},
    {"g45", 0x2e22, 4, false, false, true, 16, 32, true},
    {"snb", 0x0126, 6, true, true, true, 16, 31, true},
    {"bdw", 0x1616, 8, true, true, true, 32, 48, true},
    {"skl", 0x1912, 9, true, true, true, 32, 48, true},
    {"kbl", 0x5912, 9, true, true, true, 32, 48, true},
    {"cfl", 0x3e92, 9, true, true, true, 32, 48, true},
    {"icl", 0x8a52, 11, true, true, false, 32, 48, true},
    {"jsl", 0x4e61, 11, true, true, false, 32, 36, true},
    {"tgl", 0x9a49, 12, true, true, false, 32, 48, true},
    {"rkl", 0x4c8a, 12, true, true, false, 32, 48, false},
    {"adls", 0x4680, 12, true, true, false, 32, 48, false},
    {"adlp", 0x46a6, 12, true, true, false, 32, 48, false},
    {"rpls", 0xa780, 12, true, true, false, 32, 48, false},
};

TEST(ChipModels, AreWhatTheReferenceSays) {
    EXPECT_EQ(chip_models().size(), std::size(expected));
    for (const Expected& row : expected) {
        const ChipModel* chip = find_chip_model(row.name);
        ASSERT_NE(chip, nullptr) << row.name;
        EXPECT_EQ(chip->device_id, row.device_id) << row.name;
        EXPECT_EQ(chip->generation, row.generation) << row.name;
        EXPECT_EQ(chip->llc, row.llc) << row.name;
        EXPECT_EQ(chip->snoop, !row.llc) << row.name; // none of them is a 965G
        EXPECT_EQ(chip->blt_ring, row.blt_ring) << row.name;
        EXPECT_EQ(chip->coherent_ggtt, row.coherent_ggtt) << row.name;
        EXPECT_EQ(chip->fences, row.fences) << row.name;
        EXPECT_EQ(chip->address_bits, row.address_bits) << row.name;
        EXPECT_EQ(chip->pwrite, row.pwrite_and_relocations) << row.name;
        EXPECT_EQ(chip->relocations, row.pwrite_and_relocations) << row.name;
        EXPECT_TRUE(chip->legacy_mmap) << row.name; // all integrated, none beyond 12.0
        EXPECT_TRUE(chip->userptr) << row.name;     // all have LLC or snooping
        EXPECT_EQ(chip->contexts, row.generation >= 6) << row.name;
        EXPECT_EQ(chip->aperture_bytes, 256U << 20U) << row.name;
        EXPECT_GE(chip->ggtt_bytes, chip->aperture_bytes) << row.name;
        EXPECT_EQ(chip->version / 10, row.generation) << row.name;
    }
}

TEST(ChipModels, AddressSpaces) {
    EXPECT_EQ(find_chip_model("g45")->ppgtt, Ppgtt::none);
    EXPECT_EQ(find_chip_model("snb")->ppgtt, Ppgtt::aliasing);
    for (const ChipModel& chip : chip_models()) {
        EXPECT_EQ(chip.ppgtt == Ppgtt::full, chip.generation >= 8) << chip.name;
    }
    EXPECT_EQ(static_cast<int>(Ppgtt::full), 2); // the uAPI's value
}

TEST(ChipModels, FoldNoAddressBitsFromGen8On) {
    for (const ChipModel& chip : chip_models()) {
        const bool folds = chip.generation < 8;
        EXPECT_EQ(chip.swizzle_x, folds ? Swizzle::bits_9_10 : Swizzle::none) << chip.name;
        EXPECT_EQ(chip.swizzle_y, folds ? Swizzle::bits_9 : Swizzle::none) << chip.name;
    }
}

TEST(ChipModels, NamesAndIdsAreUnique) {
    std::set<std::string_view> names;
    std::set<int> ids;
    for (const ChipModel& chip : chip_models()) {
        EXPECT_TRUE(names.insert(chip.name).second) << chip.name;
        EXPECT_TRUE(names.insert(chip.alias).second) << chip.alias;
        EXPECT_TRUE(ids.insert(chip.device_id).second) << chip.name;
        EXPECT_EQ(find_chip_model(chip.name), &chip);
        EXPECT_EQ(find_chip_model(chip.alias), &chip);
    }
}

TEST(ChipModels, AnUnknownNameIsNoChip) {
    EXPECT_EQ(find_chip_model(""), nullptr);
    EXPECT_EQ(find_chip_model("G45"), nullptr);
    EXPECT_EQ(find_chip_model("i965"), nullptr);
}

} // namespace
} // namespace gem_upload::model
