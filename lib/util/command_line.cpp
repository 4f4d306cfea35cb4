#include "util/command_line.h"

#include "util/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace gem_upload {

std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        throw usage_error(fmt::format("{} (see '{} --help')", error.what(), app.get_name()));
    }
}

} // namespace gem_upload
