// A program that uploads pixels, reads back what arrived, and can be told to make one mistake.
// Usage: wrong_uploads CASE [wrong]; wrong_uploads all: every case, right.
// Without "wrong" it does the case right and exits with 0.
// Exit status 3: the pixels are wrong.
#include "raw_gem.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace gem_upload::raw;

constexpr std::uint32_t width = 128;
constexpr std::uint32_t height = 64;
constexpr std::uint32_t pitch = width * 4;
constexpr std::size_t pixels = std::size_t{width} * height;
constexpr std::size_t bytes = pixels * 4;

void require(int error) {
    if (error != 0) {
        std::fprintf(stderr, "EXECBUFFER2: %s\n", strerrorname_np(error));
        std::exit(failed_call_status);
    }
}

Blit whole(std::uint32_t destination, std::uint32_t source) {
    Blit blit;
    blit.destination = destination;
    blit.source = source;
    blit.width = width;
    blit.height = height;
    blit.destination_pitch = pitch;
    blit.source_pitch = pitch;
    return blit;
}

void fill(std::uint32_t* memory, std::uint32_t first, std::size_t count = pixels) {
    for (std::size_t i = 0; i < count; ++i) {
        memory[i] = first + static_cast<std::uint32_t>(i);
    }
}

std::vector<std::uint32_t> counting(std::uint32_t first) {
    std::vector<std::uint32_t> data(pixels);
    fill(data.data(), first);
    return data;
}

void check(const Gem& gem, std::uint32_t handle, const std::vector<std::uint32_t>& expected) {
    std::vector<std::uint32_t> found(pixels);
    gem.pread(handle, found.data(), bytes);
    for (std::size_t i = 0; i < pixels; ++i) {
        if (found[i] != expected[i]) {
            std::fprintf(stderr, "wrong pixels: pixel %zu is %u, not %u\n", i, found[i],
                         expected[i]);
            std::exit(wrong_pixels_status);
        }
    }
}

