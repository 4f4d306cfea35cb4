#include "vm/kernel_image.h"

#include <array>
#include <cstring>
#include <elf.h>

namespace gem_upload::vm {
namespace {

using namespace std::string_view_literals;

// Offsets of the setup header's fields.
constexpr std::size_t setup_sectors_at = 0x1f1;
constexpr std::size_t boot_flag_at = 0x1fe;
constexpr std::size_t magic_at = 0x202;
constexpr std::size_t protocol_at = 0x206;
constexpr std::size_t version_pointer_at = 0x20e;
constexpr std::size_t payload_offset_at = 0x248;
constexpr std::size_t payload_bytes_at = 0x24c;
constexpr std::size_t header_end = 0x250;
constexpr std::size_t sector = 512;
constexpr std::uint16_t boot_flag = 0xaa55;
constexpr std::uint16_t first_protocol_with_payload = 0x0208;

constexpr std::array<Compression, 7> compressions{{
    {"gzip", "gzip", "\x1f\x8b"sv, 0},
    {"xz", "xz",
     "\xfd"
     "7zXZ\0"sv,
     4},
    {"zstd", "zstd", "\x28\xb5\x2f\xfd"sv, 4},
    {"lzma", "xz", "\x5d\0\0"sv, 4},
    {"bzip2", "bzip2", "BZh"sv, 4},
    {"lz4", "lz4", "\x02\x21\x4c\x18"sv, 4},
    {"lzo", "lzop", "\x89LZO"sv, 4},
}};

template <typename T>
std::optional<T> value_at(std::string_view bytes, std::size_t offset) {
    T value{};
    if (offset > bytes.size() || bytes.size() - offset < sizeof value) {
        return std::nullopt;
    }
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string_view piece(std::string_view bytes, std::uint64_t offset, std::uint64_t count) {
    return offset > bytes.size() || count > bytes.size() - offset ? std::string_view{}
                                                                  : bytes.substr(offset, count);
}

std::string first_word(std::string_view text) {
    return std::string(text.substr(0, text.find_first_of(" \n\0"sv)));
}

void find_payload(BzImage& image, std::string_view bytes) {
    if (*value_at<std::uint16_t>(bytes, protocol_at) < first_protocol_with_payload) {
        return;
    }
    const auto sectors = *value_at<std::uint8_t>(bytes, setup_sectors_at);
    const std::uint64_t protected_mode = ((sectors == 0 ? 4U : sectors) + 1) * sector;
    image.payload =
        piece(bytes, protected_mode + *value_at<std::uint32_t>(bytes, payload_offset_at),
              *value_at<std::uint32_t>(bytes, payload_bytes_at));
    image.cut_short = image.payload.empty();
}

constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 3) & ~std::uint64_t{3};
}

bool note_segment_has_pvh(std::string_view notes) {
    constexpr std::uint32_t phys32_entry = 18;
    while (const auto note = value_at<Elf64_Nhdr>(notes, 0)) {
        const std::string_view name = piece(notes, sizeof *note, note->n_namesz);
        if (note->n_type == phys32_entry && name == "Xen\0"sv) {
            return true;
        }
        const std::uint64_t whole =
            sizeof *note + aligned(note->n_namesz) + aligned(note->n_descsz);
        if (whole > notes.size()) {
            return false;
        }
        notes.remove_prefix(whole);
    }
    return false;
}

} // namespace

std::optional<BzImage> parse_bzimage(std::string_view bytes) {
    if (bytes.size() < header_end || bytes.substr(magic_at, 4) != "HdrS" ||
        *value_at<std::uint16_t>(bytes, boot_flag_at) != boot_flag) {
        return std::nullopt;
    }
    BzImage image;
    const std::size_t version = std::size_t{*value_at<std::uint16_t>(bytes, version_pointer_at)};
    if (version != 0 && version + sector < bytes.size()) {
        image.release = first_word(bytes.substr(version + sector, 256));
    }
    find_payload(image, bytes);
    return image;
}

const Compression* find_compression(std::string_view payload) {
    for (const Compression& compression : compressions) {
        if (payload.starts_with(compression.magic)) {
            return &compression;
        }
    }
    return nullptr;
}

bool is_elf_x86_64(std::string_view bytes) {
    const auto header = value_at<Elf64_Ehdr>(bytes, 0);
    return header && bytes.starts_with(ELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_machine == EM_X86_64;
}

std::string vmlinux_release(std::string_view bytes) {
    constexpr std::string_view banner = "Linux version ";
    // The same words stand in front of a format ("Linux version %s"), too.
    for (std::size_t at = bytes.find(banner); at != std::string_view::npos;
         at = bytes.find(banner, at + 1)) {
        const std::string release = first_word(bytes.substr(at + banner.size(), 256));
        if (!release.empty() && release.front() >= '0' && release.front() <= '9') {
            return release;
        }
    }
    return "";
}

bool has_pvh_entry(std::string_view bytes) {
    if (!is_elf_x86_64(bytes)) {
        return false;
    }
    const auto header = *value_at<Elf64_Ehdr>(bytes, 0);
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
        const auto segment = value_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
        if (segment && segment->p_type == PT_NOTE &&
            note_segment_has_pvh(piece(bytes, segment->p_offset, segment->p_filesz))) {
            return true;
        }
    }
    return false;
}

} // namespace gem_upload::vm
