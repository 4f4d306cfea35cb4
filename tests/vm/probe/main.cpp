// probe [WORD]: asks the DRM driver behind /dev/dri every question of the tables, and prints a line
// an answer ("SET_TILING X stride 500: EINVAL"). With WORD: only those whose name begins with it.
//
// The lines of two runs can be compared as they are: they hold no addresses and no times. Asked of
// the real driver and of a model of it, they must be the same.
#include "asking.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <cstdio>
#include <exception>
#include <fmt/core.h>
#include <string_view>

namespace gem_upload::probe {
namespace {

using Area = Questions();

constexpr std::array<Area*, 20> areas{
    core_questions,       parameter_questions,  number_questions,    create_questions,
    transfer_questions,   mapping_questions,    domain_questions,    caching_questions,
    tiling_questions,     madvise_questions,    userptr_questions,   wait_questions,
    execbuffer_questions, relocation_questions, placement_questions, context_questions,
    query_questions,      sharing_questions,    dumb_questions,      access_questions,
};

void ask_all(std::string_view beginning) {
    for (Area* area : areas) {
        for (const Question& question : area()) {
            if (question.name.starts_with(beginning)) {
                fmt::print("{}: {}\n", question.name, answer_to(question));
            }
        }
    }
}

} // namespace
} // namespace gem_upload::probe

int main(int argc, char** argv) {
    try {
        gem_upload::probe::catch_faults();
        gem_upload::probe::ask_all(argc > 1 ? argv[1] : "");
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "probe: {}\n", error.what());
        return 1;
    }
}