/// A write-back mapping is written again after the GPU has used the object.
void recycled_map(const Gem& gem, bool wrong) {
    const std::uint32_t source = gem.create(bytes);
    const std::uint32_t destination = gem.create(bytes);
    std::uint32_t* memory = gem.map(source, bytes);
    for (std::uint32_t round = 0; round < 3; ++round) {
        if (!wrong || round == 0) {
            gem.set_domain(source, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
        } else {
            gem.set_domain(destination, I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT); // idle, at least
        }
        fill(memory, 1 + round * 1000000);
        require(submit(gem, whole(destination, source)));
        check(gem, destination, counting(1 + round * 1000000));
    }
}

/// The CPU writes the line that lies beside one that the GPU has written.
void dirty_line_beside(const Gem& gem, bool wrong) {
    const std::uint32_t shared = gem.create(bytes);
    const std::uint32_t other = gem.create(bytes);
    const std::uint32_t destination = gem.create(bytes);
    gem.pwrite(other, counting(5000000).data(), bytes);
    std::uint32_t* memory = gem.map(shared, bytes);
    gem.set_domain(shared, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
    fill(memory, 1);
    Blit second_row = whole(shared, other); // the GPU writes row 1 of the object
    second_row.height = 1;
    second_row.destination_row = 1;
    require(submit(gem, second_row));
    if (!wrong) {
        gem.set_domain(shared, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
    } else {
        gem.set_domain(other, I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT);
    }
    fill(memory, 7000000, width); // and the CPU row 0
    require(submit(gem, whole(destination, shared)));
    std::vector<std::uint32_t> expected = counting(1);
    fill(expected.data(), 7000000, width);
    fill(expected.data() + width, 5000000, width);
    check(gem, destination, expected);
}

/// The GPU's writes are read through a write-back mapping.
void read_back(const Gem& gem, bool wrong) {
    const std::uint32_t source = gem.create(bytes);
    const std::uint32_t destination = gem.create(bytes);
    const std::uint32_t* memory = gem.map(destination, bytes);
    gem.set_domain(destination, I915_GEM_DOMAIN_CPU, 0);
    gem.pwrite(source, counting(9).data(), bytes);
    require(submit(gem, whole(destination, source)));
    gem.set_domain(wrong ? source : destination, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
    if (memory[pixels - 1] != 9 + pixels - 1) {
        std::fprintf(stderr, "wrong pixels: the last is %u\n", memory[pixels - 1]);
        std::exit(wrong_pixels_status);
    }
}

void clock_stopped_early(const Gem& gem, bool wrong) {
    const std::uint32_t source = gem.create(bytes);
    const std::uint32_t destination = gem.create(bytes);
    timespec start{};
    timespec stop{};
    ::clock_gettime(CLOCK_MONOTONIC, &start);
    gem.pwrite(source, counting(1).data(), bytes);
    require(submit(gem, whole(destination, source)));
    if (!wrong) {
        gem.set_domain(destination, I915_GEM_DOMAIN_GTT, I915_GEM_DOMAIN_GTT);
    }
    ::clock_gettime(CLOCK_MONOTONIC, &stop);
    check(gem, destination, counting(1));
}

/// A blit from a filled source; what is changed in it is the mistake.
void one_blit(const Gem& gem, const std::function<void(Blit&)>& change) {
    // Objects have room to spare, as libdrm's buckets give.
    const std::uint32_t source = gem.create(2 * bytes);
    const std::uint32_t destination = gem.create(2 * bytes);
    gem.pwrite(source, counting(1).data(), bytes);
    Blit blit = whole(destination, source);
    change(blit);
    require(submit(gem, blit));
    check(gem, destination, counting(1));
}

/// A buffer is written while the GPU has yet to read it.
void busy_buffer(const Gem& gem, bool wrong) {
    const std::uint32_t source = gem.create(bytes);
    const std::uint32_t destination = gem.create(bytes);
    std::uint32_t* memory = gem.map(source, bytes, I915_MMAP_WC);
    gem.set_domain(source, I915_GEM_DOMAIN_WC, I915_GEM_DOMAIN_WC);
    fill(memory, 1);
    require(submit(gem, whole(destination, source)));
    if (!wrong) {
        gem.set_domain(source, I915_GEM_DOMAIN_WC, I915_GEM_DOMAIN_WC);
    }
    fill(memory, 1000000);
    check(gem, destination, counting(1));
}

using Case = std::function<void(const Gem&, bool)>;

const std::map<std::string, Case>& cases() {
    const auto blit_case = [](const std::function<void(Blit&)>& mistake) {
        return [mistake](const Gem& gem, bool wrong) {
            one_blit(
                gem, wrong ? mistake : [](Blit&) {});
        };
    };
    static const std::map<std::string, Case> all{
        {"recycled-map", recycled_map},
        {"dirty-line-beside", dirty_line_beside},
        {"read-back", read_back},
        {"clock", clock_stopped_early},
        {"busy-buffer", busy_buffer},
        {"pitch-in-bounds", blit_case([](Blit& blit) { blit.source_pitch = pitch + 64; })},
        {"pitch-out-of-bounds", blit_case([](Blit& blit) { blit.destination_pitch = pitch * 8; })},
        {"missing-relocation", blit_case([](Blit& blit) { blit.relocate_source = false; })},
        {"blt-ring", blit_case([](Blit& blit) { blit.ring = I915_EXEC_BLT; })},
        {"depth", blit_case([](Blit& blit) { blit.depth = 1; })},
        {"coordinates", blit_case([](Blit& blit) { blit.height = height * 3; })},
    };
    return all;
}

} // namespace

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "";
    if (name == "all") {
        const Gem gem;
        for (const auto& [each, make] : cases()) {
            std::printf("%s\n", each.c_str());
            make(gem, false);
        }
        return 0;
    }
    const auto chosen = cases().find(name);
    if (chosen == cases().end()) {
        std::fprintf(stderr, "usage: wrong_uploads CASE [wrong] | all\n");
        return 2;
    }
    chosen->second(Gem(), argc > 2 && std::strcmp(argv[2], "wrong") == 0);
    return 0;
}
