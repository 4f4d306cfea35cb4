// Worse than useless: a name in --methods that means another method than the one that is measured,
// or one that is left out without a word.
#include "tools/run.h"
#include "tools/run_methods.h"
#include "tools/run_progress.h"
#include "util/error.h"

#include <gtest/gtest.h>

namespace gem_upload::tools {
namespace {

/// "blit_large_map:staged blit_large_gtt"
std::string selected(std::string_view list) {
    std::string titles;
    for (const results::RunMethod& method : select_methods(list, bench::all_methods()).methods) {
        titles += (titles.empty() ? "" : " ") + method.title().substr(7);
    }
    return titles;
}

void expect_refused(std::string_view list, const std::string& part) {
    try {
        ADD_FAILURE() << list << " accepted as " << selected(list);
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::usage);
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(RunMethods, Groups) {
    EXPECT_EQ(selected("blit"), "blit_large blit_large_gtt blit_large_map");
    EXPECT_EQ(selected("small"), "blit_small blit_small_map");
    EXPECT_EQ(selected("aperture"), "aperture aperture_map");
    EXPECT_EQ(selected("all"), "blit_large blit_large_gtt blit_large_map blit_small "
                               "blit_small_map aperture aperture_map");
}

TEST(RunMethods, BinariesWithAndWithoutTheirPrefix) {
    EXPECT_EQ(selected("blit_large_map"), "blit_large_map");
    EXPECT_EQ(selected("upload_blit_large_map"), "blit_large_map");
    EXPECT_EQ(selected("upload_aperture"), "aperture"); // "aperture" alone is the group
    EXPECT_EQ(selected("blit_small"), "blit_small");
}

TEST(RunMethods, VariantsOfBinariesAndGroups) {
    EXPECT_EQ(selected("blit_large_map,blit_large_map:staged"),
              "blit_large_map blit_large_map:staged");
    EXPECT_EQ(selected("blit:staged"), "blit_large_gtt:staged blit_large_map:staged");
    EXPECT_EQ(selected("map:staged"), "blit_large_map:staged");
}

TEST(RunMethods, SuffixesWithinTheGroupBefore) {
    EXPECT_EQ(selected("gtt,map"), "blit_large_gtt blit_large_map");
    EXPECT_EQ(selected("blit_small,map"), "blit_small blit_small_map");
    EXPECT_EQ(selected("aperture_map,pwrite"), "aperture_map aperture");
    EXPECT_EQ(selected("pwrite,map"), "blit_large blit_large_map");
}

TEST(RunMethods, WhatIsNamedTwiceIsMeasuredOnceAndSaid) {
    const MethodSelection selection =
        select_methods("blit_large_map,blit,map", bench::all_methods());
    ASSERT_EQ(selection.methods.size(), 3U);
    EXPECT_EQ(selection.methods[0].method, "upload_blit_large_map"); // where it was named first
    ASSERT_EQ(selection.remarks.size(), 2U);
    EXPECT_NE(selection.remarks[0].find("upload_blit_large_map"), std::string::npos);
}

TEST(RunMethods, UnknownNamesListWhatExists) {
    expect_refused("blit_huge", "blit_large_gtt");
    expect_refused("blit_huge", "groups are");
    expect_refused("small,gtt", "'gtt'"); // that group has no such method
    expect_refused("", "empty name");
    expect_refused("blit,", "empty name");
    expect_refused("upload_", "no method");
    expect_refused("blit_large:staged", "blit_large_map:staged");
    expect_refused("blit_large_map:direct", "no variant");
    expect_refused("blit_large_map:", "no variant");
    expect_refused("small:staged", "no variant");
}

TEST(RunMethods, OnlyBlitsNeedADevice) {
    EXPECT_TRUE(needs_device({"upload_blit_small", ""}, bench::all_methods()));
    EXPECT_FALSE(needs_device({"upload_aperture_map", ""}, bench::all_methods()));
}

TEST(RunDefaults, LabelsThatAreNoFileNamesAreRefused) {
    for (const char* label : {"", "a/b", "../x", ".hidden", "-o", "a\nb", "a\x7f"}) {
        EXPECT_THROW(check_label(label), Error) << label;
    }
    EXPECT_THROW(check_label(std::string(101, 'x')), Error);
    for (const char* label : {"g45", "6.1.0-rc1+", "with space", "grün", "a'b"}) {
        EXPECT_NO_THROW(check_label(label)) << label;
    }
}

TEST(RunDefaults, TheFirstCpuOtherThanZero) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    CPU_SET(0, &allowed);
    EXPECT_EQ(default_cpu(allowed), 0);
    CPU_SET(3, &allowed);
    CPU_SET(5, &allowed);
    EXPECT_EQ(default_cpu(allowed), 3);
}

TEST(RunDefaults, AnotherKernelBootOrMachineIsRefusedWithBoth) {
    results::RunHeader header;
    header.host = "a";
    header.environment = {{"kernel_release", "6.1"}, {"boot_id", "one"}};
    EXPECT_NO_THROW(check_same_boot(header, "a", header.environment));
    const auto expect_both = [&](const std::string& host, const drm::Environment& now,
                                 const std::string& then, const std::string& today) {
        try {
            check_same_boot(header, host, now);
            ADD_FAILURE() << today;
        } catch (const Error& error) {
            const std::string sentence = error.what();
            EXPECT_NE(sentence.find("'" + then + "'"), std::string::npos) << sentence;
            EXPECT_NE(sentence.find("'" + today + "'"), std::string::npos) << sentence;
        }
    };
    expect_both("a", {{"kernel_release", "6.2"}, {"boot_id", "two"}}, "6.1", "6.2");
    expect_both("a", {{"kernel_release", "6.1"}, {"boot_id", "two"}}, "one", "two");
    expect_both("b", {{"kernel_release", "6.1"}, {"boot_id", "two"}}, "a", "b");
    expect_both("a", {{"kernel_release", "6.1"}}, "one", "unknown");
}

TEST(RunProgress, TimesReadAsClocksDo) {
    EXPECT_EQ(clock_text(7.2), "0:07");
    EXPECT_EQ(clock_text(59.6), "1:00");
    EXPECT_EQ(clock_text(754), "12:34");
    EXPECT_EQ(clock_text(3723), "1:02:03");
}

} // namespace
} // namespace gem_upload::tools
