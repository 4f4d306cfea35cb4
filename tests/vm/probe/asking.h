// How a question is put: by a process of its own.
#pragma once

#include "question.h"

#include <functional>
#include <string>

namespace gem_upload::probe {

/// What WORK says in a child of this process, or what became of the child ("killed by SIGSEGV").
/// Throws CannotAsk where there can be no child.
[[nodiscard]] std::string in_a_child(const std::function<std::string()>& work);

/// The answer to a question, from a process that opens the device for it alone: a question that
/// kills its process is answered by that, and leaves nothing to the next one.
[[nodiscard]] std::string answer_to(const Question& question);

} // namespace gem_upload::probe
