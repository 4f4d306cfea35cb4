// gem-upload with its subcommand `run` over the fixed table of methods.
#include "tools/subcommand.h"
#include "util/error.h"

#include <cstring>
#include <fmt/format.h>

int main(int argc, char** argv) {
    try {
        if (argc < 2 || std::strcmp(argv[1], "run") != 0) {
            throw gem_upload::usage_error("this program knows only 'run'");
        }
        return gem_upload::tools::run_main(argc - 1, argv + 1);
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "gem-upload: {}\n", error.what());
        return static_cast<int>(error.status());
    }
}
