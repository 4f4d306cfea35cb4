// The stores and copies of upload_blit_large and nothing else: what the harness is held against.
// usage: bare_upload WIDTH HEIGHT ITERATIONS WARMUP
#include "bench/store.h"
#include "results/result.h"
#include "util/error.h"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gem_upload {
namespace {

std::uint64_t parse_count(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value == 0) {
        throw usage_error(fmt::format("'{}' is not a count", text));
    }
    return value;
}

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};

/// Memory for an image; GPU objects begin at a page, and where copies begin matters to the CPU.
std::unique_ptr<void, Free> allocate_pages(std::uint64_t bytes) {
    constexpr std::uint64_t page = 4096;
    std::unique_ptr<void, Free> memory{std::aligned_alloc(page, (bytes + page - 1) / page * page)};
    if (!memory) {
        throw failed_call("aligned_alloc", fmt::format("{} bytes", bytes), errno);
    }
    return memory;
}

/// An image's way on the software GPU: generated, copied by PWRITE, copied by the blitter.
class BareUpload {
public:
    explicit BareUpload(std::uint64_t dwords)
        : generated_(dwords),
          object_(allocate_pages(bytes())),
          destination_(allocate_pages(bytes())),
          fill_(bench::find_fill(bench::StoreKind{})) {}

    void iterate() {
        next_ = fill_(generated_.data(), generated_.size(), next_);
        std::memcpy(object_.get(), generated_.data(), bytes());
        std::memcpy(destination_.get(), object_.get(), bytes());
        asm volatile("" : : "r"(destination_.get()) : "memory"); // the copies count as used
    }
    [[nodiscard]] std::uint64_t bytes() const { return generated_.size() * 4; }

private:
    std::vector<std::uint32_t> generated_;
    std::unique_ptr<void, Free> object_, destination_;
    bench::FillCounter fill_;
    std::uint32_t next_ = 1;
};

results::Sample measure(std::span<char*> arguments) {
    if (arguments.size() != 5) {
        throw usage_error("usage: bare_upload WIDTH HEIGHT ITERATIONS WARMUP");
    }
    BareUpload upload{parse_count(arguments[1]) * parse_count(arguments[2])};
    const std::uint64_t iterations = parse_count(arguments[3]);
    for (std::uint64_t left = parse_count(arguments[4]); left > 0; --left) {
        upload.iterate();
    }
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t left = iterations; left > 0; --left) {
        upload.iterate();
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return {elapsed.count(), iterations, iterations * upload.bytes(), false};
}

} // namespace
} // namespace gem_upload

int main(int argc, char** argv) {
    try {
        const auto sample = gem_upload::measure({argv, static_cast<std::size_t>(argc)});
        fmt::print("{}\n", gem_upload::results::igt_line(sample));
        return 0;
    } catch (const gem_upload::Error& error) {
        fmt::print(stderr, "bare_upload: {}\n", error.what());
        return static_cast<int>(error.status());
    } catch (const std::exception& error) {
        fmt::print(stderr, "bare_upload: {}\n", error.what());
        return static_cast<int>(gem_upload::Exit::failure);
    }
}
