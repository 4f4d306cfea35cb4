// gem-upload model: runs a program on the software GPU.
#include "model/launch.h"

#include "model/gpu.h"
#include "subcommand.h"
#include "util/command_line.h"
#include "util/error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <optional>
#include <string>
#include <vector>

namespace gem_upload::tools {
namespace {

void list_chips() {
    for (const model::ChipModel& chip : model::chip_models()) {
        fmt::print("{:<8} {:<14} {}, {:04x}:{:04x}, {}\n", chip.name, chip.alias, chip.title,
                   0x8086, chip.device_id, chip.llc ? "LLC" : "no LLC");
    }
}

constexpr const char* footer =
    "The speed of what runs is this machine's memory, not a GPU's. A program that does what the\n"
    "hardware or the kernel would not have survived is told so on standard error in a line that\n"
    "begins with 'model:', and does not exit with 0.\n"
    "Faults: IOCTL:N=ERRNO ('PWRITE:3=EIO'), wedge:N, full-aperture:N, sigbus:N, gone:N.\n"
    "Exit status: the command's, or 128 and the number of the signal that ended it; 2 for a wrong\n"
    "command line.";

} // namespace

int model_main(int argc, char** argv) {
    model::Settings settings;
    std::string execution = "asynchronous";
    bool list = false;
    // The command's own options are not ours: it begins after the first "--".
    char** const separator = std::find_if(
        argv, argv + argc, [](const char* word) { return std::strcmp(word, "--") == 0; });
    const std::vector<std::string> command(std::min(separator + 1, argv + argc), argv + argc);
    const auto own_argc = static_cast<int>(separator - argv);

    CLI::App app("Runs a program on a modelled GPU:\n"
                 "gem-upload model --chip CHIP [OPTIONS] -- COMMAND [ARGUMENT]...\n",
                 "gem-upload model");
    app.footer(footer);
    app.add_flag("--list", list, "name the chips, and end");
    app.add_option("--chip", settings.chip, "the chip, by its name or alias (see --list)");
    app.add_option("--execution", execution,
                   "when batches are executed: beside the program, before their ioctl returns, or "
                   "not before somebody waits for them")
        ->check(CLI::IsMember({"asynchronous", "immediate", "late"}));
    app.add_flag("--check-clock", settings.check_clock,
                 "a clock read by the program while it has batches outstanding is an error");
    app.add_option("--trace", settings.trace_path, "append a line for every ioctl to FILE")
        ->type_name("FILE");
    app.add_option("--inject", settings.faults, "let something fail; may be repeated")
        ->type_name("FAULT")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);

    if (const std::optional<int> status = parse_command_line(app, own_argc, argv)) {
        return *status;
    }
    if (list) {
        list_chips();
        return static_cast<int>(Exit::success);
    }
    if (command.empty()) {
        throw usage_error(
            "no command was given: put it after '--' (see 'gem-upload model --help')");
    }
    if (settings.chip.empty()) {
        throw usage_error("no chip was named: use --chip (see 'gem-upload model --list')");
    }
    settings.execution = execution == "late"        ? model::Settings::Execution::late
                         : execution == "immediate" ? model::Settings::Execution::immediate
                                                    : model::Settings::Execution::asynchronous;
    return model::run_on_model(settings, command);
}

} // namespace gem_upload::tools
