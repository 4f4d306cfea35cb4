// Linux kernel images for x86-64: what they are, and which kernel they hold
// (Documentation/arch/x86/boot.rst; include/xen/interface/elfnote.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gem_upload::vm {

/// What a bzImage's setup header says.
struct BzImage {
    std::string release;      ///< "6.1.0-57-amd64"
    std::string_view payload; ///< the compressed vmlinux, in the image's bytes; empty where unknown
    bool cut_short = false;   ///< the file ends before its payload does
};

/// How a payload was compressed, and what undoes it.
struct Compression {
    std::string_view name;
    std::string_view program;
    std::string_view magic;
    std::size_t trailer; ///< bytes after the stream: the kernel's build appends the size
};

/// Nothing where the bytes are no bzImage.
[[nodiscard]] std::optional<BzImage> parse_bzimage(std::string_view bytes);
/// By the payload's first bytes; nullptr for an unknown one.
[[nodiscard]] const Compression* find_compression(std::string_view payload);

/// An ELF file for x86-64, which an uncompressed kernel is.
[[nodiscard]] bool is_elf_x86_64(std::string_view bytes);
/// The release in a vmlinux's banner ("Linux version ..."); empty where there is none.
[[nodiscard]] std::string vmlinux_release(std::string_view bytes);
/// Whether a vmlinux can be booted without its compressed wrapper: by PVH, the note
/// XEN_ELFNOTE_PHYS32_ENTRY (CONFIG_PVH).
[[nodiscard]] bool has_pvh_entry(std::string_view bytes);

} // namespace gem_upload::vm
