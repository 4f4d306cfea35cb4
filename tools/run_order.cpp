#include "run_order.h"

#include "util/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <utility>

namespace gem_upload::tools {
namespace {

using Permutation = std::vector<std::size_t>;
constexpr std::uint64_t most_rounds = 10000;

/// A number below `bound`, each equally likely: draws from the incomplete last interval of the
/// generator's range are rejected.
std::uint64_t draw(std::mt19937_64& generator, std::uint64_t bound) {
    const std::uint64_t unfair = (0 - bound) % bound; // 2^64 mod bound
    for (;;) {
        const std::uint64_t number = generator();
        if (number >= unfair) {
            return number % bound;
        }
    }
}

Permutation shuffled(std::size_t size, std::mt19937_64& generator) {
    Permutation permutation(size);
    std::iota(permutation.begin(), permutation.end(), std::size_t{0});
    for (std::size_t left = size; left > 1; --left) {
        std::swap(permutation[left - 1], permutation[draw(generator, left)]);
    }
    return permutation;
}

std::size_t rounds_of_a_block(std::size_t methods) {
    return std::max<std::size_t>(methods, 1);
}

void append_abba(std::vector<Permutation>& order, std::mt19937_64& generator) {
    const Permutation first = shuffled(2, generator);
    order.push_back(first);
    order.push_back({first[1], first[0]});
}

void append_latin_square(std::vector<Permutation>& order, std::size_t size,
                         std::mt19937_64& generator) {
    const Permutation symbols = shuffled(size, generator);
    for (const std::size_t row : shuffled(size, generator)) {
        Permutation& round = order.emplace_back();
        for (std::size_t column = 0; column < size; ++column) {
            round.push_back(symbols[(row + column) % size]);
        }
    }
}

} // namespace

std::uint64_t balanced_rounds(std::size_t methods, std::uint64_t rounds) {
    if (rounds < 1 || rounds > most_rounds) {
        throw usage_error(
            fmt::format("--rounds must be between 1 and {}, not {}", most_rounds, rounds));
    }
    const std::uint64_t block = rounds_of_a_block(methods);
    return (rounds + block - 1) / block * block;
}

std::vector<std::vector<std::size_t>> balanced_order(std::size_t methods, std::uint64_t rounds,
                                                     std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::vector<Permutation> order;
    while (order.size() < rounds) {
        if (methods == 2) {
            append_abba(order, generator);
        } else {
            append_latin_square(order, methods, generator);
        }
    }
    return order;
}

} // namespace gem_upload::tools
