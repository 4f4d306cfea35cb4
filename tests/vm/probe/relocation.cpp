// Relocations (gem/i915_gem_execbuffer.c, eb_relocate_entry).
#include "answer.h"
#include "batch.h"
#include "question.h"

#include <fmt/format.h>
#include <functional>

namespace gem_upload::probe {
namespace {

constexpr std::uint64_t unknown_offset = ~std::uint64_t{0};
constexpr std::uint64_t place = 64; ///< in the batch, behind its end
constexpr std::uint32_t untouched = 0xfeedf00d;

struct Asked {
    drm_i915_gem_relocation_entry relocation{};
    std::vector<drm_i915_gem_exec_object2> objects;
    drm_i915_gem_execbuffer2 execbuffer{};
};

/// What came of a relocation: the errno, the presumed offset, the dword, with the target's place as
/// the measure.
std::string outcome(const Client& client, Asked& asked) {
    const std::uint64_t presumed = asked.relocation.presumed_offset;
    asked.objects[1].relocs_ptr = pointer(&asked.relocation);
    asked.objects[1].relocation_count = 1;
    asked.execbuffer.buffers_ptr = pointer(asked.objects.data());
    asked.execbuffer.buffer_count = static_cast<std::uint32_t>(asked.objects.size());
    const int error = submit(client, asked.execbuffer);
    const std::uint32_t dword = client.read(asked.objects[1].handle, place, 1)[0];
    const auto target = static_cast<std::uint32_t>(asked.objects[0].offset);
    const std::string value =
        dword == untouched ? "untouched"
        : error == 0       ? fmt::format("target{:+}", static_cast<std::int32_t>(dword - target))
                           : "written";
    return fmt::format("{}, {}, presumed offset {}", errno_text(error), value,
                       asked.relocation.presumed_offset == presumed ? "kept" : "told");
}

/// A relocation in the batch to an object, with all of it open to change.
Question relocate(const std::string& name, const std::function<void(Asked&)>& change) {
    return {"RELOCATION " + name, [change](const Client& client) {
                const std::uint32_t target = client.create(page);
                const std::uint32_t batch = ending_batch(client);
                client.write(batch, place, {untouched});
                Asked asked;
                asked.objects = {exec_object(target), exec_object(batch)};
                asked.relocation.target_handle = target;
                asked.relocation.offset = place;
                asked.relocation.presumed_offset = unknown_offset;
                asked.relocation.read_domains = I915_GEM_DOMAIN_RENDER;
                change(asked);
                return outcome(client, asked);
            }};
}

Question with_domains(const std::string& name, std::uint32_t read, std::uint32_t write) {
    return relocate(name, [read, write](Asked& asked) {
        asked.relocation.read_domains = read;
        asked.relocation.write_domain = write;
    });
}

Question at_offset(const std::string& name, std::uint64_t offset) {
    return relocate(name, [offset](Asked& asked) { asked.relocation.offset = offset; });
}

/// A second execbuffer that presumes what the first has told.
std::string presumed_right(const Client& client, std::uint64_t flags) {
    Asked asked;
    asked.objects = {exec_object(client.create(page)), exec_object(ending_batch(client))};
    asked.relocation.target_handle = asked.objects[0].handle;
    asked.relocation.offset = place;
    asked.relocation.presumed_offset = unknown_offset;
    (void)outcome(client, asked);
    client.wait(asked.objects[1].handle);
    client.write(asked.objects[1].handle, place, {untouched});
    asked.execbuffer.flags = flags;
    return outcome(client, asked);
}

std::string count(const Client& client, std::uint32_t count, const void* relocations) {
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(ending_batch(client))};
    objects[0].relocation_count = count;
    objects[0].relocs_ptr = pointer(relocations);
    return errno_text(submit(client, objects));
}

/// A relocation to the batch itself, whose place is not known before.
std::string to_itself(const Client& client) {
    const std::uint32_t batch = ending_batch(client);
    drm_i915_gem_relocation_entry relocation{};
    relocation.target_handle = batch;
    relocation.offset = place;
    relocation.presumed_offset = unknown_offset;
    relocation.read_domains = I915_GEM_DOMAIN_COMMAND;
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(batch)};
    objects[0].relocs_ptr = pointer(&relocation);
    objects[0].relocation_count = 1;
    const int error = submit(client, objects);
    const bool right =
        client.read(batch, place, 1)[0] == static_cast<std::uint32_t>(objects[0].offset);
    return fmt::format("{}, right {}", errno_text(error), yes_or_no(right));
}

