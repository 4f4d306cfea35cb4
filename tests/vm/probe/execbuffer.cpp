// EXECBUFFER2: arguments, flags, rings, objects (gem/i915_gem_execbuffer.c).
#include "answer.h"
#include "batch.h"
#include "memory.h"
#include "question.h"

#include <array>
#include <fmt/format.h>
#include <functional>
#include <string_view>

namespace gem_upload::probe {
namespace {

using Change = std::function<void(drm_i915_gem_execbuffer2&)>;
using ObjectChange = std::function<void(drm_i915_gem_exec_object2&)>;

/// A batch that ends at once, with the arguments changed.
Question changed(const std::string& name, const Change& change) {
    return {"EXEC " + name, [change](const Client& client) {
                const std::vector<drm_i915_gem_exec_object2> objects{
                    exec_object(ending_batch(client)), exec_object(ending_batch(client))};
                drm_i915_gem_execbuffer2 arguments = execbuffer(objects);
                change(arguments);
                return errno_text(submit(client, arguments));
            }};
}

/// The same with the first object changed, or the batch.
Question changed_object(const std::string& name, bool batch, const ObjectChange& change) {
    return {fmt::format("EXEC {} {}", batch ? "batch" : "object", name),
            [batch, change](const Client& client) {
                std::vector<drm_i915_gem_exec_object2> objects{exec_object(client.create(page)),
                                                               exec_object(ending_batch(client))};
                change(objects[batch ? 1 : 0]);
                return errno_text(submit(client, objects));
            }};
}

Questions flag_questions() {
    Questions questions;
    for (unsigned bit = 0; bit < 64; ++bit) {
        questions.push_back(changed(fmt::format("flag {}", bit),
                                    [bit](auto& exec) { exec.flags = std::uint64_t{1} << bit; }));
        questions.push_back(changed_object(fmt::format("flag {}", bit), false, [bit](auto& object) {
            object.flags = std::uint64_t{1} << bit;
        }));
    }
    for (const std::uint64_t ring : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 63U}) {
        questions.push_back(
            changed(fmt::format("ring {}", ring), [ring](auto& exec) { exec.flags = ring; }));
    }
    for (const std::uint64_t ring : {1U, 2U, 3U}) {
        for (const std::uint64_t bsd : {1U, 2U, 3U}) {
            questions.push_back(
                changed(fmt::format("ring {}, BSD ring {}", ring, bsd), [ring, bsd](auto& exec) {
                    exec.flags = ring | bsd << I915_EXEC_BSD_SHIFT;
                }));
        }
    }
    for (const std::uint64_t constants : {1U, 2U, 3U}) {
        questions.push_back(changed(fmt::format("constants {}", constants),
                                    [constants](auto& exec) { exec.flags = constants << 6U; }));
    }
    return questions;
}

Questions argument_questions() {
    Questions questions;
    for (const std::uint32_t length : {0U, 4U, 8U, 12U, page, page + 8, 0xfffffff8U}) {
        questions.push_back(changed(fmt::format("batch length {:#x}", length),
                                    [length](auto& exec) { exec.batch_len = length; }));
    }
    for (const std::uint32_t start : {4U, page, page + 8, 0xfffffff8U}) {
        questions.push_back(changed(fmt::format("batch start {:#x}", start),
                                    [start](auto& exec) { exec.batch_start_offset = start; }));
    }
    const Questions more{
        changed("no objects", [](auto& exec) { exec.buffer_count = 0; }),
        changed("far too many objects", [](auto& exec) { exec.buffer_count = ~0U; }),
        changed("2^31 objects", [](auto& exec) { exec.buffer_count = 1U << 31U; }),
        changed("objects nowhere", [](auto& exec) { exec.buffers_ptr = 0; }),
        changed("clip rectangles", [](auto& exec) { exec.num_cliprects = 1; }),
        changed("a pointer to clip rectangles", [](auto& exec) { exec.cliprects_ptr = 4096; }),
        changed("DR1", [](auto& exec) { exec.DR1 = 1; }),
        changed("DR4", [](auto& exec) { exec.DR4 = 1; }),
        changed("DR4 all ones", [](auto& exec) { exec.DR4 = ~0U; }),
        changed("context 0", [](auto& exec) { exec.rsvd1 = 0; }),
        changed("context 77", [](auto& exec) { exec.rsvd1 = 77; }),
        changed("context 2^32", [](auto& exec) { exec.rsvd1 = std::uint64_t{1} << 32; }),
        changed("context 77, no such ring",
                [](auto& exec) {
                    exec.rsvd1 = 77;
                    exec.flags = 7;
                }),
        changed("rsvd2", [](auto& exec) { exec.rsvd2 = 1; }),
        changed("bad length and no objects",
                [](auto& exec) {
                    exec.batch_len = 4;
                    exec.buffer_count = 0;
                }),
        changed("length past the end, batch first",
                [](auto& exec) {
                    exec.batch_len = page + 8;
                    exec.flags = I915_EXEC_BATCH_FIRST;
                }),
        changed("fence in of no file",
                [](auto& exec) {
                    exec.rsvd2 = 0xffffffff;
                    exec.flags = I915_EXEC_FENCE_IN;
                }),
        changed("fence array of nothing", [](auto& exec) { exec.flags = I915_EXEC_FENCE_ARRAY; }),
        changed("extensions of nothing", [](auto& exec) { exec.flags = I915_EXEC_USE_EXTENSIONS; }),
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

Questions object_questions() {
    Questions questions;
    for (const std::uint64_t alignment :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{64},
          std::uint64_t{page}, std::uint64_t{3 * page}, std::uint64_t{1} << 20,
          std::uint64_t{1} << 27, std::uint64_t{1} << 40, std::uint64_t{1} << 63}) {
        questions.push_back(
            changed_object(fmt::format("alignment {:#x}", alignment), false,
                           [alignment](auto& object) { object.alignment = alignment; }));
    }
    for (const std::uint64_t padded :
         {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{page}, std::uint64_t{16 * page},
          std::uint64_t{1} << 40, std::uint64_t{1} << 63}) {
        questions.push_back(
            changed_object(fmt::format("padded to {:#x}", padded), false, [padded](auto& object) {
                object.flags = EXEC_OBJECT_PAD_TO_SIZE;
                object.pad_to_size = padded;
            }));
    }
    const Questions more{
        changed_object("0", false, [](auto& object) { object.handle = 0; }),
        changed_object("that is none", false, [](auto& object) { object.handle = 77; }),
        changed_object("that is none", true, [](auto& object) { object.handle = 77; }),
        changed_object("the batch itself", false, [](auto& object) { object.handle = 2; }),
        changed_object("pad without its flag", false, [](auto& object) { object.pad_to_size = 3; }),
        changed_object("rsvd2", false, [](auto& object) { object.rsvd2 = 1; }),
        changed_object("written by itself", true,
                       [](auto& object) { object.flags = EXEC_OBJECT_WRITE; }),
        changed_object("with a fence", true,
                       [](auto& object) { object.flags = EXEC_OBJECT_NEEDS_FENCE; }),
        changed_object("asynchronous", true,
                       [](auto& object) { object.flags = EXEC_OBJECT_ASYNC; }),
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

std::string offsets_written_back(const Client& client, unsigned long request, std::uint64_t flags) {
    constexpr std::uint64_t unknown = 0x123000000;
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(client.create(page), 0, unknown),
                                                   exec_object(ending_batch(client), 0, unknown)};
    drm_i915_gem_execbuffer2 arguments = execbuffer(objects);
    arguments.flags = flags;
    const int error = client.attempt(request, &arguments);
    return fmt::format("{}, object {}, batch {}, distinct {}", errno_text(error),
                       objects[0].offset == unknown ? "unchanged" : "told",
                       objects[1].offset == unknown ? "unchanged" : "told",
                       yes_or_no(objects[0].offset != objects[1].offset));
}

std::string stays_put(const Client& client) {
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(client.create(page)),
                                                   exec_object(ending_batch(client))};
    insist("EXEC", submit(client, objects));
    const std::vector<drm_i915_gem_exec_object2> before = objects;
    insist("EXEC", submit(client, objects));
    return yes_or_no(before[0].offset == objects[0].offset &&
                     before[1].offset == objects[1].offset);
}

std::string copies(const Client& client) {
    const std::uint32_t source = client.create(page);
    const std::uint32_t destination = client.create(page);
    client.write(source, 0, {0x01234567, 0x89abcdef, 0xdeadbeef, 0x00c0ffee});
    const int error = copy_row(client, destination, source, 3);
    const std::vector<std::uint32_t> found = client.read(destination, 0, 4);
    return fmt::format("{}, {:08x} {:08x} {:08x} {:08x}", errno_text(error), found[0], found[1],
                       found[2], found[3]);
}

std::string old_execbuffer(const Client& client) {
    drm_i915_gem_execbuffer arguments{};
    return errno_text(client.attempt(DRM_IOCTL_I915_GEM_EXECBUFFER, arguments));
}

/// A batch in memory of the program's own.
std::string userptr_batch(const Client& client) {
    const Mapping memory = anonymous_pages(1);
    const std::string written = touch_write(memory.at(0), 0x05000000); // MI_BATCH_BUFFER_END
    drm_i915_gem_userptr arguments{};
    arguments.user_ptr = pointer(memory.at(0));
    arguments.user_size = page;
    insist("USERPTR", client.attempt(DRM_IOCTL_I915_GEM_USERPTR, &arguments));
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(arguments.handle)};
    const int error = submit(client, objects);
    client.wait(arguments.handle);
    return fmt::format("{}, {}", written, errno_text(error));
}

/// An object in memory that cannot be reached.
std::string userptr_of_nothing(const Client& client) {
    drm_i915_gem_userptr arguments{};
    const Mapping memory = anonymous_pages(1, PROT_NONE);
    arguments.user_ptr = pointer(memory.at(0));
    arguments.user_size = page;
    insist("USERPTR", client.attempt(DRM_IOCTL_I915_GEM_USERPTR, &arguments));
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(arguments.handle),
                                                   exec_object(ending_batch(client))};
    return errno_text(submit(client, objects));
}

