// A question to a driver, and the tables of them, one for each area of the uAPI.
#pragma once

#include "client.h"

#include <functional>
#include <string>
#include <vector>

namespace gem_upload::probe {

struct Question {
    std::string name;
    /// Asked with a client of its own, which is closed afterwards with all its objects.
    std::function<std::string(const Client&)> answer;
    Node node = Node::render;
};

using Questions = std::vector<Question>;

[[nodiscard]] Questions access_questions();
[[nodiscard]] Questions caching_questions();
[[nodiscard]] Questions context_questions();
[[nodiscard]] Questions core_questions();
[[nodiscard]] Questions create_questions();
[[nodiscard]] Questions domain_questions();
[[nodiscard]] Questions dumb_questions();
[[nodiscard]] Questions execbuffer_questions();
[[nodiscard]] Questions madvise_questions();
[[nodiscard]] Questions mapping_questions();
[[nodiscard]] Questions number_questions();
[[nodiscard]] Questions parameter_questions();
[[nodiscard]] Questions placement_questions();
[[nodiscard]] Questions query_questions();
[[nodiscard]] Questions relocation_questions();
[[nodiscard]] Questions sharing_questions();
[[nodiscard]] Questions tiling_questions();
[[nodiscard]] Questions transfer_questions();
[[nodiscard]] Questions userptr_questions();
[[nodiscard]] Questions wait_questions();

} // namespace gem_upload::probe
