#include "expected_values.h"

#include "util/files.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace gem_upload::stats {
namespace {

ExpectedLine parse_line(const std::string& text) {
    std::istringstream words(text);
    ExpectedLine line;
    words >> line.kind;
    for (std::string word; words >> word;) {
        char* end = nullptr;
        const double number = std::strtod(word.c_str(), &end);
        if (*end == '\0') {
            line.numbers.push_back(number);
        } else {
            line.names.push_back(word);
        }
    }
    return line;
}

ExpectedValues load(const std::string& name) {
    ExpectedValues values;
    values.source = name + ".txt";
    std::istringstream text(read_file(TEST_FOLDER "/" + values.source));
    for (std::string line; std::getline(text, line);) {
        ExpectedLine parsed = parse_line(line);
        if (parsed.kind == "data") {
            values.data[parsed.names.front()] = parsed.numbers;
        } else {
            values.lines.push_back(std::move(parsed));
        }
    }
    return values;
}

} // namespace

std::vector<ExpectedLine> ExpectedValues::of_kind(const std::string& kind) const {
    std::vector<ExpectedLine> found;
    for (const ExpectedLine& line : lines) {
        if (line.kind == kind) {
            found.push_back(line);
        }
    }
    if (found.empty()) {
        throw std::runtime_error(source + " has no " + kind);
    }
    return found;
}

const ExpectedValues& expected_values(const std::string& name) {
    static std::map<std::string, ExpectedValues> loaded;
    const auto known = loaded.find(name);
    return known != loaded.end() ? known->second : loaded.emplace(name, load(name)).first->second;
}

double tolerance(double expected, double scale) {
    return 1e-9 * std::abs(expected) + 4 * std::numeric_limits<double>::epsilon() * scale;
}

} // namespace gem_upload::stats
