// The wrapper's entry: finds the subcommand and turns errors into a sentence and a status.
#include "config.h"
#include "subcommand.h"
#include "util/error.h"
#include "util/standard_streams.h"

#include <cstring>
#include <exception>
#include <fmt/core.h>
#include <span>
#include <string>

namespace gem_upload::tools {
namespace {

constexpr Subcommand subcommands[] = {
    {"devices", "list the GPUs and what can be measured on each", devices_main},
    {"run", "run upload methods in a balanced order and record the samples", run_main},
    {"compare", "compare logs or run folders", compare_main},
    {"model", "run a program on the software GPU", model_main},
    {"vm", "run a program on a real kernel, its driver on a modelled GPU", vm_main},
};

void print_help(std::FILE* out) {
    fmt::print(out, "Usage: gem-upload SUBCOMMAND [OPTIONS]\n\nSubcommands:\n");
    for (const Subcommand& subcommand : subcommands) {
        fmt::print(out, "  {:<10} {}\n", subcommand.name, subcommand.summary);
    }
    fmt::print(out, "\n'gem-upload SUBCOMMAND --help' describes one; so does its manual page, "
                    "gem-upload-SUBCOMMAND(1).\n");
}

int dispatch(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "";
    if (name == "--help" || name == "-h") {
        print_help(stdout);
        return 0;
    }
    if (name == "--version") {
        fmt::print("gem-upload {}\n", GEM_UPLOAD_VERSION);
        return 0;
    }
    for (const Subcommand& subcommand : subcommands) {
        if (name == subcommand.name) {
            return subcommand.run(argc - 1, argv + 1);
        }
    }
    if (name.empty()) {
        print_help(stderr);
        return static_cast<int>(Exit::usage);
    }
    throw usage_error(fmt::format("there is no subcommand '{}': see 'gem-upload --help'", name));
}

} // namespace
} // namespace gem_upload::tools

int main(int argc, char** argv) {
    gem_upload::fill_closed_standard_streams();
    try {
        const int status = gem_upload::tools::dispatch(argc, argv);
        gem_upload::flush_standard_output();
        return status;
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "gem-upload: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "gem-upload: {}\n", error.what());
        return static_cast<int>(gem_upload::Exit::failure);
    }
}
