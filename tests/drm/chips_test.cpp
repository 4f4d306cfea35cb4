// Worse than useless: a chip taken for another, so that a benchmark encodes blits for the wrong
// generation, asks for a ring that is not there, or skips flushes that the chip needs; or a
// refusal predicted where the kernel accepts. The ids are compared with two lists that others
// made (libdrm's and Mesa's, see data/make-lists), the properties with what i915 states.
#include "drm/chips.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gem_upload::drm {
namespace {

using Names = std::set<std::string, std::less<>>;

/// Rows "id,value" of a file in data/.
std::vector<std::pair<std::uint16_t, std::string>> read_rows(const std::string& name) {
    std::ifstream file(std::string(DRM_TEST_DATA) + "/" + name);
    std::vector<std::pair<std::uint16_t, std::string>> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        const std::size_t comma = line.find(',');
        rows.emplace_back(
            static_cast<std::uint16_t>(std::stoul(line.substr(0, comma), nullptr, 16)),
            line.substr(comma + 1));
    }
    return rows;
}

TEST(Chips, EveryIdOfLibdrmHasItsGeneration) {
    const auto rows = read_rows("libdrm_generations.csv");
    ASSERT_EQ(rows.size(), 356U);
    for (const auto& [id, generation] : rows) {
        const Chip* chip = find_chip(id);
        ASSERT_NE(chip, nullptr) << std::hex << id;
        EXPECT_EQ(std::to_string(chip->generation), generation) << std::hex << id;
    }
}

TEST(Chips, EveryIdOfMesaIsInItsFamily) {
    // Ids that neither Linux 6.1 nor 6.12 binds: unused Valleyview, Comet Lake and Elkhart Lake.
    const std::set<std::uint16_t> of_mesa_alone = {0x0155, 0x0157, 0x4500, 0x9ba0,
                                                   0x9bab, 0x9bc0, 0x9bcb};
    const std::map<std::string, Names> families = {
        {"i915", {"i915g", "i915gm"}},
        {"e7221", {"i915g"}},
        {"i945", {"i945g", "i945gm"}},
        {"g33", {"g33"}},
        {"q33", {"g33"}},
        {"q35", {"g33"}},
        {"pnv", {"pnv"}},
        {"i965", {"i965g", "i965gm"}},
        {"g4x", {"g45", "gm45"}},
        {"ilk", {"ilk"}},
        {"snb", {"snb"}},
        {"ivb", {"ivb"}},
        {"byt", {"vlv"}},
        {"hsw", {"hsw"}},
        {"bdw", {"bdw"}},
        {"chv", {"chv"}},
        {"skl", {"skl"}},
        {"bxt", {"bxt"}},
        {"glk", {"glk"}},
        {"kbl", {"kbl"}},
        {"cfl", {"cfl", "cml"}},
        {"icl", {"icl"}},
        {"ehl", {"ehl", "jsl"}},
        {"tgl", {"tgl"}},
        {"rkl", {"rkl"}},
        {"dg1", {"dg1"}},
        {"sg1", {"dg1"}},
        {"adl", {"adls", "adlp", "adln"}},
        {"rpl", {"rpls", "rplp"}},
        {"dg2", {"dg2", "atsm"}},
    };
    const auto rows = read_rows("mesa_families.csv");
    ASSERT_EQ(rows.size(), 334U);
    for (const auto& [id, family] : rows) {
        const Chip* chip = find_chip(id);
        if (of_mesa_alone.contains(id)) {
            EXPECT_EQ(chip, nullptr) << std::hex << id;
            continue;
        }
        ASSERT_NE(chip, nullptr) << std::hex << id;
        EXPECT_TRUE(families.at(family).contains(chip->name)) << std::hex << id << chip->name;
    }
}

TEST(Chips, NoIdAndNoNameTwice) {
    std::set<std::uint16_t> ids;
    Names names;
    for (const ChipFamily& family : chip_families()) {
        EXPECT_TRUE(names.emplace(family.chip.name).second) << family.chip.name;
        EXPECT_FALSE(family.device_ids.empty()) << family.chip.name;
        for (const std::uint16_t id : family.device_ids) {
            EXPECT_TRUE(ids.insert(id).second) << std::hex << id;
            EXPECT_EQ(find_chip(id), &family.chip);
        }
    }
}

TEST(Chips, UnknownIdsAreUnknown) {
    for (const unsigned id : {0x0000U, 0xffffU, 0x7121U /* i810 */, 0x1132U /* i815 */}) {
        EXPECT_EQ(find_chip(static_cast<std::uint16_t>(id)), nullptr) << std::hex << id;
    }
}

/// The names of the families for which a property holds.
template <typename Property>
Names names_where(Property property) {
    Names names;
    for (const ChipFamily& family : chip_families()) {
        if (property(family.chip)) {
            names.emplace(family.chip.name);
        }
    }
    return names;
}