Questions domain_pairs() {
    return {
        with_domains("read nothing", 0, 0),
        with_domains("read CPU", I915_GEM_DOMAIN_CPU, 0),
        with_domains("read GTT", I915_GEM_DOMAIN_GTT, 0),
        with_domains("read WC", I915_GEM_DOMAIN_WC, 0),
        with_domains("read bit 8", 1U << 8U, 0),
        with_domains("read all GPU domains", 0x3e, 0),
        with_domains("write RENDER", I915_GEM_DOMAIN_RENDER, I915_GEM_DOMAIN_RENDER),
        with_domains("write RENDER, read nothing", 0, I915_GEM_DOMAIN_RENDER),
        with_domains("write INSTRUCTION", I915_GEM_DOMAIN_INSTRUCTION, I915_GEM_DOMAIN_INSTRUCTION),
        with_domains("write CPU", I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU),
        with_domains("write GTT", I915_GEM_DOMAIN_RENDER, I915_GEM_DOMAIN_GTT),
        with_domains("write two domains", I915_GEM_DOMAIN_RENDER,
                     I915_GEM_DOMAIN_RENDER | I915_GEM_DOMAIN_COMMAND),
        with_domains("write bit 31", I915_GEM_DOMAIN_RENDER, 1U << 31U),
    };
}

Questions offset_questions() {
    return {
        at_offset("at the last dword", page - 4),
        at_offset("at the last qword", page - 8),
        at_offset("across the end", page - 2),
        at_offset("past the end", page),
        at_offset("far past the end", std::uint64_t{1} << 40),
        at_offset("at an offset that overflows", ~std::uint64_t{3}),
        at_offset("at offset 65", 65),
        at_offset("at offset 66", 66),
    };
}

} // namespace

Questions relocation_questions() {
    Questions questions = domain_pairs();
    const Questions offsets = offset_questions();
    questions.insert(questions.end(), offsets.begin(), offsets.end());
    const Questions more{
        relocate("plain", [](Asked& /*asked*/) {}),
        relocate("delta 16", [](Asked& asked) { asked.relocation.delta = 16; }),
        relocate("delta -16", [](Asked& asked) { asked.relocation.delta = 0xfffffff0; }),
        relocate("delta beyond the target", [](Asked& asked) { asked.relocation.delta = 1 << 20; }),
        relocate("to no object", [](Asked& asked) { asked.relocation.target_handle = 77; }),
        relocate("to an object that takes no part",
                 [](Asked& asked) { asked.relocation.target_handle = 3; }),
        relocate("by index",
                 [](Asked& asked) {
                     asked.relocation.target_handle = 0;
                     asked.execbuffer.flags = I915_EXEC_HANDLE_LUT;
                 }),
        relocate("by index past the end",
                 [](Asked& asked) {
                     asked.relocation.target_handle = 2;
                     asked.execbuffer.flags = I915_EXEC_HANDLE_LUT;
                 }),
        relocate("of unknown place, with NO_RELOC",
                 [](Asked& asked) { asked.execbuffer.flags = I915_EXEC_NO_RELOC; }),
        {"RELOCATION presumed right",
         [](const Client& client) { return presumed_right(client, 0); }},
        {"RELOCATION presumed right, with NO_RELOC",
         [](const Client& client) { return presumed_right(client, I915_EXEC_NO_RELOC); }},
        {"RELOCATION to the batch itself", to_itself},
        {"RELOCATION none, at no address",
         [](const Client& client) { return count(client, 0, nullptr); }},
        {"RELOCATION one, at no address",
         [](const Client& client) { return count(client, 1, nullptr); }},
        {"RELOCATION none, with an address",
         [](const Client& client) { return count(client, 0, &client); }},
        {"RELOCATION 2^32-1 of them",
         [](const Client& client) {
             const drm_i915_gem_relocation_entry relocation{};
             return count(client, ~0U, &relocation);
         }},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
