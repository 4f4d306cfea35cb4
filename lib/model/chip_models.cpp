#include "model/gpu.h"
#include "model/sizes.h"

#include <algorithm>
#include <array>

namespace gem_upload::model {
namespace {

// Sources: kernel drivers/gpu/drm/i915/i915_pci.c (features), gt/intel_ggtt_fencing.c (fences,
// swizzling; two equal DIMM channels are assumed up to gen6), gt/intel_ggtt.c (the address space's
// size follows from the table the BIOS sets aside: 256 KiB on G33, 512 KiB on G45, 2 MiB on Sandy
// Bridge, 8 MiB of 8-byte entries from gen8), gem/i915_gem_pwrite, i915_gem_execbuffer.c and
// i915_gem_mman.c (what is accepted), gt/uc/intel_uc.c, uc_expand_default_options() (the GuC),
// gt/intel_sseu.c (the most units; those of a chip are those of its GT). BAR 2 is the usual 256
// MiB. Ids and names: i915_pciids.h.

/// What tells a chip from others of the same features.
struct Identity {
    std::string_view name;
    std::string_view alias;
    std::string_view title;
    std::uint16_t device_id;
    std::uint8_t revision;
};

constexpr ChipModel chip(const Identity& identity, ChipModel features) {
    features.name = identity.name;
    features.alias = identity.alias;
    features.title = identity.title;
    features.device_id = identity.device_id;
    features.revision = identity.revision;
    return features;
}

/// GEN9_FEATURES: Skylake to Comet Lake.
constexpr ChipModel gen9{.name = {},
                         .alias = {},
                         .title = {},
                         .device_id = 0,
                         .revision = 0,
                         .generation = 9,
                         .version = 90,
                         .llc = true,
                         .snoop = false,
                         .bsd_ring = true,
                         .blt_ring = true,
                         .vebox_ring = true,
                         .coherent_ggtt = true,
                         .fences = 32,
                         .ppgtt = Ppgtt::full,
                         .address_bits = 48,
                         .ggtt_bytes = 4 * gib,
                         .aperture_bytes = 256 * mib,
                         .swizzle_x = Swizzle::none,
                         .swizzle_y = Swizzle::none,
                         .contexts = true,
                         .pwrite = true,
                         .relocations = true,
                         .legacy_mmap = true,
                         .userptr = true,
                         .pat = true,
                         .second_bsd_ring = false,
                         .guc = Guc::unused,
                         .topology = {3, 4, 8, 3}};

/// GEN11_FEATURES. VIDEO_RINGS: none fused off.
constexpr ChipModel gen11(unsigned address_bits, int video_rings, Topology topology) {
    ChipModel features = gen9;
    features.generation = 11;
    features.version = 110;
    features.coherent_ggtt = false;
    features.address_bits = address_bits;
    features.second_bsd_ring = video_rings == 2;
    features.topology = topology;
    return features;
}

/// GEN12_FEATURES. Tiger Lake alone keeps pwrite and relocations.
constexpr ChipModel gen12(bool tiger_lake, int video_rings, Guc guc, unsigned subslices) {
    ChipModel features = gen11(48, video_rings, {1, 6, 16, subslices});
    features.generation = 12;
    features.version = 120;
    features.pwrite = tiger_lake;
    features.relocations = tiger_lake;
    features.guc = guc;
    return features;
}

constexpr std::array<ChipModel, 14> chips{{
    {.name = "g33",
     .alias = "bearlake",
     .title = "G33 (Bearlake)",
     .device_id = 0x29c2,
     .revision = 2,
     .generation = 3,
     .version = 30,
     .llc = false,
     .snoop = true,
     .bsd_ring = false,
     .blt_ring = false,
     .vebox_ring = false,
     .coherent_ggtt = true,
     .fences = 16,
     .ppgtt = Ppgtt::none,
     .address_bits = 32,
     .ggtt_bytes = 256 * mib,
     .aperture_bytes = 256 * mib,
     .swizzle_x = Swizzle::bits_9_10,
     .swizzle_y = Swizzle::bits_9,
     .contexts = false,
     .pwrite = true,
     .relocations = true,
     .legacy_mmap = true,
     .userptr = true,
     .pat = true},
    {.name = "g45",
     .alias = "eaglelake",
     .title = "G45 (Eaglelake)",
     .device_id = 0x2e22,
     .revision = 3,
     .generation = 4,
     .version = 45,
     .llc = false,
     .snoop = true,
     .bsd_ring = true,
     .blt_ring = false,
     .vebox_ring = false,
     .coherent_ggtt = true,
     .fences = 16,
     .ppgtt = Ppgtt::none,
     .address_bits = 32,
     .ggtt_bytes = 256 * mib,
     .aperture_bytes = 256 * mib,
     .swizzle_x = Swizzle::bits_9_10,
     .swizzle_y = Swizzle::bits_9,
     .contexts = false,
     .pwrite = true,
     .relocations = true,
     .legacy_mmap = true,
     .userptr = true,
     .pat = true},
    {.name = "snb",
     .alias = "sandybridge",
     .title = "Sandy Bridge mobile GT2",
     .device_id = 0x0126,
     .revision = 9,
     .generation = 6,
     .version = 60,
     .llc = true,
     .snoop = false,
     .bsd_ring = true,
     .blt_ring = true,
     .vebox_ring = false,
     .coherent_ggtt = true,
     .fences = 16,
     .ppgtt = Ppgtt::aliasing,
     .address_bits = 31,
     .ggtt_bytes = 2 * gib,
     .aperture_bytes = 256 * mib,
     .swizzle_x = Swizzle::bits_9_10,
     .swizzle_y = Swizzle::bits_9,
     .contexts = true,
     .pwrite = true,
     .relocations = true,
     .legacy_mmap = true,
     .userptr = true,
     .pat = true},
    {.name = "bdw",
     .alias = "broadwell",
     .title = "Broadwell ULT GT2",
     .device_id = 0x1616,
     .revision = 9,
     .generation = 8,
     .version = 80,
     .llc = true,
     .snoop = false,
     .bsd_ring = true,
     .blt_ring = true,
     .vebox_ring = true,
     .coherent_ggtt = true,
     .fences = 32,
     .ppgtt = Ppgtt::full,
     .address_bits = 48,
     .ggtt_bytes = 4 * gib,
     .aperture_bytes = 256 * mib,
     .swizzle_x = Swizzle::none,
     .swizzle_y = Swizzle::none,
     .contexts = true,
     .pwrite = true,
     .relocations = true,
     .legacy_mmap = true,
     .userptr = true,
     .pat = true,
     .second_bsd_ring = false,
     .guc = Guc::absent,
     .topology = {3, 3, 8, 3}},
    chip({"skl", "skylake", "Skylake desktop GT2", 0x1912, 6}, gen9),
    chip({"kbl", "kabylake", "Kaby Lake desktop GT2", 0x5912, 4}, gen9),
    chip({"cfl", "coffeelake", "Coffee Lake desktop GT2", 0x3e92, 0}, gen9),
    chip({"icl", "icelake", "Ice Lake mobile GT2", 0x8a52, 7}, gen11(48, 2, {1, 8, 8, 8})),
    chip({"jsl", "jasperlake", "Jasper Lake", 0x4e61, 1}, gen11(36, 1, {1, 4, 8, 4})),
    chip({"tgl", "tigerlake", "Tiger Lake mobile GT2", 0x9a49, 1}, gen12(true, 2, Guc::unused, 6)),
    chip({"rkl", "rocketlake", "Rocket Lake desktop GT1", 0x4c8a, 4},
         gen12(false, 1, Guc::unused, 2)),
    chip({"adls", "alderlake-s", "Alder Lake-S desktop GT1", 0x4680, 12},
         gen12(false, 2, Guc::authentication, 2)),
    chip({"adlp", "alderlake-p", "Alder Lake-P mobile GT2", 0x46a6, 12},
         gen12(false, 2, Guc::submission, 6)),
    chip({"rpls", "raptorlake-s", "Raptor Lake-S desktop GT1", 0xa780, 4},
         gen12(false, 2, Guc::submission, 2)),
}};

} // namespace

std::span<const ChipModel> chip_models() {
    return chips;
}

const ChipModel* find_chip_model(std::string_view name) {
    const auto chip = std::find_if(chips.begin(), chips.end(), [name](const ChipModel& candidate) {
        return candidate.name == name || candidate.alias == name;
    });
    return chip == chips.end() ? nullptr : &*chip;
}

} // namespace gem_upload::model
