// Worse than useless: a word, a NaN or "1,234.5" taken for a throughput, IGT's iterations taken for
// its MB/s, a broken log that ends in a crash or in an error that does not say where it is broken.
#include "results/sample_log.h"
#include "run_program.h"
#include "util/error.h"
#include "util/files.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace gem_upload::results {
namespace {

using testing_support::TemporaryFolder;
using Values = std::vector<double>;

Values values_of(std::string_view text, std::optional<int> column = std::nullopt) {
    return parse_sample_log(text, "log", column).values;
}

std::string error_of(std::string_view text, std::optional<int> column = std::nullopt) {
    try {
        (void)parse_sample_log(text, "a.txt", column);
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::usage);
        return error.what();
    }
    return "no error";
}

TEST(SampleLog, ReadsAsMinistatDoes) {
    EXPECT_EQ(values_of("1\n2.5\n3\n"), (Values{1, 2.5, 3}));
    EXPECT_EQ(values_of("1\r\n2\r\n3\r\n"), (Values{1, 2, 3}));
    EXPECT_EQ(values_of("1\n2\n3"), (Values{1, 2, 3})) << "no newline at the end";
    EXPECT_EQ(values_of("\n \t\n1\n\n2 # two\n#3\n  # x\n+4\n"), (Values{1, 2, 4}));
    EXPECT_EQ(values_of(" \t 1.5e3 words after it\n"), (Values{1500}));
    EXPECT_EQ(values_of("0\n-1\n1E-3\n.5\n5.\n"), (Values{0, -1, 0.001, 0.5, 5}));
}

TEST(SampleLog, ReadsTheColumnAskedFor) {
    EXPECT_EQ(values_of("a 1\nb 2\n", 2), (Values{1, 2}));
    EXPECT_EQ(values_of("a\t 1\nb\nc # 3\nd 4\n", 2), (Values{1, 4})) << "lines without it";
    EXPECT_EQ(error_of("1\n2\n", 2), "a.txt holds no value in column 2");
    EXPECT_EQ(error_of("1\n", 0), "column 0: columns count from 1");
    EXPECT_EQ(error_of("1\n", -3), "column -3: columns count from 1");
}

TEST(SampleLog, RecognisesIgtLines) {
    const std::string igt = "200 iterations in 0.123 secs: 1234.5 MB/sec\n"
                            "200 iterations in 0.124 secs: 1230.25 MB/sec\n";
    const SampleLog log = parse_sample_log(igt, "log");
    EXPECT_EQ(log.values, (Values{1234.5, 1230.25}));
    EXPECT_EQ(log.column, igt_column);
    EXPECT_EQ(values_of(igt, 6), log.values);
    EXPECT_EQ(values_of(igt, 1), (Values{200, 200})) << "a column that is given is obeyed";
}

TEST(SampleLog, RefusesIgtLinesAmongOthers) {
    const std::string sentence = "a.txt, line 2: IGT's lines and others are mixed: name the column "
                                 "with -C, or separate them";
    const std::string igt = "200 iterations in 0.1 secs: 12.5 MB/sec\n";
    EXPECT_EQ(error_of("5000\n" + igt), sentence);
    EXPECT_EQ(error_of(igt + "5000\n"), sentence);
}

TEST(SampleLog, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(error_of("1\nfast\n"), "a.txt, line 2: 'fast' is not a number");
    EXPECT_EQ(error_of("# x\n\n1,234.5\n"), "a.txt, line 3: '1,234.5' is not a number: write it "
                                            "with a decimal point and without separators");
    EXPECT_EQ(error_of("12.5MB\n"), "a.txt, line 1: '12.5MB' is not a number");
    EXPECT_EQ(error_of("1#2\n"), "a.txt, line 1: '1#2' is not a number");
    for (const char* word : {"nan", "NaN", "-nan", "nan(7)", "inf", "-Inf", "+infinity"}) {
        EXPECT_EQ(error_of(fmt::format("1\n{}\n", word)),
                  fmt::format("a.txt, line 2: '{}' is not a finite number", word));
    }
    EXPECT_EQ(error_of("0x1p3\n"), "a.txt, line 1: '0x1p3' is hexadecimal: write it in decimal");
    for (const char* number : {"1e999", "1e101", "-1e200", "1e-400", "1e-101"}) {
        EXPECT_EQ(error_of(number),
                  fmt::format("a.txt, line 1: '{}' is out of range: sizes from 1e-100 to 1e100 can "
                              "be worked with",
                              number));
    }
    for (const char* word : {"+-1", "++1", "--1", "1e", "1.2.3", "e5", "."}) {
        EXPECT_NE(error_of(word).find("is not a number"), std::string::npos) << word;
    }
    EXPECT_EQ(error_of(""), "a.txt holds no value");
    EXPECT_EQ(error_of("# only comments\n\n"), "a.txt holds no value");
}

