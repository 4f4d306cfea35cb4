#include "vm/kernel_series.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gem_upload::vm {
namespace {

constexpr std::array<std::string_view, 2> plain_flavours{"amd64", "generic"};
constexpr std::string_view unsigned_word = "unsigned-";

bool is_digit(char character) {
    return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

std::size_t digits_at_start(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

bool take(std::string_view& text, std::string_view prefix) {
    const bool has_it = text.starts_with(prefix);
    text.remove_prefix(has_it ? prefix.size() : 0);
    return has_it;
}

/// "6.1.0-57-amd64", but not "6.1.0-57-rt-amd64".
bool is_plain(std::string_view release) {
    const std::size_t last = release.rfind('-');
    if (last == std::string_view::npos ||
        std::ranges::find(plain_flavours, release.substr(last + 1)) == plain_flavours.end()) {
        return false;
    }
    const std::size_t first = release.find('-');
    return std::ranges::all_of(release.substr(first, last - first),
                               [](char c) { return c == '-' || is_digit(c); });
}

/// What may hold the image, in the order in which it is preferred: where there is a linux-binary,
/// linux-image only stands for it and the modules.
std::vector<std::string> image_packages(const std::string& release) {
    return {"linux-binary-" + release, "linux-binary-unsigned-" + release, "linux-image-" + release,
            "linux-image-" + release + "-unsigned", "linux-image-unsigned-" + release};
}

} // namespace

bool is_older(std::string_view one, std::string_view other) {
    while (!one.empty() && !other.empty()) {
        const std::size_t digits = digits_at_start(one);
        const std::size_t other_digits = digits_at_start(other);
        if (digits != other_digits) {
            return digits < other_digits;
        }
        const std::size_t length = std::max<std::size_t>(digits, 1);
        if (const int order = one.substr(0, length).compare(other.substr(0, length))) {
            return order < 0;
        }
        one.remove_prefix(length);
        other.remove_prefix(length);
    }
    return one.empty() && !other.empty();
}

std::string series_of(std::string_view release) {
    const std::size_t major = digits_at_start(release);
    if (major == 0 || major >= release.size() || release[major] != '.') {
        return "";
    }
    const std::size_t minor = digits_at_start(release.substr(major + 1));
    return minor == 0 ? "" : std::string(release.substr(0, major + 1 + minor));
}

std::optional<std::string> packaged_release(std::string_view package) {
    if (!take(package, "linux-image-") && !take(package, "linux-binary-")) {
        return std::nullopt;
    }
    (void)take(package, unsigned_word);
    if (package.ends_with("-unsigned")) {
        package.remove_suffix(unsigned_word.size());
    }
    // "6.12-amd64" is no kernel: it stands for the newest one.
    const std::string series = series_of(package);
    const bool is_release = !series.empty() && package.substr(series.size()).starts_with('.');
    return is_release && is_plain(package) ? std::optional<std::string>(package) : std::nullopt;
}

std::vector<std::string> newest_of_series(const std::vector<std::string>& names,
                                          std::string_view series) {
    std::string newest;
    for (const std::string& name : names) {
        const std::optional<std::string> release = packaged_release(name);
        if (release && series_of(*release) == series && is_older(newest, *release)) {
            newest = *release;
        }
    }
    const auto is_there = [&](const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    std::vector<std::string> packages;
    const std::vector<std::string> images = image_packages(newest);
    if (const auto image = std::ranges::find_if(images, is_there); image != images.end()) {
        packages.push_back(*image);
    }
    for (const char* modules : {"linux-modules-", "linux-modules-extra-"}) {
        if (!packages.empty() && is_there(modules + newest)) {
            packages.push_back(modules + newest);
        }
    }
    return packages;
}

std::vector<std::string> series_in(const std::vector<std::string>& names) {
    std::vector<std::string> series;
    for (const std::string& name : names) {
        if (const auto release = packaged_release(name)) {
            series.push_back(series_of(*release));
        }
    }
    std::ranges::sort(series, is_older);
    series.erase(std::unique(series.begin(), series.end()), series.end());
    return series;
}

} // namespace gem_upload::vm
