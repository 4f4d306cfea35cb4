// Where this project's other programs and the model's layer lie, seen from the running program.
#pragma once

#include <string>
#include <string_view>

namespace gem_upload {

/// The absolute path of a file that belongs to this project ("upload_blit_large",
/// "gem-upload-model.so"): in the build tree or in the installed one, wherever that was moved.
/// Throws failure naming the folders searched.
[[nodiscard]] std::string find_sibling(std::string_view name);

} // namespace gem_upload
