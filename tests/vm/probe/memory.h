// Memory of the questions: mappings of objects, and what happens where they are touched.
#pragma once

#include "client.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/mman.h>

namespace gem_upload::probe {

/// From here on touch_* survive SIGBUS and SIGSEGV.
void catch_faults();

/// Reads or writes a dword: "ok", "SIGBUS" or "SIGSEGV".
[[nodiscard]] std::string touch_read(const void* address);
[[nodiscard]] std::string touch_write(void* address, std::uint32_t value);
/// The dword as hexadecimal digits, or the signal.
[[nodiscard]] std::string read_text(const void* address);

/// A mapping that ends with its owner.
class Mapping {
public:
    /// mmap(2) of a descriptor at an offset.
    Mapping(int fd, std::uint64_t offset, std::size_t length,
            int protection = PROT_READ | PROT_WRITE, int flags = MAP_SHARED);
    /// Takes over what GEM_MMAP has mapped.
    Mapping(std::uint64_t address, std::size_t length);
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    /// The errno of the mapping, 0 where it stands.
    [[nodiscard]] int error() const { return error_; }
    [[nodiscard]] std::byte* at(std::size_t offset) const;
    [[nodiscard]] std::size_t length() const { return length_; }

private:
    void* address_;
    std::size_t length_;
    int error_;
};

/// Anonymous pages, readable and writable unless PROTECTION says otherwise.
[[nodiscard]] Mapping anonymous_pages(std::size_t count, int protection = PROT_READ | PROT_WRITE);

/// GEM_MMAP: 0 or the errno.
[[nodiscard]] int legacy_map(const Client& client, drm_i915_gem_mmap& arguments);
/// A mapping by GEM_MMAP of the whole object; throws CannotAsk.
[[nodiscard]] Mapping map_legacy(const Client& client, std::uint32_t handle, std::size_t bytes,
                                 std::uint64_t flags = 0);
/// MMAP_OFFSET's answer for I915_MMAP_OFFSET_*; throws CannotAsk.
[[nodiscard]] std::uint64_t map_offset(const Client& client, std::uint32_t handle,
                                       std::uint64_t kind);

} // namespace gem_upload::probe
