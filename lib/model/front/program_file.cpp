#include "model/front/program_file.h"

#include "util/error.h"
#include "util/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace gem_upload::model {
namespace {

/// A structure at an offset of the file, if the file is that long.
template <typename Structure>
std::optional<Structure> read_at(std::string_view file, std::size_t offset) {
    Structure structure;
    if (offset > file.size() || file.size() - offset < sizeof structure) {
        return std::nullopt;
    }
    std::memcpy(&structure, file.data() + offset, sizeof structure);
    return structure;
}

std::vector<Elf64_Phdr> program_headers(std::string_view file, const Elf64_Ehdr& header) {
    std::vector<Elf64_Phdr> headers;
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
        const auto entry = read_at<Elf64_Phdr>(file, header.e_phoff + i * header.e_phentsize);
        if (!entry) {
            break;
        }
        headers.push_back(*entry);
    }
    return headers;
}

std::size_t file_offset(const std::vector<Elf64_Phdr>& headers, Elf64_Addr address) {
    for (const Elf64_Phdr& header : headers) {
        if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
            address - header.p_vaddr < header.p_filesz) {
            return header.p_offset + (address - header.p_vaddr);
        }
    }
    return std::string_view::npos;
}

std::vector<std::string> needed_libraries(std::string_view file,
                                          const std::vector<Elf64_Phdr>& headers,
                                          const Elf64_Phdr& dynamic) {
    std::vector<Elf64_Xword> names;
    std::size_t strings = std::string_view::npos;
    for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
        const auto entry = read_at<Elf64_Dyn>(file, dynamic.p_offset + at);
        if (!entry || entry->d_tag == DT_NULL) {
            break;
        }
        if (entry->d_tag == DT_NEEDED) {
            names.push_back(entry->d_un.d_val);
        } else if (entry->d_tag == DT_STRTAB) {
            strings = file_offset(headers, entry->d_un.d_ptr);
        }
    }
    std::vector<std::string> libraries;
    for (const Elf64_Xword name : names) {
        if (strings < file.size() && name < file.size() - strings) {
            const std::string_view rest = file.substr(strings + name);
            libraries.emplace_back(rest.substr(0, rest.find('\0')));
        }
    }
    return libraries;
}

/// The kernel starts it with more rights than ours (AT_SECURE).
bool is_privileged(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return false;
    }
    const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid();
    const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != ::getegid();
    const bool capabilities =
        ::geteuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
    return other_user || other_group || capabilities;
}

bool is_executable_file(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

} // namespace

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        if (!is_executable_file(name)) {
            throw usage_error(fmt::format("'{}' is not a program that can be executed", name));
        }
        return name;
    }
    const char* variable = std::getenv("PATH");
    std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    while (!folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
        std::string path = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
        if (is_executable_file(path)) {
            return path;
        }
    }
    throw usage_error(fmt::format("there is no program '{}' in PATH", name));
}

ProgramFile inspect_program(const std::string& path) {
    const MappedFile mapped(path);
    const std::string_view file = mapped.content();
    ProgramFile result;
    result.privileged = is_privileged(path);
    const auto header = read_at<Elf64_Ehdr>(file, 0);
    result.elf = file.starts_with(std::string_view(ELFMAG, SELFMAG));
    result.elf64 = result.elf && header && header->e_ident[EI_CLASS] == ELFCLASS64 &&
                   header->e_machine == EM_X86_64;
    if (!result.elf64) {
        return result;
    }
    const std::vector<Elf64_Phdr> headers = program_headers(file, *header);
    for (const Elf64_Phdr& entry : headers) {
        result.dynamic = result.dynamic || entry.p_type == PT_INTERP;
        if (entry.p_type == PT_DYNAMIC) {
            result.needed = needed_libraries(file, headers, entry);
        }
    }
    return result;
}

std::string sanitizer_runtime(const ProgramFile& file) {
    const auto runtime =
        std::find_if(file.needed.begin(), file.needed.end(),
                     [](const std::string& name) { return name.starts_with("libasan.so"); });
    return runtime == file.needed.end() ? std::string() : *runtime;
}

} // namespace gem_upload::model