/// An object larger than all of the address space's mappable part.
std::string many_objects(const Client& client) {
    std::vector<drm_i915_gem_exec_object2> objects;
    for (int i = 0; i < 200; ++i) {
        objects.push_back(exec_object(client.create(page)));
    }
    objects.push_back(exec_object(ending_batch(client)));
    return errno_text(submit(client, objects));
}

std::string purged(const Client& client) {
    const std::uint32_t handle = client.create(page);
    drm_i915_gem_madvise advice{handle, I915_MADV_DONTNEED, 0};
    insist("MADVISE", client.attempt(DRM_IOCTL_I915_GEM_MADVISE, &advice));
    std::vector<drm_i915_gem_exec_object2> objects{exec_object(handle),
                                                   exec_object(ending_batch(client))};
    return errno_text(submit(client, objects));
}

} // namespace

Questions execbuffer_questions() {
    Questions questions = flag_questions();
    for (const Questions& more : {argument_questions(), object_questions()}) {
        questions.insert(questions.end(), more.begin(), more.end());
    }
    const Questions more{
        {"EXEC offsets written back",
         [](const Client& client) {
             return offsets_written_back(client, DRM_IOCTL_I915_GEM_EXECBUFFER2, 0);
         }},
        {"EXEC_WR offsets written back",
         [](const Client& client) {
             return offsets_written_back(client, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, 0);
         }},
        {"EXEC offsets written back, no relocations",
         [](const Client& client) {
             return offsets_written_back(client, DRM_IOCTL_I915_GEM_EXECBUFFER2,
                                         I915_EXEC_NO_RELOC);
         }},
        {"EXEC twice: objects stay where they are", stays_put},
        {"EXEC copies", copies},
        {"EXEC of 201 objects", many_objects},
        {"EXEC batch in the program's memory", userptr_batch},
        {"EXEC object in memory out of reach", userptr_of_nothing},
        {"EXEC object that was purged", purged},
        {"EXECBUFFER", old_execbuffer},
    };
    questions.insert(questions.end(), more.begin(), more.end());
    return questions;
}

} // namespace gem_upload::probe
