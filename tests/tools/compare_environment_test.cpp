// Worse than useless: another governor that passes for the effect of a patch, and a refusal of what
// is meant to differ.
#include "compare_fixture.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gem_upload::tools {
namespace {

RunPlan plan(const std::string& label, const drm::Environment& environment) {
    return {.label = label,
            .methods = {{"upload_blit_large", ""}},
            .rates = {{1000, 1001, 999, 1000, 1002, 998}},
            .environment = environment};
}

const drm::Environment usual = {{"kernel_release", "6.1.0"},
                                {"kernel_command_line", "root=/dev/sda1 ro"},
                                {"boot_id", "1"},
                                {"cpu_model", "Core 2"},
                                {"governor", "performance"},
                                {"device", "i915 8086:2e22 (g45)"},
                                {"driver", "i915"}};

drm::Environment usual_but(const std::string& name, const std::string& value) {
    drm::Environment environment = usual;
    for (auto& [known, held] : environment) {
        if (known == name) {
            held = value;
        }
    }
    return environment;
}

class CompareEnvironments : public CompareTest {
protected:
    CompareOutcome compare_with(const RunPlan& other, std::vector<std::string> options = {}) {
        options.push_back(write_run("old", plan("old", usual)));
        options.push_back(write_run("new", other));
        return compare(options);
    }
};

TEST_F(CompareEnvironments, WhatShouldNotDifferIsNamedAndRefused) {
    for (const auto& [name, value, said] :
         {std::tuple("governor", "powersave", "governor: performance (old), powersave (new)"),
          {"cpu_model", "Core i5", "cpu_model: Core 2 (old), Core i5 (new)"},
          {"kernel_command_line", "root=/dev/sda1 mitigations=off",
           "mitigations: auto (old), off (new)"}}) {
        const CompareOutcome outcome = compare_with(plan("new", usual_but(name, value)));
        EXPECT_EQ(outcome.status, 2) << name;
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.error,
                  fmt::format("the sets were measured under different conditions, so a difference "
                              "would say nothing ({}): measure both alike, or compare all the same "
                              "with --force",
                              said));
    }
}

TEST_F(CompareEnvironments, WhatIsComparedMayDiffer) {
    for (const auto& [name, value] :
         {std::pair("kernel_release", "6.12.0"),
          {"boot_id", "2"},
          {"driver", "xe"},
          {"kernel_command_line", "root=/dev/sda1 ro i915.enable_guc=0"}}) {
        const CompareOutcome outcome = compare_with(plan("new", usual_but(name, value)));
        EXPECT_EQ(outcome.status, 0) << outcome.error;
        EXPECT_FALSE(contains(outcome.out, "Forced"));
    }
}

TEST_F(CompareEnvironments, WhatOneSideDoesNotTellIsNotKnownToDiffer) {
    EXPECT_EQ(compare_with(plan("new", {{"kernel_release", "6.1.0"}})).status, 0);
}

TEST_F(CompareEnvironments, TheModelIsNoHardware) {
    RunPlan other = plan("new", usual);
    other.model = true;
    EXPECT_TRUE(
        contains(compare_with(other).error, "measured on: hardware (old), the model (new)"));
}

TEST_F(CompareEnvironments, ForcedComparisonsAreMarked) {
    const RunPlan other = plan("new", usual_but("governor", "powersave"));
    const CompareOutcome outcome = compare_with(other, {"--force"});
    EXPECT_EQ(outcome.status, 0) << outcome.error;
    EXPECT_TRUE(contains(outcome.out, "Forced: the sets were measured under different conditions "
                                      "(governor: performance (old), powersave (new))"))
        << outcome.out;
    const auto json = nlohmann::json::parse(compare_with(other, {"--force", "--json", "-"}).out);
    EXPECT_EQ(json["comparisons"][0]["mismatches"],
              nlohmann::json::array({"governor: performance (old), powersave (new)"}));
}

TEST_F(CompareEnvironments, LogsTellTheirsInTheirHead) {
    const std::string old = write("old.txt", "# governor: performance\n1000\n1001\n1002\n");
    const std::string other = write("new.txt", "# governor: powersave\n1000\n1001\n1002\n");
    const std::string bare = write("bare.txt", "1000\n1001\n1002\n");
    EXPECT_EQ(compare({old, other}).status, 2);
    EXPECT_EQ(compare({old, bare}).status, 0);
    EXPECT_EQ(compare({old, bare, other}).status, 2);
}

} // namespace
} // namespace gem_upload::tools
