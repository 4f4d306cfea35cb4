// GEM_MMAP, MMAP_GTT, MMAP_OFFSET, mmap(2) and page faults (gem/i915_gem_mman.c).
#include "answer.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace gem_upload::probe {
namespace {

constexpr std::uint64_t object_bytes = 4 * page;

struct Kind {
    std::string_view name;
    std::uint64_t flags;
};

constexpr std::array<Kind, 4> kinds{{
    {"GTT", I915_MMAP_OFFSET_GTT},
    {"WC", I915_MMAP_OFFSET_WC},
    {"WB", I915_MMAP_OFFSET_WB},
    {"UC", I915_MMAP_OFFSET_UC},
}};

struct LegacyCase {
    std::string_view name;
    std::uint64_t offset;
    std::uint64_t size;
    std::uint64_t flags;
};

constexpr std::array<LegacyCase, 14> legacy_cases{{
    {"all", 0, object_bytes, 0},
    {"a page", 0, page, 0},
    {"the last page", object_bytes - page, page, 0},
    {"a byte", 0, 1, 0},
    {"nothing", 0, 0, 0},
    {"one page too many", 0, object_bytes + page, 0},
    {"one byte too many", 0, object_bytes + 1, 0},
    {"at odd offset", 4, page, 0},
    {"at the end", object_bytes, page, 0},
    {"offset that overflows", ~std::uint64_t{page - 1}, 2 * page, 0},
    {"WC", 0, object_bytes, I915_MMAP_WC},
    {"flag 1", 0, object_bytes, 2},
    {"flag 63", 0, object_bytes, std::uint64_t{1} << 63},
    {"WC and flag 1", 0, object_bytes, 3},
}};

std::string legacy(const Client& client, std::uint32_t handle, const LegacyCase& entry) {
    drm_i915_gem_mmap arguments{};
    arguments.handle = handle;
    arguments.offset = entry.offset;
    arguments.size = entry.size;
    arguments.flags = entry.flags;
    const int error = legacy_map(client, arguments);
    if (error != 0) {
        return errno_text(error);
    }
    const Mapping map(arguments.addr_ptr, entry.size);
    return fmt::format("ok, aligned {}, {}", yes_or_no(arguments.addr_ptr % page == 0),
                       read_text(map.at(0)));
}

std::uint32_t numbered_object(const Client& client) {
    const std::uint32_t handle = client.create(object_bytes);
    for (std::uint32_t i = 0; i < object_bytes / page; ++i) {
        client.write(handle, std::uint64_t{i} * page, {0x100 + i});
    }
    return handle;
}

struct MapCase {
    std::string_view name;
    std::uint64_t skip; ///< added to the offset
    std::size_t length;
    int protection;
    int flags;
};

constexpr int read_write = PROT_READ | PROT_WRITE;

constexpr std::array<MapCase, 10> map_cases{{
    {"all", 0, object_bytes, read_write, MAP_SHARED},
    {"a page", 0, page, read_write, MAP_SHARED},
    {"a byte", 0, 1, read_write, MAP_SHARED},
    {"one page too many", 0, object_bytes + page, read_write, MAP_SHARED},
    {"from the second page", page, page, read_write, MAP_SHARED},
    {"from the second page to the end", page, object_bytes - page, read_write, MAP_SHARED},
    {"past the end", object_bytes, page, read_write, MAP_SHARED},
    {"private", 0, object_bytes, PROT_READ, MAP_PRIVATE},
    {"to read", 0, object_bytes, PROT_READ, MAP_SHARED},
    {"populated", 0, object_bytes, read_write, MAP_SHARED | MAP_POPULATE},
}};

std::string map(const Client& client, const Kind& kind, const MapCase& entry) {
    const std::uint32_t handle = numbered_object(client);
    const std::uint64_t offset = map_offset(client, handle, kind.flags);
    const Mapping mapping(client.fd(), offset + entry.skip, entry.length, entry.protection,
                          entry.flags);
    if (mapping.error() != 0) {
        return errno_text(mapping.error());
    }
    std::string answer = "ok, " + read_text(mapping.at(0));
    if (entry.length >= object_bytes) {
        answer += ", last page " + read_text(mapping.at(object_bytes - page));
    }
    if (entry.flags == MAP_SHARED) {
        answer += ", write " + touch_write(mapping.at(0), 0x77);
    }
    return answer;
}

int offset_error(const Client& client, std::uint32_t handle, std::uint64_t flags,
                 std::uint64_t extensions = 0, std::uint32_t pad = 0) {
    drm_i915_gem_mmap_offset arguments{};
    arguments.handle = handle;
    arguments.flags = flags;
    arguments.extensions = extensions;
    arguments.pad = pad;
    return client.attempt(DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arguments);
}

std::string offsets_compared(const Client& client) {
    const std::uint32_t handle = client.create(object_bytes);
    const std::uint32_t other = client.create(object_bytes);
    drm_i915_gem_mmap_gtt gtt{handle, 0, 0};
    insist("MMAP_GTT", client.attempt(DRM_IOCTL_I915_GEM_MMAP_GTT, &gtt));
    const std::uint64_t same = map_offset(client, handle, I915_MMAP_OFFSET_GTT);
    const std::uint64_t back = map_offset(client, handle, I915_MMAP_OFFSET_WB);
    const std::uint64_t combining = map_offset(client, handle, I915_MMAP_OFFSET_WC);
    const std::uint64_t uncached = map_offset(client, handle, I915_MMAP_OFFSET_UC);
    const std::uint64_t again = map_offset(client, handle, I915_MMAP_OFFSET_WB);
    return fmt::format("GTT twice {}, WB twice {}, GTT and WB {}, WB and WC {}, WC and UC {}, "
                       "another object {}, page aligned {}",
                       gtt.offset == same ? "same" : "differ", back == again ? "same" : "differ",
                       same == back ? "same" : "differ", back == combining ? "same" : "differ",
                       combining == uncached ? "same" : "differ",
                       map_offset(client, other, I915_MMAP_OFFSET_GTT) == same ? "same" : "differs",
                       yes_or_no(same % page == 0));
}

std::string by_another_client(const Client& client) {
    const std::uint64_t offset =
        map_offset(client, client.create(object_bytes), I915_MMAP_OFFSET_WB);
    const Client other(Node::render);
    return errno_text(Mapping(other.fd(), offset, page).error());
}

/// EACCES until the kernel has freed the object, at leisure, and EINVAL then: both refuse.
std::string after_close(const Client& client, std::uint64_t kind) {
    const std::uint32_t handle = client.create(object_bytes);
    const std::uint64_t offset = map_offset(client, handle, kind);
    client.close(handle);
    const int error = Mapping(client.fd(), offset, page).error();
    return error == EACCES || error == EINVAL ? "refused" : errno_text(error);
}

std::string kept_after_close(const Client& client, std::uint64_t kind) {
    const std::uint32_t handle = numbered_object(client);
    const Mapping mapping(client.fd(), map_offset(client, handle, kind), object_bytes);
    (void)mapping.at(0);
    client.close(handle);
    return fmt::format(
        "{}, mapping again {}", read_text(mapping.at(page)),
        errno_text(
            Mapping(client.fd(), map_offset(client, client.create(page), kind), page).error()));
}

std::string legacy_kept_after_close(const Client& client) {
    const std::uint32_t handle = numbered_object(client);
    const Mapping mapping = map_legacy(client, handle, object_bytes);
    client.close(handle);
    return read_text(mapping.at(page));
}

std::string write_where_read_only(const Client& client, const Kind& kind) {
    const std::uint32_t handle = client.create(page);
    const Mapping mapping(client.fd(), map_offset(client, handle, kind.flags), page, PROT_READ);
    return touch_write(mapping.at(0), 1);
}

std::string made_writable(const Client& client, const Kind& kind) {
    const std::uint32_t handle = client.create(page);
    const Mapping mapping(client.fd(), map_offset(client, handle, kind.flags), page, PROT_READ);
    if (::mprotect(mapping.at(0), page, read_write) != 0) {
        return errno_text(errno);
    }
    return touch_write(mapping.at(0), 1);
}

std::string grown(const Client& client, const Kind& kind) {
    const std::uint32_t handle = client.create(object_bytes);
    const Mapping mapping(client.fd(), map_offset(client, handle, kind.flags), page);
    const void* const larger = ::mremap(mapping.at(0), page, 2 * page, 0);
    const void* const moved = ::mremap(mapping.at(0), page, 2 * page, MREMAP_MAYMOVE);
    return fmt::format("{}, {}", larger == MAP_FAILED ? "refused" : "ok",
                       moved == MAP_FAILED ? "refused" : "ok");
}

std::string partly_unmapped(const Client& client, const Kind& kind) {
    const std::uint32_t handle = numbered_object(client);
    const Mapping mapping(client.fd(), map_offset(client, handle, kind.flags), object_bytes);
    ::munmap(mapping.at(page), page);
    return fmt::format("{}, {}, {}", read_text(mapping.at(0)), read_text(mapping.at(page)),
                       read_text(mapping.at(2 * page)));
}

std::string by_the_child(const Client& client, const Kind& kind) {
    const std::uint32_t handle = numbered_object(client);
    const Mapping mapping(client.fd(), map_offset(client, handle, kind.flags), object_bytes);
    auto* const start = mapping.at(0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(touch_write(start, 0x5a) == "ok" ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return fmt::format("child {}, parent {}", status == 0 ? "ok" : "failed", read_text(start));
}

/// Parts without LLC: snooped objects cannot be reached through the aperture.
std::string snooped(const Client& client, bool before) {
    const std::uint32_t handle = client.create(page);
    const drm_i915_gem_caching cached{handle, I915_CACHING_CACHED};
    if (before) {
        insist("SET_CACHING", client.attempt(DRM_IOCTL_I915_GEM_SET_CACHING, cached));
    }
    const Mapping mapping(client.fd(), map_offset(client, handle, I915_MMAP_OFFSET_GTT), page);
    const std::string first = touch_read(mapping.at(0));
    if (!before) {
        insist("SET_CACHING", client.attempt(DRM_IOCTL_I915_GEM_SET_CACHING, cached));
    }
    const std::string second = touch_read(mapping.at(0));
    insist("SET_CACHING", client.attempt(DRM_IOCTL_I915_GEM_SET_CACHING,
                                         drm_i915_gem_caching{handle, I915_CACHING_NONE}));
    return fmt::format("{}, {}, uncached again {}", first, second, touch_read(mapping.at(0)));
}

Questions legacy_questions() {
    Questions questions;
    for (const LegacyCase& entry : legacy_cases) {
        questions.push_back({fmt::format("MMAP {}", entry.name), [entry](const Client& client) {
                                 return legacy(client, numbered_object(client), entry);
                             }});
    }
    questions.push_back({"MMAP no object", [](const Client& client) {
                             return legacy(client, 77, legacy_cases.front());
                         }});
    questions.push_back({"MMAP of nothing of no object", [](const Client& client) {
                             return legacy(client, 77, {"", 0, 0, 0});
                         }});
    questions.push_back({"MMAP with pad", [](const Client& client) {
                             drm_i915_gem_mmap arguments{};
                             arguments.handle = client.create(page);
                             arguments.pad = 1;
                             arguments.size = page;
                             return errno_text(legacy_map(client, arguments));
                         }});
    questions.push_back({"MMAP, then the handle closed", legacy_kept_after_close});
    return questions;
}

Questions kind_questions() {
    Questions questions;
    for (const Kind& kind : kinds) {
        for (const MapCase& entry : map_cases) {
            questions.push_back(
                {fmt::format("mmap {} {}", kind.name, entry.name),
                 [kind, entry](const Client& client) { return map(client, kind, entry); }});
        }
        const auto add = [&questions, kind](const char* name,
                                            std::string (*ask)(const Client&, const Kind&)) {
            questions.push_back({fmt::format("mmap {} {}", kind.name, name),
                                 [kind, ask](const Client& client) { return ask(client, kind); }});
        };
        add("to read, then written", write_where_read_only);
        add("to read, then made writable", made_writable);
        add("mremap larger", grown);
        add("unmapped in the middle", partly_unmapped);
        add("written by a child", by_the_child);
        questions.push_back(
            {fmt::format("mmap {} after the handle was closed", kind.name),
             [kind](const Client& client) { return after_close(client, kind.flags); }});
        questions.push_back(
            {fmt::format("mmap {}, then the handle closed", kind.name),
             [kind](const Client& client) { return kept_after_close(client, kind.flags); }});
    }
    return questions;
}

Questions offset_questions() {
    Questions questions;
    for (const std::uint64_t flags :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4},
          std::uint64_t{5}, ~std::uint64_t{0}}) {
        questions.push_back(
            {fmt::format("MMAP_OFFSET flags {:#x}", flags), [flags](const Client& client) {
                 return errno_text(offset_error(client, client.create(page), flags));
             }});
        questions.push_back({fmt::format("MMAP_OFFSET flags {:#x} no object", flags),
                             [flags](const Client& client) {
                                 return errno_text(offset_error(client, 77, flags));
                             }});
    }
    return questions;
}

} // namespace

