// Command lines through CLI11, with our exit statuses and one-sentence errors.
#pragma once

#include <optional>

namespace CLI {
class App;
}

namespace gem_upload {

/// Parses; returns the exit status when the program has nothing more to do (--help, --version),
/// else nothing. Throws usage_error with CLI11's sentence and where help is to be had.
[[nodiscard]] std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv);

} // namespace gem_upload
