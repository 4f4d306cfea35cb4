// Worse than useless: a model that lets through what i915 refuses, or refuses what it allows, so
// that programs tested on it fail on real machines. The expected answers are those of the kernel:
// drivers/gpu/drm/i915 of 6.1, as the tables in i915_gem*.c read (and, for what differs between
// chips, the platform table and "What i915 allows" of the hardware notes).
#include "model_programs.h"

#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

namespace gem_upload::test {
namespace {

using Answers = std::map<std::string, std::string>;

Answers answers_of(const std::string& chip) {
    const Outcome outcome = run_on_model(chip, {}, {program("RAW_CALLS")});
    EXPECT_EQ(outcome.status, 0) << chip << "\n" << outcome.err;
    Answers answers;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        answers[line.substr(0, colon)] = line.substr(colon + 2);
    }
    return answers;
}

void expect_answers(const std::string& chip, const Answers& found, const Answers& expected) {
    for (const auto& [question, answer] : expected) {
        const auto entry = found.find(question);
        ASSERT_NE(entry, found.end()) << chip << ": nobody asked '" << question << "'";
        EXPECT_EQ(entry->second, answer) << chip << ": " << question;
    }
}

const Answers& the_same_everywhere() {
    static const Answers answers{
        {"PWRITE nothing", "0"}, // asked of a chip with pwrite only
        {"MMAP", "0"},
        {"MMAP WC", "0"},
        {"MMAP unknown flag", "EINVAL"},
        {"MMAP too long", "EINVAL"},
        {"OFFSET GTT", "0"},
        {"OFFSET WC", "0"},
        {"OFFSET WB", "0"},
        {"OFFSET UC", "0"},
        {"OFFSET FIXED", "ENODEV"},
        {"OFFSET unknown", "EINVAL"},
        {"MMAP_GTT", "0"},
        {"mmap", "0"},
        {"mmap nowhere", "EINVAL"},
        {"mmap too long", "EINVAL"},
        {"SET_DOMAIN CPU CPU", "0"},
        {"SET_DOMAIN GTT 0", "0"},
        {"SET_DOMAIN WC WC", "0"},
        {"SET_DOMAIN CPU GTT", "EINVAL"},
        {"SET_DOMAIN RENDER 0", "EINVAL"},
        {"SET_DOMAIN nothing", "0"},
        {"SET_DOMAIN no object", "ENOENT"},
        {"SW_FINISH", "0"},
        {"SW_FINISH no object", "ENOENT"},
        {"SET_TILING X 1024", "0"},
        {"SET_TILING X 100", "EINVAL"},
        {"SET_TILING NONE", "0"},
        {"SET_CACHING CACHED", "0"},
        {"SET_CACHING NONE", "0"},
        {"SET_CACHING unknown", "EINVAL"},
        {"MADVISE", "0"},
        {"CONTEXT persistent", "0"},
        {"MADVISE unknown", "EINVAL"},
        {"CREATE nothing", "EINVAL"},
        {"CLOSE", "0"},
        {"CLOSE again", "EINVAL"},
        {"USERPTR", "0"},
        {"USERPTR misaligned", "EINVAL"},
        {"USERPTR nothing", "EINVAL"},
        {"USERPTR mmap", "ENXIO"},
        {"USERPTR offset", "ENODEV"},
        {"USERPTR tiling", "ENXIO"},
        {"EXEC", "0"},
        {"EXEC render", "0"},
        {"EXEC unknown ring", "EINVAL"},
        {"EXEC no object", "ENOENT"},
        {"EXEC twice the same", "0"},
        {"EXEC no objects", "EINVAL"},
        {"EXEC odd length", "EINVAL"},
        {"EXEC batch too long", "EINVAL"},
        {"EXEC alignment 3", "EINVAL"},
        {"EXEC unknown object flag", "EINVAL"},
        {"EXEC writing batch", "EINVAL"},
        {"EXEC no context", "ENOENT"},
        {"EXEC pinned", "0"},
        {"EXEC pinned over each other", "ENOSPC"},
        {"EXEC pinned misaligned", "EINVAL"},
        {"EXEC pinned above 4 GiB", "EINVAL"},
        {"EXEC pinned, not canonical", "EINVAL"},
        {"PARAM mmap version", "4"},
        {"PARAM unknown", "EINVAL"},
        {"WAIT idle", "0"},
        {"WAIT unknown flag", "EINVAL"},
        {"GET_MAGIC on a render node", "EACCES"},
        {"not an ioctl", "EINVAL"},
    };
    return answers;
}

// Up to Gen11, and Tiger Lake: PWRITE, PREAD and relocations.
const Answers with_pwrite{
    {"PWRITE", "0"},
    {"PWRITE past the end", "EINVAL"},
    {"PWRITE overflowing", "EINVAL"},
    {"PWRITE no object", "ENOENT"},
    {"PREAD", "0"},
    {"USERPTR pwrite", "EINVAL"},
    {"EXEC relocation", "0"},
    {"EXEC relocation by index", "0"},
    {"EXEC relocation past the end", "EINVAL"},
    {"EXEC relocation misaligned", "EINVAL"},
    {"EXEC relocation to no object", "ENOENT"},
    {"EXEC relocation in CPU domain", "EINVAL"},
};

// Rocket Lake, Alder Lake and later have neither.
const Answers without_pwrite{
    {"PWRITE", "EOPNOTSUPP"},      {"PWRITE nothing", "EOPNOTSUPP"},
    {"PREAD", "EOPNOTSUPP"},       {"USERPTR pwrite", "EOPNOTSUPP"},
    {"EXEC relocation", "EINVAL"}, {"EXEC relocation by index", "EINVAL"},
};

const Answers without_blitter_ring{
    {"EXEC blt", "EINVAL"}, {"PARAM BLT", "0"}, {"CONTEXT_CREATE", "ENODEV"}};
const Answers with_blitter_ring{{"EXEC blt", "0"}, {"PARAM BLT", "1"}, {"CONTEXT_CREATE", "0"}};
const Answers addresses_above_4_gib{{"EXEC pinned above 4 GiB, 48 bit", "0"},
                                    {"EXEC pinned above 64 GiB, 48 bit", "0"},
                                    {"PARAM PPGTT", "2"}};
const Answers with_coherent_ggtt{{"PARAM coherent GGTT", "1"}};
const Answers without_coherent_ggtt{{"PARAM coherent GGTT", "0"}};

// num_vcs_engines() > 1: VCS0 and VCS2 of platform_engine_mask. With one, the flags that choose
// are not looked at.
const Answers one_video_ring{{"PARAM BSD2", "0"}, {"EXEC bsd, the third", "0"}};
const Answers two_video_rings{
    {"PARAM BSD2", "1"}, {"EXEC bsd, the second", "0"}, {"EXEC bsd, the third", "EINVAL"}};

// set_scheduler_caps(): priorities (3), busyness (16); preemption (4) from gen9; semaphores (8) but
// with the GuC, which maps priorities itself (32).
const Answers no_scheduler{{"PARAM scheduler", "0"},
                           {"PARAM semaphores", "0"},
                           {"PARAM HuC", "ENODEV"},
                           {"CONTEXT priority -1023", "ENODEV"},
                           {"CONTEXT priority -1024", "ENODEV"},
                           {"CONTEXT not persistent", "ENODEV"}};
const Answers execlists_without_preemption{{"PARAM scheduler", "27"},
                                           {"PARAM semaphores", "1"},
                                           {"PARAM HuC", "ENODEV"},
                                           {"CONTEXT priority -1023", "0"},
                                           {"CONTEXT priority -1024", "EINVAL"},
                                           {"CONTEXT not persistent", "ENODEV"}};
const Answers execlists{{"PARAM scheduler", "31"},
                        {"PARAM semaphores", "1"},
                        {"PARAM HuC", "EOPNOTSUPP"},
                        {"CONTEXT priority -1023", "0"},
                        {"CONTEXT priority -1024", "EINVAL"},
                        {"CONTEXT not persistent", "0"}};
const Answers execlists_and_huc{
    {"PARAM scheduler", "31"}, {"PARAM semaphores", "1"}, {"PARAM HuC", "1"}};
const Answers guc_submission{{"PARAM scheduler", "55"},
                             {"PARAM semaphores", "0"},
                             {"PARAM HuC", "1"},
                             {"CONTEXT priority -1023", "0"},
                             {"CONTEXT not persistent", "0"}};

const Answers engine_maps{
    {"ENGINES", "0"},           {"ENGINES unknown", "ENOENT"}, {"ENGINES odd size", "EINVAL"},
    {"EXEC engine 0", "0"},     {"EXEC engine 1", "EINVAL"},   {"EXEC engine 2", "0"},
    {"EXEC engine 3", "EINVAL"}};
const Answers address_spaces{
    {"VM_CREATE", "0"},    {"CONTEXT in a VM", "0"}, {"CONTEXT in no VM", "ENOENT"},
    {"CONTEXT's VM", "0"}, {"VM_DESTROY", "0"},      {"VM_DESTROY again", "ENOENT"}};
const Answers no_address_spaces{
    {"VM_CREATE", "ENODEV"}, {"CONTEXT in a VM", "ENODEV"}, {"CONTEXT's VM", "ENODEV"}};

// The BLT ring of gen9 needs the kernel's command parser.
const Answers gen9{{"PARAM command parser", "10"}};
const Answers no_command_parser{{"PARAM command parser", "0"}};

// Geometry and masks of the whole GT as intel_sseu_set_info() lays them out, with what Intel's data
// sheets give the chips: 24 units of 8 in 3 subslices, 96 of 16 in 6, 32 of 16 in 2.
const Answers no_topology{{"TOPOLOGY", "ENODEV"},
                          {"PARAM subslices", "ENODEV"},
                          {"PARAM units", "ENODEV"},
                          {"PARAM slice mask", "ENODEV"},
                          {"PARAM subslice mask", "ENODEV"}};
const Answers topology_of_skl{
    {"TOPOLOGY", "3 4 8, 1 1, 4 1, 01 07 00 00 ff ff ff 00 00 00 00 00 00 00 00 00"},
    {"PARAM subslices", "3"},
    {"PARAM units", "24"},
    {"PARAM slice mask", "1"},
    {"PARAM subslice mask", "7"}};
const Answers topology_of_tgl{
    {"TOPOLOGY", "1 6 16, 1 1, 2 2, 01 3f ff ff ff ff ff ff ff ff ff ff ff ff"},
    {"PARAM subslices", "6"},
    {"PARAM units", "96"},
    {"PARAM subslice mask", "63"}};
const Answers topology_of_adls{
    {"TOPOLOGY", "1 6 16, 1 1, 2 2, 01 03 ff ff ff ff 00 00 00 00 00 00 00 00"},
    {"PARAM subslices", "2"},
    {"PARAM units", "32"},
    {"PARAM subslice mask", "3"}};

struct Chip {
    const char* name;
    std::vector<Answers> answers;
};

const std::vector<Chip>& chips() {
    static const std::vector<Chip> all{
        {"g33",
         {with_pwrite,
          without_blitter_ring,
          {{"PARAM chipset", std::to_string(0x29c2)},
           {"PARAM fences", "16"},
           {"PARAM LLC", "0"},
           {"PARAM PPGTT", "0"},
           {"PARAM BSD", "0"},
           {"PARAM coherent GGTT", "1"},
           {"SET_TILING X 1536", "EINVAL"}, // a power of two, at most 8192
           {"SET_TILING X 16384", "EINVAL"},
           {"EXEC vebox", "EINVAL"},
           {"EXEC pinned above 4 GiB, 48 bit", "EINVAL"}}}},
        {"g45",
         {with_pwrite,
          without_blitter_ring,
          {{"PARAM chipset", std::to_string(0x2e22)},
           {"PARAM LLC", "0"},
           {"PARAM PPGTT", "0"},
           {"PARAM BSD", "1"},
           {"SET_TILING X 1536", "0"},
           {"SET_TILING X 16384", "0"},
           {"SET_TILING X 262144", "EINVAL"}, // at most 131072
           {"EXEC vebox", "EINVAL"},
           {"EXEC pinned above 4 GiB, 48 bit", "EINVAL"}}}},
        {"snb",
         {with_pwrite,
          with_blitter_ring,
          one_video_ring,
          no_scheduler,
          no_topology,
          engine_maps,
          no_address_spaces,
          no_command_parser,
          {{"PARAM chipset", std::to_string(0x0126)},
           {"PARAM reset", "1"},
           {"EXEC blt, the second", "EINVAL"},
           {"PARAM LLC", "1"},
           {"PARAM PPGTT", "1"},
           {"SET_TILING X 262144", "EINVAL"},
           {"EXEC vebox", "EINVAL"},
           {"EXEC pinned above 4 GiB, 48 bit", "EINVAL"}}}},
        {"bdw",
         {with_pwrite,
          with_blitter_ring,
          addresses_above_4_gib,
          one_video_ring,
          execlists_without_preemption,
          engine_maps,
          address_spaces,
          {{"PARAM chipset", std::to_string(0x1616)},
           {"PARAM reset", "2"},
           {"PARAM LLC", "1"},
           {"PARAM fences", "32"},
           {"SET_TILING X 262144", "0"},
           {"EXEC vebox", "0"}}}},
        {"skl",
         {with_pwrite, with_blitter_ring, addresses_above_4_gib, with_coherent_ggtt, one_video_ring,
          execlists, gen9, engine_maps, address_spaces, topology_of_skl}},
        {"kbl",
         {with_pwrite, with_blitter_ring, addresses_above_4_gib, with_coherent_ggtt, one_video_ring,
          execlists, gen9}},
        {"cfl",
         {with_pwrite, with_blitter_ring, addresses_above_4_gib, with_coherent_ggtt, one_video_ring,
          execlists, gen9}},
        {"icl",
         {with_pwrite, with_blitter_ring, addresses_above_4_gib, without_coherent_ggtt,
          two_video_rings, execlists, no_command_parser}},
        {"jsl",
         {with_pwrite,
          with_blitter_ring,
          addresses_above_4_gib,
          without_coherent_ggtt,
          one_video_ring,
          execlists,
          no_command_parser,
          {{"EXEC pinned above 64 GiB, 48 bit", "EINVAL"}}}},
        {"tgl",
         {with_pwrite, with_blitter_ring, addresses_above_4_gib, without_coherent_ggtt,
          two_video_rings, execlists, no_command_parser, topology_of_tgl}},
        {"rkl",
         {without_pwrite, with_blitter_ring, addresses_above_4_gib, without_coherent_ggtt,
          one_video_ring, execlists}},
        {"adls",
         {without_pwrite, with_blitter_ring, addresses_above_4_gib, without_coherent_ggtt,
          two_video_rings, execlists_and_huc, topology_of_adls}},
        {"adlp",
         {without_pwrite, with_blitter_ring, addresses_above_4_gib, without_coherent_ggtt,
          two_video_rings, guc_submission, engine_maps, address_spaces}},
        {"rpls",
         {without_pwrite, with_blitter_ring, addresses_above_4_gib, without_coherent_ggtt,
          two_video_rings, guc_submission}},
    };
    return all;
}

TEST(Answers, AreI915s) {
    for (const Chip& chip : chips()) {
        const Answers found = answers_of(chip.name);
        Answers expected = the_same_everywhere();
        for (const Answers& own : chip.answers) {
            for (const auto& [question, answer] : own) {
                expected[question] = answer;
            }
        }
        expect_answers(chip.name, found, expected);
    }
}

} // namespace
} // namespace gem_upload::test
