// How much the blitter adds to the copy itself: the canonical blit against memcpy of the same
// bytes, taken in turns. Says something about the model only.
#include "core_memory.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace gem_upload::model {
namespace {

constexpr std::uint32_t destination = 0x1000000;
constexpr std::uint32_t source = 0x2000000;
constexpr std::size_t bytes = std::size_t{1280} * 720 * 4;
constexpr int rounds = 101;

template <typename Work>
double seconds(Work&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + rounds / 2, values.end());
    return values[rounds / 2];
}

/// Medians over the rounds; false if the blit failed.
bool report(std::string_view name, std::uint32_t header, std::uint32_t source_pitch) {
    TestGpu gpu("g45");
    gpu.memory.add(destination, bytes);
    gpu.memory.add(source, bytes);
    std::vector<double> blits;
    std::vector<double> ratios;
    for (int i = 0; i < rounds; ++i) {
        std::string fault;
        const double blit = seconds([&] {
            fault = gpu.run({header, 0x03cc1400, 0, 0x02d00500, destination, 0, source_pitch,
                             source, 0x05000000, 0});
        });
        if (!fault.empty()) {
            fmt::print(stderr, "{}\n", fault);
            return false;
        }
        const double copy = seconds([&] {
            std::memcpy(gpu.memory.object(destination).data(), gpu.memory.object(source).data(),
                        bytes);
        });
        blits.push_back(blit);
        ratios.push_back(copy / blit);
    }
    fmt::print("{}: {:.0f} us a blit, {:.3f} of memcpy's speed (medians of {})\n", name,
               median(blits) * 1e6, median(ratios), rounds);
    return true;
}

} // namespace
} // namespace gem_upload::model

int main() {
    const bool linear = gem_upload::model::report("linear", 0x54f00006, 0x1400);
    const bool tiled = gem_upload::model::report("X-tiled source", 0x54f08006, 0x500);
    return linear && tiled ? 0 : 1;
}
