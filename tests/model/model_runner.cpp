// "gem-upload model" as a program of its own, for tests that need nothing else of gem-upload.
#include "tools/subcommand.h"
#include "util/error.h"

#include <exception>
#include <fmt/core.h>

int main(int argc, char** argv) {
    try {
        return gem_upload::tools::model_main(argc, argv);
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "gem-upload: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "gem-upload: {}\n", error.what());
        return static_cast<int>(gem_upload::Exit::failure);
    }
}
