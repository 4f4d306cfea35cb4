// What the tests of `gem-upload compare` share: running it, and making logs and run folders.
#pragma once

#include "results/run_record.h"
#include "run_program.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace gem_upload::tools {

struct CompareOutcome {
    int status = 0;
    std::string out;
    std::string error; ///< the sentence of the Error that ended it
};

/// `gem-upload compare ARGUMENTS` in this process.
[[nodiscard]] CompareOutcome compare(std::vector<std::string> arguments);

[[nodiscard]] bool contains(const std::string& text, const std::string& part);

/// Hides every program in PATH while it lives.
class WithoutPrograms {
public:
    WithoutPrograms();
    WithoutPrograms(const WithoutPrograms&) = delete;
    WithoutPrograms& operator=(const WithoutPrograms&) = delete;
    ~WithoutPrograms();

private:
    std::string path_;
};

/// A run to be written as a folder: rates[m][r] is the MB/s of method m in round r + 1, 0 for none.
struct RunPlan {
    std::string label = "old";
    std::vector<results::RunMethod> methods;
    std::vector<std::vector<double>> rates;
    bool model = false;
    drm::Environment environment = {{"kernel_release", "6.1.0"}};
    std::uint64_t samples = 1; ///< a process; the others are spread about the rate by 1 %
};

class CompareTest : public testing::Test {
protected:
    /// Writes a file and returns its path.
    std::string write(const std::string& name, const std::string& text);
    /// Writes a run folder, its record and logs as `gem-upload run` does, and returns its path.
    std::string write_run(const std::string& name, const RunPlan& plan);
    [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

private:
    testing_support::TemporaryFolder folder_;
};

} // namespace gem_upload::tools