const Names gen2_to_5 = {"i830", "i845g", "i85x",  "i865g",  "i915g", "i915gm", "i945g", "i945gm",
                         "g33",  "pnv",   "i965g", "i965gm", "g45",   "gm45",   "ilk"};
const Names gen6_to_11 = {"snb", "ivb", "vlv", "hsw", "bdw", "chv", "skl", "bxt",
                          "kbl", "glk", "cfl", "cml", "cnl", "icl", "ehl", "jsl"};
const Names gen12_of_i915 = {"tgl",  "rkl",  "dg1", "adls", "adlp", "adln",
                             "rpls", "rplp", "dg2", "atsm", "mtl",  "arl"};
const Names of_xe = {"pvc", "lnl", "bmg", "ptl", "wcl", "nvls", "nvlp", "cri"};

Names joined(Names left, const Names& right) {
    left.insert(right.begin(), right.end());
    return left;
}

Names without(Names left, const Names& right) {
    std::erase_if(left, [&](const std::string& name) { return right.contains(name); });
    return left;
}

TEST(Chips, LlcAsI915States) {
    const Names expected = {"snb",  "ivb",  "hsw",  "bdw",  "skl", "kbl", "cfl",
                            "cml",  "cnl",  "icl",  "ehl",  "jsl", "tgl", "rkl",
                            "adls", "adlp", "adln", "rpls", "rplp"};
    EXPECT_EQ(names_where([](const Chip& chip) { return chip.llc; }), expected);
}

TEST(Chips, BlitterEngineFromGen6) {
    EXPECT_EQ(names_where([](const Chip& chip) { return !chip.blt_ring; }), gen2_to_5);
}

TEST(Chips, RelocationsAndPwriteUpToTigerLake) {
    const Names expected = joined(joined(gen2_to_5, gen6_to_11), {"tgl"});
    EXPECT_EQ(names_where([](const Chip& chip) { return chip.relocations; }), expected);
    EXPECT_EQ(names_where([](const Chip& chip) { return chip.pwrite; }), expected);
}

TEST(Chips, LegacyMmapUpToIntegrated12) {
    const Names expected = joined(joined(gen2_to_5, gen6_to_11),
                                  {"tgl", "rkl", "adls", "adlp", "adln", "rpls", "rplp"});
    EXPECT_EQ(names_where([](const Chip& chip) { return chip.legacy_mmap; }), expected);
    EXPECT_EQ(names_where([](const Chip& chip) { return chip.aperture; }), expected);
}

TEST(Chips, DiscreteParts) {
    const Names expected = {"dg1", "dg2", "atsm", "pvc", "bmg", "cri"};
    EXPECT_EQ(names_where([](const Chip& chip) { return !chip.integrated; }), expected);
}

TEST(Chips, AddressSpaces) {
    const auto of_bits = [](int bits) {
        return names_where([bits](const Chip& chip) { return chip.address_bits == bits; });
    };
    EXPECT_EQ(of_bits(32), joined(gen2_to_5, {"chv"}));
    EXPECT_EQ(of_bits(31), (Names{"snb", "ivb", "vlv", "hsw"}));
    EXPECT_EQ(of_bits(36), (Names{"ehl", "jsl"}));
    EXPECT_EQ(of_bits(47), Names{"dg1"});
    const Names shared = joined(gen2_to_5, {"snb", "ivb", "vlv", "hsw"});
    EXPECT_EQ(names_where([](const Chip& chip) { return !chip.full_ppgtt; }), shared);
    EXPECT_EQ(of_bits(48), without(joined(joined(gen6_to_11, gen12_of_i915), of_xe),
                                   {"snb", "ivb", "vlv", "hsw", "chv", "ehl", "jsl", "dg1"}));
}

TEST(Chips, DriverThatBindsThem) {
    EXPECT_EQ(names_where([](const Chip& chip) { return chip.kernel_driver == "xe"; }), of_xe);
    EXPECT_EQ(names_where([](const Chip& chip) { return chip.kernel_driver == "i915"; }),
              joined(joined(gen2_to_5, gen6_to_11), gen12_of_i915));
}

TEST(Chips, Generation12IsToldApart) {
    EXPECT_EQ(find_chip(0x9a49)->version, 1200); // Tiger Lake
    EXPECT_EQ(find_chip(0x4905)->version, 1210); // DG1
    EXPECT_EQ(find_chip(0x56a0)->version, 1255); // DG2
    EXPECT_EQ(find_chip(0x7d55)->version, 1270); // Meteor Lake
    EXPECT_EQ(find_chip(0x2e22)->version, 400);  // G45
}

} // namespace
} // namespace gem_upload::drm
