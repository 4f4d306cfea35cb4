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
#include <utility>

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

Questions that_begin_with(std::string_view beginning) {
    Questions chosen;
    for (Area* area : areas) {
        Questions questions = area();
        for (Question& question : questions) {
            if (question.name.starts_with(beginning)) {
                chosen.push_back(std::move(question));
            }
        }
    }
    return chosen;
}

} // namespace
} // namespace gem_upload::probe

int main(int argc, char** argv) {
    try {
        gem_upload::probe::catch_faults();
        const auto questions = gem_upload::probe::that_begin_with(argc > 1 ? argv[1] : "");
        return gem_upload::probe::ask_all(questions) ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "probe: {}\n", error.what());
        return 1;
    }
}
