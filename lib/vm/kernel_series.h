// Which of a distribution's packages hold the newest kernel of a series, by their names alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gem_upload::vm {

/// "6.12" for "6.12.117+deb12-amd64"; empty where it is no release.
[[nodiscard]] std::string series_of(std::string_view release);

/// The kernel that a package is of, where it is a plain one (no cloud, realtime or debug kernel):
/// "6.12.117+deb12-amd64" for "linux-image-6.12.117+deb12-amd64-unsigned".
[[nodiscard]] std::optional<std::string> packaged_release(std::string_view package);

/// The packages with image and modules of the newest kernel of SERIES among NAMES, the signed ones
/// where there are both; none where there is no such kernel. One holds both, or the image stands
/// apart from the modules (Ubuntu, Debian from 7.0 on).
[[nodiscard]] std::vector<std::string> newest_of_series(const std::vector<std::string>& names,
                                                        std::string_view series);

/// The series that NAMES have kernels of, oldest first.
[[nodiscard]] std::vector<std::string> series_in(const std::vector<std::string>& names);

/// As versions are ordered: by numbers where there are digits.
[[nodiscard]] bool is_older(std::string_view one, std::string_view other);

} // namespace gem_upload::vm
