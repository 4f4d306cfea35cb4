#include "vm/shared_libraries.h"

#include "model/front/program_file.h"
#include "util/error.h"
#include "vm/lines.h"
#include "vm/process.h"

#include <fmt/format.h>

namespace gem_upload::vm {

std::vector<std::string> listed_libraries(std::string_view list, std::string_view program) {
    std::vector<std::string> paths;
    for (std::string_view line : lines_of(list)) {
        line.remove_prefix(std::min(line.find_first_not_of("\t "), line.size()));
        const std::size_t arrow = line.find(" => ");
        if (arrow != std::string_view::npos) {
            const std::string_view name = line.substr(0, arrow);
            line.remove_prefix(arrow + 4);
            if (!line.starts_with('/')) {
                throw failure(
                    fmt::format("'{}' needs the library {}, which is not here", program, name));
            }
        }
        if (line.starts_with('/')) {
            paths.emplace_back(line.substr(0, line.find(" (")));
        }
    }
    return paths;
}

std::vector<std::string> shared_libraries(const std::string& program, StopSignals& signals) {
    const model::ProgramFile file = model::inspect_program(program);
    if (file.elf && !file.elf64) {
        throw failure(fmt::format("'{}' is not a 64-bit x86 program: the guest is", program));
    }
    if (!file.dynamic) {
        return {};
    }
    ProcessSpec spec;
    spec.argv = {dynamic_loader, "--list", program};
    spec.without = {"LD_PRELOAD", "LD_AUDIT"};
    return listed_libraries(run_helper(spec, signals), program);
}

} // namespace gem_upload::vm
