// Asking in processes of their own, so that a question which kills is answered by that.
#pragma once

#include "question.h"

#include <functional>
#include <string>

namespace gem_upload::probe {

/// What WORK returned in a child of this process, or how the child ended.
[[nodiscard]] std::string in_a_child(const std::function<std::string()>& work);

/// Asks all QUESTIONS in order, in one child as long as it lives, and prints "name: answer" lines.
/// True if every child ended well: on the model one does not whose batches were at fault.
[[nodiscard]] bool ask_all(const Questions& questions);

} // namespace gem_upload::probe
