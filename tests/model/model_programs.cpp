#include "model_programs.h"

#include "util/siblings.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace gem_upload::test {

bool raised_sigbus(const Outcome& outcome) {
    return outcome.status == 128 + SIGBUS ||
           outcome.err.find("AddressSanitizer: BUS") != std::string::npos;
}

std::string program(const char* variable) {
    const char* path = std::getenv(variable);
    if (path == nullptr) {
        throw std::runtime_error(std::string(variable) + " is not set: run the tests by meson");
    }
    return path;
}

Outcome run_on_model(const std::string& chip, const std::vector<std::string>& options,
                     const std::vector<std::string>& command) {
    std::vector<std::string> argv{find_sibling("gem-upload"), "model", "--chip", chip};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.emplace_back("--");
    argv.insert(argv.end(), command.begin(), command.end());
    return run_program(argv);
}

} // namespace gem_upload::test
