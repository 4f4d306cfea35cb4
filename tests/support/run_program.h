// Runs a program and keeps what it said.
#pragma once

#include <string>
#include <vector>

namespace gem_upload::testing_support {

struct Outcome {
    int status = -1; ///< exit status, or 128 + signal
    std::string out; ///< standard output
    std::string err; ///< standard error
};

/// Runs `argv` (found in PATH unless it holds a slash) to its end with no input, with `environment`
/// ("NAME=value") added. Throws std::runtime_error when it cannot be started.
[[nodiscard]] Outcome run_program(const std::vector<std::string>& argv,
                                  const std::vector<std::string>& environment = {});

/// A fresh folder, removed with everything in it at the end.
class TemporaryFolder {
public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

} // namespace gem_upload::testing_support