TEST(SampleLog, RefusesWhatIsNoText) {
    using namespace std::string_literals;
    EXPECT_EQ(error_of("1\n2\0 3\n"s), "a.txt, line 2: there is a byte 0x00, which no text holds: "
                                       "this is no log of samples");
    EXPECT_EQ(
        error_of("\x7f"
                 "ELF"),
        "a.txt, line 1: there is a byte 0x7f, which no text holds: this is no log of samples");
    EXPECT_EQ(error_of("\xff\xfe 1\n"), "a.txt, line 1: '\\xff\\xfe' is not a number");
    EXPECT_EQ(error_of(std::string(100, 'z')),
              fmt::format("a.txt, line 1: '{}...' is not a number", std::string(40, 'z')));
    EXPECT_EQ(error_of("1\n" + std::string(100000, '7') + "\n"),
              "a.txt, line 2: the line is longer than 8190 characters: this is no log of samples");
    EXPECT_EQ(values_of("# caf\xc3\xa9 (R) CPU\n5\n"), (Values{5})) << "comments may be UTF-8";
    EXPECT_EQ(values_of("# command: \x01\n5\n"), (Values{5})) << "or worse";
    EXPECT_NE(error_of("# \0\n5\n"s), "no error");
}

TEST(SampleLog, ReadsTheHeader) {
    const SampleLog log = parse_sample_log(
        "# method: upload_blit_large\n#device: model:g45\n# model: harness only\n# just words\n7\n",
        "log");
    EXPECT_TRUE(log.model());
    ASSERT_EQ(log.header.size(), 3U);
    EXPECT_EQ(log.header[1].first, "device");
    EXPECT_EQ(log.header[1].second, "model:g45");
    EXPECT_FALSE(parse_sample_log("# cpu_model: Model: 5\n7\n", "log").model());
}

TEST(SampleLog, ReadsFiles) {
    const TemporaryFolder folder;
    replace_file(folder.file("log"), "1\n2\n");
    EXPECT_EQ(read_sample_log(folder.file("log")).values, (Values{1, 2}));
    for (const std::string& path :
         {folder.path(), folder.file("none"), std::string(), std::string("/dev/zero")}) {
        try {
            (void)read_sample_log(path);
            ADD_FAILURE() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), Exit::usage);
            EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
        }
    }
}

TEST(SampleLog, WhatIsWrittenIsReadBack) {
    for (const double value : {5123.4, 0.001234, 123456.75, 1e7}) {
        EXPECT_EQ(values_of(sample_log_line(value)), (Values{value}));
    }
    EXPECT_EQ(sample_log_line(2374.68123456), "2374.6812\n");
    EXPECT_THROW((void)sample_log_line(NAN), Error);
    EXPECT_THROW((void)sample_log_line(HUGE_VAL), Error);
}

TEST(SampleLog, AnyBytesGiveFiniteValuesOrASentence) {
    const std::string seed = "# model: yes\n200 iterations in 0.1 secs: 12.5 MB/sec\r\n\t1e5 # x\n"
                             "nan inf -0x1p3 1,5\n";
    std::mt19937 random(1);
    for (int round = 0; round < 3000; ++round) {
        std::string text = seed.substr(random() % seed.size());
        for (unsigned changes = random() % 8; changes > 0; --changes) {
            text[random() % text.size()] = static_cast<char>(random() % 256);
        }
        try {
            const SampleLog log =
                parse_sample_log(text, "log", random() % 2 ? std::nullopt : std::optional(2));
            ASSERT_FALSE(log.values.empty());
            for (const double value : log.values) {
                ASSERT_TRUE(std::isfinite(value)) << text;
            }
        } catch (const Error& error) {
            ASSERT_EQ(error.status(), Exit::usage);
            ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        }
    }
}

TEST(SampleLog, ReadsAMillionLines) {
    std::string text;
    for (int i = 1; i <= 1000000; ++i) {
        text += fmt::format("{}\n", i);
    }
    const Values values = values_of(text);
    ASSERT_EQ(values.size(), 1000000U);
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0), 500000500000.0);
}

} // namespace
} // namespace gem_upload::results
