// Worse than useless: a text that looks like ministat's and differs from it in a digit or a
// verdict.
#include "run_program.h"
#include "stats/ministat.h"
#include "util/error.h"
#include "util/files.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace gem_upload::stats {
namespace {

using testing_support::Outcome;
using testing_support::run_program;
using testing_support::TemporaryFolder;

std::vector<double> read_numbers(const std::string& path) {
    std::istringstream text(read_file(path));
    std::vector<double> values;
    for (double value = 0; text >> value;) {
        values.push_back(value);
    }
    return values;
}

/// The published text without the plot, whose lines begin with '|' or "+--".
std::string without_plot(const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('|') && !line.starts_with("+--")) {
            kept += line + '\n';
        }
    }
    return kept;
}

TEST(Ministat, GoldenLogsComeOutToTheLastDigit) {
    const std::string folder = GOLDEN_FOLDER "/2009-g45/";
    std::vector<std::vector<double>> values;
    std::vector<MinistatSet> sets;
    for (const char* method : {"", "_gtt", "_map"}) {
        const std::string name = fmt::format("g45-upload_blit_large{}.txt", method);
        values.push_back(read_numbers(folder + name));
        ASSERT_EQ(values.back().size(), 5U);
        sets.push_back({name, {}});
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
        sets[i].values = values[i];
    }
    EXPECT_EQ(ministat_text(sets), without_plot(read_file(folder + "ministat.txt")));
}

/// Sets such as people compare, some of them alike, some of one or no decimal.
std::vector<std::vector<double>> random_sets(std::mt19937& random) {
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    std::vector<std::vector<double>> sets(1 + below(ministat_most_sets));
    const double size = std::pow(10, below(6));
    const double spread = size * 0.001 * (1 + below(100));
    const double grid = std::pow(10, below(4));
    for (std::vector<double>& set : sets) {
        std::normal_distribution<double> noise(size + spread * below(3), spread);
        set.resize(3 + below(below(5) == 0 ? 150 : 12));
        for (double& value : set) {
            value = std::round(noise(random) * grid) / grid;
        }
        set.back() += 1; // never all equal, where ministat may print -nan
    }
    return sets;
}

TEST(Ministat, AgreesWithTheRealOneOnRandomSets) {
    const TemporaryFolder folder;
    replace_file(folder.file("probe"), "1\n2\n3\n");
    if (run_program({"ministat", "-A", folder.file("probe")}).status != 0) {
        GTEST_SKIP() << "ministat is not installed: there is nothing to agree with";
    }
    std::mt19937 random(20090330);
    for (int round = 0; round < 60; ++round) {
        const std::vector<std::vector<double>> values = random_sets(random);
        std::vector<MinistatSet> sets;
        std::vector<std::string> command = {"ministat", "-A"};
        for (const std::vector<double>& set : values) {
            std::string text;
            for (const double value : set) {
                text += fmt::format("{}\n", value);
            }
            const std::string path = folder.file(std::to_string(sets.size()));
            replace_file(path, text);
            command.push_back(path);
            sets.push_back({path, set});
        }
        const Outcome real = run_program(command);
        ASSERT_EQ(real.status, 0) << real.err;
        EXPECT_EQ(ministat_text(sets), real.out) << "round " << round;
    }
}

TEST(Ministat, KeepsTheSpreadThatTheRealOneLoses) {
    const std::vector<double> values = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    const std::string text = ministat_text(std::vector<MinistatSet>{{"a", values}});
    EXPECT_NE(text.find("5.4772256"), std::string::npos) << text;
}

TEST(Ministat, ComparesTwoValues) {
    // By hand: means 11 and 21, pooled s = sqrt(2), t = 4.303, error = 4.303 * sqrt(2).
    const std::vector<double> a = {10, 12};
    const std::vector<double> b = {20, 22};
    const std::string text = ministat_text(std::vector<MinistatSet>{{"a", a}, {"b", b}});
    EXPECT_NE(text.find("\t10 +/- 6.08536\n"), std::string::npos) << text;
    EXPECT_NE(text.find("(Student's t, pooled s = 1.41421)"), std::string::npos) << text;
}

TEST(Ministat, NeverPrintsNan) {
    const std::vector<double> zeros = {0, 0, 0};
    const std::vector<double> ones = {0.1, 0.1, 0.1};
    const std::string text = ministat_text(std::vector<MinistatSet>{{"a", zeros}, {"b", ones}});
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf"), std::string::npos) << text;
}

TEST(Ministat, RefusesWhatItsFormCannotHold) {
    const std::vector<double> one = {1};
    const std::vector<double> good = {1, 2, 3};
    EXPECT_THROW((void)ministat_text({}), Error);
    EXPECT_THROW((void)ministat_text(std::vector<MinistatSet>{{"a", one}}), Error);
    EXPECT_THROW((void)ministat_text(std::vector<MinistatSet>(8, {"a", good})), Error);
}

} // namespace
} // namespace gem_upload::stats