Questions mapping_questions() {
    Questions questions = legacy_questions();
    for (const Questions& more : {offset_questions(), kind_questions()}) {
        questions.insert(questions.end(), more.begin(), more.end());
    }
    const Questions more{
        {"MMAP_OFFSET with extensions",
         [](const Client& client) {
             const i915_user_extension extension{};
             return errno_text(offset_error(client, client.create(page), I915_MMAP_OFFSET_WB,
                                            pointer(&extension)));
         }},
        {"MMAP_OFFSET with pad",
         [](const Client& client) {
             return errno_text(
                 offset_error(client, client.create(page), I915_MMAP_OFFSET_WB, 0, 1));
         }},
        {"MMAP_GTT no object",
         [](const Client& client) {
             return errno_text(
                 client.attempt(DRM_IOCTL_I915_GEM_MMAP_GTT, drm_i915_gem_mmap_gtt{77, 0, 0}));
         }},
        {"MMAP_OFFSET: offsets", offsets_compared},
        {"mmap at offset 0",
         [](const Client& client) { return errno_text(Mapping(client.fd(), 0, page).error()); }},
        {"mmap where no object is",
         [](const Client& client) {
             return errno_text(Mapping(client.fd(), std::uint64_t{1} << 44, page).error());
         }},
        {"mmap by another client", by_another_client},
        {"mmap GTT of an object cached before",
         [](const Client& client) { return snooped(client, true); }},
        {"mmap GTT of an object cached after",
         [](const Client& client) { return snooped(client, false); }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
