#include "vm/guest_job.h"

#include "util/error.h"
#include "vm/lines.h"

#include <fmt/format.h>

namespace gem_upload::vm {
namespace {

GuestJob::Terminal parse_terminal(std::string_view text) {
    const auto rows = number_in<unsigned short>(take_word(text));
    const auto columns = number_in<unsigned short>(take_word(text));
    return {rows.value_or(24), columns.value_or(80), std::string(text)};
}

bool apply(GuestJob& job, std::string_view line) {
    const std::string_view name = take_word(line);
    if (name == "support") {
        job.support.emplace_back(line);
    } else if (name == "driver") {
        job.drivers.emplace_back(line);
    } else if (name == "share") {
        job.share = true;
    } else if (name == "terminal") {
        job.terminal = parse_terminal(line);
    } else if (name == "path") {
        job.path = line_unescaped(line);
    } else if (name == "argument") {
        job.command.push_back(line_unescaped(line));
    } else {
        return false;
    }
    return true;
}

} // namespace

std::string line_escaped(std::string_view text) {
    std::string escaped;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        escaped += byte < 0x20 || character == '%' ? fmt::format("%{:02x}", byte)
                                                   : std::string(1, character);
    }
    return escaped;
}

std::string line_unescaped(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        if (text.front() == '%' && text.size() >= 3) {
            if (const auto byte = number_in<unsigned char>(text.substr(1, 2), 16)) {
                plain += static_cast<char>(*byte);
                text.remove_prefix(3);
                continue;
            }
        }
        plain += text.front();
        text.remove_prefix(1);
    }
    return plain;
}

std::string job_to_text(const GuestJob& job) {
    std::string text;
    for (const std::string& module : job.support) {
        text += fmt::format("support {}\n", module);
    }
    for (const std::string& module : job.drivers) {
        text += fmt::format("driver {}\n", module);
    }
    text += job.share ? "share\n" : "";
    if (job.terminal) {
        text += fmt::format("terminal {} {} {}\n", job.terminal->rows, job.terminal->columns,
                            job.terminal->type);
    }
    text += fmt::format("path {}\n", line_escaped(job.path));
    for (const std::string& argument : job.command) {
        text += fmt::format("argument {}\n", line_escaped(argument));
    }
    return text;
}

GuestJob job_from_text(std::string_view text) {
    GuestJob job;
    for (const std::string_view line : lines_of(text)) {
        if (!apply(job, line)) {
            throw failure(fmt::format("{}: '{}' is not understood", job_path, line));
        }
    }
    return job;
}

} // namespace gem_upload::vm
