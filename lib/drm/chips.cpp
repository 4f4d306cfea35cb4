#include "drm/chips.h"

#include "drm/chip_ids.h"

#include <algorithm>

namespace gem_upload::drm {
namespace {

/// What a row of the table says; the rest follows from it as it does in the kernel.
struct Row {
    std::string_view name;
    std::string_view title;
    int version;
    bool llc = false;
    bool discrete = false;
    bool aperture = true; ///< false: an integrated part whose BAR 2 is not a GGTT aperture
    int address_bits = 0; ///< 0: what its generation usually has
    bool xe = false;      ///< driven by xe alone
    bool classic = false; ///< keeps relocations and pwrite though gen12: Tiger Lake alone
};

constexpr int usual_address_bits(int generation) {
    return generation >= 8 ? 48 : generation >= 6 ? 31 : 32;
}

constexpr ChipFamily describe(const Row& row, std::span<const std::uint16_t> device_ids) {
    const int generation = row.version / 100;
    const bool classic = !row.xe && (generation < 12 || row.classic);
    return {
        {.name = row.name,
         .title = row.title,
         .generation = generation,
         .llc = row.llc,
         .blt_ring = generation >= 6,
         .relocations = classic,
         .pwrite = classic,
         .legacy_mmap = !row.xe && !row.discrete && row.version <= 1200,
         .version = row.version,
         .integrated = !row.discrete,
         .aperture = !row.xe && !row.discrete && row.aperture,
         .address_bits = row.address_bits != 0 ? row.address_bits : usual_address_bits(generation),
         .full_ppgtt = generation >= 8,
         .kernel_driver = row.xe ? "xe" : "i915"},
        device_ids};
}

constexpr ChipFamily families[] = {
    describe({.name = "i830", .title = "830M", .version = 200}, ids::i830),
    describe({.name = "i845g", .title = "845G", .version = 200}, ids::i845g),
    describe({.name = "i85x", .title = "852GM / 855GM", .version = 200}, ids::i85x),
    describe({.name = "i865g", .title = "865G", .version = 200}, ids::i865g),
    describe({.name = "i915g", .title = "915G / E7221", .version = 300}, ids::i915g),
    describe({.name = "i915gm", .title = "915GM", .version = 300}, ids::i915gm),
    describe({.name = "i945g", .title = "945G", .version = 300}, ids::i945g),
    describe({.name = "i945gm", .title = "945GM / 945GME", .version = 300}, ids::i945gm),
    describe({.name = "g33", .title = "G33 / Q33 / Q35 (Bearlake)", .version = 300}, ids::g33),
    describe({.name = "pnv", .title = "Pineview", .version = 300}, ids::pnv),
    describe({.name = "i965g", .title = "965G / 965Q / 946GZ / G35 (Broadwater)", .version = 400},
             ids::i965g),
    describe({.name = "i965gm", .title = "965GM / 965GME (Crestline)", .version = 400},
             ids::i965gm),
    describe({.name = "g45", .title = "G45 / Q45 / G41 / B43 (Eaglelake)", .version = 400},
             ids::g45),
    describe({.name = "gm45", .title = "GM45 (Cantiga)", .version = 400}, ids::gm45),
    describe({.name = "ilk", .title = "Ironlake", .version = 500}, ids::ilk),
    describe({.name = "snb", .title = "Sandy Bridge", .version = 600, .llc = true}, ids::snb),
    describe({.name = "ivb", .title = "Ivy Bridge", .version = 700, .llc = true}, ids::ivb),
    describe({.name = "vlv", .title = "Valleyview (Bay Trail)", .version = 700}, ids::vlv),
    describe({.name = "hsw", .title = "Haswell", .version = 700, .llc = true}, ids::hsw),
    describe({.name = "bdw", .title = "Broadwell", .version = 800, .llc = true}, ids::bdw),
    describe({.name = "chv", .title = "Cherryview (Braswell)", .version = 800, .address_bits = 32},
             ids::chv),
    describe({.name = "skl", .title = "Skylake", .version = 900, .llc = true}, ids::skl),
    describe({.name = "bxt", .title = "Broxton (Apollo Lake)", .version = 900}, ids::bxt),
    describe({.name = "kbl", .title = "Kaby Lake / Amber Lake", .version = 900, .llc = true},
             ids::kbl),
    describe({.name = "glk", .title = "Gemini Lake", .version = 900}, ids::glk),
    describe({.name = "cfl", .title = "Coffee Lake / Whiskey Lake", .version = 900, .llc = true},
             ids::cfl),
    describe({.name = "cml", .title = "Comet Lake", .version = 900, .llc = true}, ids::cml),
    describe({.name = "cnl", .title = "Cannon Lake", .version = 1000, .llc = true}, ids::cnl),
    describe({.name = "icl", .title = "Ice Lake", .version = 1100, .llc = true}, ids::icl),
    describe(
        {.name = "ehl", .title = "Elkhart Lake", .version = 1100, .llc = true, .address_bits = 36},
        ids::ehl),
    describe(
        {.name = "jsl", .title = "Jasper Lake", .version = 1100, .llc = true, .address_bits = 36},
        ids::jsl),
    describe({.name = "tgl", .title = "Tiger Lake", .version = 1200, .llc = true, .classic = true},
             ids::tgl),
    describe({.name = "rkl", .title = "Rocket Lake", .version = 1200, .llc = true}, ids::rkl),
    describe({.name = "dg1",
              .title = "DG1 / SG1",
              .version = 1210,
              .discrete = true,
              .address_bits = 47},
             ids::dg1),
    describe({.name = "adls", .title = "Alder Lake-S", .version = 1200, .llc = true}, ids::adls),
    describe({.name = "adlp", .title = "Alder Lake-P", .version = 1200, .llc = true}, ids::adlp),
    describe({.name = "adln", .title = "Alder Lake-N / Twin Lake", .version = 1200, .llc = true},
             ids::adln),
    describe({.name = "rpls", .title = "Raptor Lake-S", .version = 1200, .llc = true}, ids::rpls),
    describe(
        {.name = "rplp", .title = "Raptor Lake-P / Raptor Lake-U", .version = 1200, .llc = true},
        ids::rplp),
    describe({.name = "dg2", .title = "DG2 (Arc Alchemist)", .version = 1255, .discrete = true},
             ids::dg2),
    describe({.name = "atsm",
              .title = "ATS-M (Data Center GPU Flex)",
              .version = 1255,
              .discrete = true},
             ids::atsm),
    describe({.name = "mtl", .title = "Meteor Lake", .version = 1270, .aperture = false}, ids::mtl),
    describe({.name = "arl", .title = "Arrow Lake", .version = 1270, .aperture = false}, ids::arl),
    describe(
        {.name = "pvc", .title = "Ponte Vecchio", .version = 1260, .discrete = true, .xe = true},
        ids::pvc),
    describe({.name = "lnl", .title = "Lunar Lake", .version = 2004, .xe = true}, ids::lnl),
    describe({.name = "bmg", .title = "Battlemage", .version = 2001, .discrete = true, .xe = true},
             ids::bmg),
    describe({.name = "ptl", .title = "Panther Lake", .version = 3000, .xe = true}, ids::ptl),
    describe({.name = "wcl", .title = "Wildcat Lake", .version = 3003, .xe = true}, ids::wcl),
    describe({.name = "nvls", .title = "Nova Lake-S", .version = 3004, .xe = true}, ids::nvls),
    describe({.name = "nvlp", .title = "Nova Lake-P", .version = 3510, .xe = true}, ids::nvlp),
    describe(
        {.name = "cri", .title = "Crescent Island", .version = 3511, .discrete = true, .xe = true},
        ids::cri),
};

} // namespace

std::span<const ChipFamily> chip_families() {
    return families;
}

const Chip* find_chip(std::uint16_t device_id) {
    for (const ChipFamily& family : families) {
        if (std::ranges::find(family.device_ids, device_id) != family.device_ids.end()) {
            return &family.chip;
        }
    }
    return nullptr;
}

} // namespace gem_upload::drm
