// One ioctl after another by its bare number, with the answer of each on standard output:
// "NAME: 0" or "NAME: ENAME". What the answers must be, the test knows.
#include "raw_gem.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <drm.h>
#include <functional>
#include <optional>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace {

using namespace gem_upload::raw;

constexpr std::size_t page = 4096;

std::uint64_t pointer(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

void answer(const char* name, int error) {
    std::printf("%s: %s\n", name, error == 0 ? "0" : strerrorname_np(error));
}

void ask(const Gem& gem, const char* name, unsigned long request, void* arguments) {
    answer(name, gem.attempt(request, arguments));
}

void transfers(const Gem& gem) {
    const std::uint32_t handle = gem.create(page);
    std::array<char, page> data{};
    const auto pwrite = [&](const char* name, std::uint32_t object, std::uint64_t offset,
                            std::uint64_t size) {
        drm_i915_gem_pwrite arguments{.handle = object,
                                      .pad = 0,
                                      .offset = offset,
                                      .size = size,
                                      .data_ptr = pointer(data.data())};
        ask(gem, name, DRM_IOCTL_I915_GEM_PWRITE, &arguments);
    };
    pwrite("PWRITE", handle, 0, page);
    pwrite("PWRITE nothing", handle, 0, 0);
    pwrite("PWRITE past the end", handle, 1, page);
    pwrite("PWRITE overflowing", handle, ~std::uint64_t{0}, 2);
    pwrite("PWRITE no object", 999, 0, page);
    drm_i915_gem_pread arguments{
        .handle = handle, .pad = 0, .offset = 0, .size = page, .data_ptr = pointer(data.data())};
    ask(gem, "PREAD", DRM_IOCTL_I915_GEM_PREAD, &arguments);
}

void mappings(const Gem& gem) {
    const std::uint32_t handle = gem.create(page);
    const auto map = [&](const char* name, std::uint64_t flags, std::uint64_t size) {
        drm_i915_gem_mmap arguments{};
        arguments.handle = handle;
        arguments.size = size;
        arguments.flags = flags;
        ask(gem, name, DRM_IOCTL_I915_GEM_MMAP, &arguments);
    };
    map("MMAP", 0, page);
    map("MMAP WC", I915_MMAP_WC, page);
    map("MMAP unknown flag", 2, page);
    map("MMAP too long", 0, 2 * page);
    const auto offset = [&](const char* name, std::uint64_t flags) {
        drm_i915_gem_mmap_offset arguments{};
        arguments.handle = handle;
        arguments.flags = flags;
        ask(gem, name, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arguments);
    };
    offset("OFFSET GTT", I915_MMAP_OFFSET_GTT);
    offset("OFFSET WC", I915_MMAP_OFFSET_WC);
    offset("OFFSET WB", I915_MMAP_OFFSET_WB);
    offset("OFFSET UC", I915_MMAP_OFFSET_UC);
    offset("OFFSET FIXED", I915_MMAP_OFFSET_FIXED);
    offset("OFFSET unknown", 5);
    drm_i915_gem_mmap_gtt gtt{.handle = handle, .pad = 0, .offset = 0};
    ask(gem, "MMAP_GTT", DRM_IOCTL_I915_GEM_MMAP_GTT, &gtt);
    const auto map_file = [&](const char* name, std::uint64_t where, std::size_t length) {
        void* address =
            ::mmap(nullptr, length, PROT_READ, MAP_SHARED, gem.fd(), static_cast<off_t>(where));
        answer(name, address == MAP_FAILED ? errno : 0);
    };
    map_file("mmap", gtt.offset, page);
    map_file("mmap nowhere", gtt.offset + 64 * page, page);
    map_file("mmap too long", gtt.offset, 2 * page);
}

void domains(const Gem& gem) {
    const std::uint32_t handle = gem.create(page);
    const auto set = [&](const char* name, std::uint32_t object, std::uint32_t read,
                         std::uint32_t write) {
        drm_i915_gem_set_domain arguments{
            .handle = object, .read_domains = read, .write_domain = write};
        ask(gem, name, DRM_IOCTL_I915_GEM_SET_DOMAIN, &arguments);
    };
    set("SET_DOMAIN CPU CPU", handle, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
    set("SET_DOMAIN GTT 0", handle, I915_GEM_DOMAIN_GTT, 0);
    set("SET_DOMAIN WC WC", handle, I915_GEM_DOMAIN_WC, I915_GEM_DOMAIN_WC);
    set("SET_DOMAIN CPU GTT", handle, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_GTT);
    set("SET_DOMAIN RENDER 0", handle, I915_GEM_DOMAIN_RENDER, 0);
    set("SET_DOMAIN nothing", handle, 0, 0);
    set("SET_DOMAIN no object", 999, I915_GEM_DOMAIN_CPU, 0);
    drm_i915_gem_sw_finish finish{.handle = handle};
    ask(gem, "SW_FINISH", DRM_IOCTL_I915_GEM_SW_FINISH, &finish);
    finish.handle = 999;
    ask(gem, "SW_FINISH no object", DRM_IOCTL_I915_GEM_SW_FINISH, &finish);
}

void states(const Gem& gem) {
    const std::uint32_t handle = gem.create(16 * page);
    const auto tile = [&](const char* name, std::uint32_t mode, std::uint32_t stride) {
        drm_i915_gem_set_tiling arguments{
            .handle = handle, .tiling_mode = mode, .stride = stride, .swizzle_mode = 0};
        ask(gem, name, DRM_IOCTL_I915_GEM_SET_TILING, &arguments);
    };
    tile("SET_TILING X 1024", I915_TILING_X, 1024);
    tile("SET_TILING X 1536", I915_TILING_X, 1536);
    tile("SET_TILING X 100", I915_TILING_X, 100);
    tile("SET_TILING X 16384", I915_TILING_X, 16384);
    tile("SET_TILING X 262144", I915_TILING_X, 262144);
    tile("SET_TILING NONE", I915_TILING_NONE, 0);
    const auto cache = [&](const char* name, std::uint32_t caching) {
        drm_i915_gem_caching arguments{.handle = handle, .caching = caching};
        ask(gem, name, DRM_IOCTL_I915_GEM_SET_CACHING, &arguments);
    };
    cache("SET_CACHING CACHED", I915_CACHING_CACHED);
    cache("SET_CACHING NONE", I915_CACHING_NONE);
    cache("SET_CACHING unknown", 7);
    drm_i915_gem_madvise advice{.handle = handle, .madv = I915_MADV_DONTNEED, .retained = 9};
    ask(gem, "MADVISE", DRM_IOCTL_I915_GEM_MADVISE, &advice);
    advice.madv = 7;
    ask(gem, "MADVISE unknown", DRM_IOCTL_I915_GEM_MADVISE, &advice);
    drm_i915_gem_create nothing{.size = 0, .handle = 0, .pad = 0};
    ask(gem, "CREATE nothing", DRM_IOCTL_I915_GEM_CREATE, &nothing);
    drm_gem_close close{.handle = handle, .pad = 0};
    ask(gem, "CLOSE", DRM_IOCTL_GEM_CLOSE, &close);
    ask(gem, "CLOSE again", DRM_IOCTL_GEM_CLOSE, &close);
}

void user_memory(const Gem& gem) {
    void* memory =
        ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto create = [&](const char* name, std::uint64_t address, std::uint64_t size) {
        drm_i915_gem_userptr arguments{};
        arguments.user_ptr = address;
        arguments.user_size = size;
        ask(gem, name, DRM_IOCTL_I915_GEM_USERPTR, &arguments);
        return arguments.handle;
    };
    const std::uint32_t handle = create("USERPTR", pointer(memory), page);
    create("USERPTR misaligned", pointer(memory) + 64, page);
    create("USERPTR nothing", pointer(memory), 0);
    std::array<char, 64> data{};
    drm_i915_gem_pwrite write{.handle = handle,
                              .pad = 0,
                              .offset = 0,
                              .size = data.size(),
                              .data_ptr = pointer(data.data())};
    ask(gem, "USERPTR pwrite", DRM_IOCTL_I915_GEM_PWRITE, &write);
    drm_i915_gem_mmap map{};
    map.handle = handle;
    map.size = page;
    ask(gem, "USERPTR mmap", DRM_IOCTL_I915_GEM_MMAP, &map);
    drm_i915_gem_mmap_offset offset{};
    offset.handle = handle;
    offset.flags = I915_MMAP_OFFSET_WB;
    ask(gem, "USERPTR offset", DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset);
    drm_i915_gem_set_tiling tile{
        .handle = handle, .tiling_mode = I915_TILING_X, .stride = 1024, .swizzle_mode = 0};
    ask(gem, "USERPTR tiling", DRM_IOCTL_I915_GEM_SET_TILING, &tile);
}

/// An execbuffer of an empty batch, with one thing changed.
struct Submission {
    std::vector<drm_i915_gem_exec_object2> objects;
    drm_i915_gem_relocation_entry relocation{};
    drm_i915_gem_execbuffer2 execbuffer{};
};

int submit_changed(const Gem& gem, const std::function<void(Submission&)>& change) {
    constexpr std::array<std::uint32_t, 2> end{0x05000000, 0};
    Submission submission;
    submission.objects.resize(2);
    submission.objects[0].handle = gem.create(page);
    submission.objects[1].handle = gem.create(page);
    std::uint32_t* memory = gem.map(submission.objects[1].handle, page);
    gem.set_domain(submission.objects[1].handle, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
    std::memcpy(memory, end.data(), sizeof end);
    submission.execbuffer.buffer_count = 2;
    submission.execbuffer.batch_len = sizeof end;
    submission.relocation.target_handle = submission.objects[0].handle;
    submission.relocation.offset = 512;
    submission.relocation.read_domains = I915_GEM_DOMAIN_RENDER;
    submission.relocation.presumed_offset = ~std::uint64_t{0};
    submission.objects[1].relocs_ptr = pointer(&submission.relocation);
    change(submission);
    submission.execbuffer.buffers_ptr = pointer(submission.objects.data());
    return gem.attempt(DRM_IOCTL_I915_GEM_EXECBUFFER2, &submission.execbuffer);
}

void executions(const Gem& gem) {
    const auto submit = [&](const char* name, const std::function<void(Submission&)>& change) {
        answer(name, submit_changed(gem, change));
    };
    submit("EXEC", [](Submission&) {});
    const auto on_ring = [&](const char* name, std::uint64_t ring) {
        submit(name, [ring](Submission& s) { s.execbuffer.flags = ring; });
    };
    on_ring("EXEC render", I915_EXEC_RENDER);
    on_ring("EXEC blt", I915_EXEC_BLT);
    on_ring("EXEC vebox", I915_EXEC_VEBOX);
    on_ring("EXEC unknown ring", 9);
    on_ring("EXEC bsd, the second", I915_EXEC_BSD | I915_EXEC_BSD_RING2);
    on_ring("EXEC bsd, the third", I915_EXEC_BSD | I915_EXEC_BSD_RING1 | I915_EXEC_BSD_RING2);
    on_ring("EXEC blt, the second", I915_EXEC_BLT | I915_EXEC_BSD_RING2);
    submit("EXEC relocation", [](Submission& s) { s.objects[1].relocation_count = 1; });
    submit("EXEC relocation by index", [](Submission& s) {
        s.objects[1].relocation_count = 1;
        s.relocation.target_handle = 0;
        s.execbuffer.flags |= I915_EXEC_HANDLE_LUT;
    });
    submit("EXEC relocation past the end", [](Submission& s) {
        s.objects[1].relocation_count = 1;
        s.relocation.offset = page - 2;
    });
    submit("EXEC relocation misaligned", [](Submission& s) {
        s.objects[1].relocation_count = 1;
        s.relocation.offset = 2;
    });
    submit("EXEC relocation to no object", [](Submission& s) {
        s.objects[1].relocation_count = 1;
        s.relocation.target_handle = 999;
    });
    submit("EXEC relocation in CPU domain", [](Submission& s) {
        s.objects[1].relocation_count = 1;
        s.relocation.read_domains = I915_GEM_DOMAIN_CPU;
    });
    submit("EXEC no object", [](Submission& s) { s.objects[0].handle = 999; });
    submit("EXEC twice the same", [](Submission& s) { s.objects[0].handle = s.objects[1].handle; });
    submit("EXEC no objects", [](Submission& s) { s.execbuffer.buffer_count = 0; });
    submit("EXEC odd length", [](Submission& s) { s.execbuffer.batch_len = 12; });
    submit("EXEC batch too long", [](Submission& s) { s.execbuffer.batch_len = 2 * page; });
    submit("EXEC alignment 3", [](Submission& s) { s.objects[0].alignment = 3; });
    submit("EXEC unknown object flag", [](Submission& s) { s.objects[0].flags = 1 << 20; });
    submit("EXEC writing batch", [](Submission& s) { s.objects[1].flags = EXEC_OBJECT_WRITE; });
    submit("EXEC no context", [](Submission& s) { s.execbuffer.rsvd1 = 77; });
    const auto pin = [&](const char* name, std::uint64_t first, std::uint64_t second,
                         std::uint64_t flags) {
        submit(name, [=](Submission& s) {
            s.objects[0].offset = first;
            s.objects[1].offset = second;
            s.objects[0].flags = s.objects[1].flags = EXEC_OBJECT_PINNED | flags;
        });
    };
    pin("EXEC pinned", 0x100000, 0x200000, 0);
    pin("EXEC pinned over each other", 0x100000, 0x100000, 0);
    pin("EXEC pinned misaligned", 0x100000, 0x200100, 0);
    pin("EXEC pinned above 4 GiB", std::uint64_t{1} << 32, std::uint64_t{1} << 33, 0);
    pin("EXEC pinned above 4 GiB, 48 bit", std::uint64_t{1} << 32, std::uint64_t{1} << 33,
        EXEC_OBJECT_SUPPORTS_48B_ADDRESS);
    pin("EXEC pinned above 64 GiB, 48 bit", std::uint64_t{1} << 36, std::uint64_t{1} << 33,
        EXEC_OBJECT_SUPPORTS_48B_ADDRESS);
    pin("EXEC pinned, not canonical", std::uint64_t{1} << 47, std::uint64_t{1} << 33,
        EXEC_OBJECT_SUPPORTS_48B_ADDRESS);
}

/// A context with a map of engines, each {class, instance}: its number, or nothing.
std::optional<std::uint32_t> context_with(const Gem& gem, const char* name,
                                          const std::vector<std::pair<int, int>>& engines,
                                          std::uint32_t size_change = 0) {
    struct Map {
        std::uint64_t extensions;
        std::array<i915_engine_class_instance, 8> engines;
    } map{};
    for (std::size_t i = 0; i < engines.size(); ++i) {
        map.engines.at(i) = {static_cast<std::uint16_t>(engines[i].first),
                             static_cast<std::uint16_t>(engines[i].second)};
    }
    drm_i915_gem_context_create_ext_setparam parameter{};
    parameter.base.name = I915_CONTEXT_CREATE_EXT_SETPARAM;
    parameter.param.param = I915_CONTEXT_PARAM_ENGINES;
    parameter.param.size =
        static_cast<std::uint32_t>(sizeof map.extensions + engines.size() * 4) + size_change;
    parameter.param.value = reinterpret_cast<std::uintptr_t>(&map);
    drm_i915_gem_context_create_ext arguments{};
    arguments.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS;
    arguments.extensions = reinterpret_cast<std::uintptr_t>(&parameter);
    const int error = gem.attempt(DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &arguments);
    answer(name, error);
    return error == 0 ? std::optional(arguments.ctx_id) : std::nullopt;
}

void engines(const Gem& gem) {
    (void)context_with(gem, "ENGINES unknown", {{0, 0}, {2, 7}});
    (void)context_with(gem, "ENGINES odd size", {{0, 0}}, 2);
    const auto context = context_with(gem, "ENGINES", {{1, 0}, {-1, -1}, {0, 0}});
    if (!context) {
        return;
    }
    const auto submit = [&](const char* name, std::uint64_t number) {
        answer(name, submit_changed(gem, [number, &context](Submission& s) {
                   s.execbuffer.flags = number;
                   s.execbuffer.rsvd1 = *context;
               }));
    };
    submit("EXEC engine 0", 0);
    submit("EXEC engine 1", 1);
    submit("EXEC engine 2", 2);
    submit("EXEC engine 3", 3);
}

void address_spaces(const Gem& gem) {
    drm_i915_gem_vm_control space{};
    ask(gem, "VM_CREATE", DRM_IOCTL_I915_GEM_VM_CREATE, &space);
    drm_i915_gem_context_create_ext_setparam parameter{};
    parameter.base.name = I915_CONTEXT_CREATE_EXT_SETPARAM;
    parameter.param.param = I915_CONTEXT_PARAM_VM;
    drm_i915_gem_context_create_ext arguments{};
    arguments.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS;
    arguments.extensions = reinterpret_cast<std::uintptr_t>(&parameter);
    const auto create = [&](const char* name, std::uint64_t id) {
        parameter.param.value = id;
        ask(gem, name, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &arguments);
    };
    create("CONTEXT in a VM", space.vm_id);
    create("CONTEXT in no VM", 77);
    drm_i915_gem_context_param of_context{};
    of_context.param = I915_CONTEXT_PARAM_VM;
    ask(gem, "CONTEXT's VM", DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &of_context);
    ask(gem, "VM_DESTROY", DRM_IOCTL_I915_GEM_VM_DESTROY, &space);
    ask(gem, "VM_DESTROY again", DRM_IOCTL_I915_GEM_VM_DESTROY, &space);
}

/// Its geometry in the order of the structure, then the masks.
void topology(const Gem& gem) {
    std::array<std::uint8_t, 64> data{};
    drm_i915_query_item item{};
    item.query_id = DRM_I915_QUERY_TOPOLOGY_INFO;
    item.length = data.size();
    item.data_ptr = pointer(data.data());
    drm_i915_query query{.num_items = 1, .flags = 0, .items_ptr = pointer(&item)};
    const int error = gem.attempt(DRM_IOCTL_I915_QUERY, &query);
    if (error != 0 || item.length < 0) {
        answer("TOPOLOGY", error != 0 ? error : -item.length);
        return;
    }
    drm_i915_query_topology_info head{};
    std::memcpy(&head, data.data(), sizeof head);
    std::printf("TOPOLOGY: %d %d %d, %d %d, %d %d,", head.max_slices, head.max_subslices,
                head.max_eus_per_subslice, head.subslice_offset, head.subslice_stride,
                head.eu_offset, head.eu_stride);
    for (std::size_t i = sizeof head; i < static_cast<std::size_t>(item.length); ++i) {
        std::printf(" %02x", data.at(i));
    }
    std::printf("\n");
}

void others(const Gem& gem) {
    drm_i915_gem_context_create context{};
    ask(gem, "CONTEXT_CREATE", DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &context);
    const auto parameter = [&](const char* name, int which) {
        int value = -1;
        drm_i915_getparam arguments{.param = which, .value = &value};
        const int error = gem.attempt(DRM_IOCTL_I915_GETPARAM, &arguments);
        std::printf("%s: %s\n", name,
                    error == 0 ? std::to_string(value).c_str() : strerrorname_np(error));
    };
    parameter("PARAM chipset", I915_PARAM_CHIPSET_ID);
    parameter("PARAM fences", I915_PARAM_NUM_FENCES_AVAIL);
    parameter("PARAM LLC", I915_PARAM_HAS_LLC);
    parameter("PARAM BLT", I915_PARAM_HAS_BLT);
    parameter("PARAM BSD", I915_PARAM_HAS_BSD);
    parameter("PARAM BSD2", I915_PARAM_HAS_BSD2);
    parameter("PARAM scheduler", I915_PARAM_HAS_SCHEDULER);
    parameter("PARAM semaphores", I915_PARAM_HAS_SEMAPHORES);
    parameter("PARAM command parser", I915_PARAM_CMD_PARSER_VERSION);
    parameter("PARAM HuC", I915_PARAM_HUC_STATUS);
    parameter("PARAM subslices", I915_PARAM_SUBSLICE_TOTAL);
    parameter("PARAM units", I915_PARAM_EU_TOTAL);
    parameter("PARAM slice mask", I915_PARAM_SLICE_MASK);
    parameter("PARAM subslice mask", I915_PARAM_SUBSLICE_MASK);
    parameter("PARAM reset", I915_PARAM_HAS_GPU_RESET);
    parameter("PARAM VEBOX", I915_PARAM_HAS_VEBOX);
    parameter("PARAM PPGTT", I915_PARAM_HAS_ALIASING_PPGTT);
    parameter("PARAM mmap version", I915_PARAM_MMAP_GTT_VERSION);
    parameter("PARAM coherent GGTT", I915_PARAM_MMAP_GTT_COHERENT);
    parameter("PARAM unknown", 9999);
    const auto set_context = [&](const char* name, std::uint64_t which, std::int64_t value) {
        drm_i915_gem_context_param arguments{};
        arguments.param = which;
        arguments.value = static_cast<std::uint64_t>(value);
        ask(gem, name, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &arguments);
    };
    set_context("CONTEXT priority -1023", I915_CONTEXT_PARAM_PRIORITY, -1023);
    set_context("CONTEXT priority -1024", I915_CONTEXT_PARAM_PRIORITY, -1024);
    set_context("CONTEXT not persistent", I915_CONTEXT_PARAM_PERSISTENCE, 0);
    set_context("CONTEXT persistent", I915_CONTEXT_PARAM_PERSISTENCE, 1);
    drm_i915_gem_wait wait{.bo_handle = gem.create(page), .flags = 0, .timeout_ns = 0};
    ask(gem, "WAIT idle", DRM_IOCTL_I915_GEM_WAIT, &wait);
    wait.flags = 1;
    ask(gem, "WAIT unknown flag", DRM_IOCTL_I915_GEM_WAIT, &wait);
    drm_auth magic{};
    ask(gem, "GET_MAGIC on a render node", DRM_IOCTL_GET_MAGIC, &magic);
    ask(gem, "not an ioctl", _IOWR('d', 0x7f, std::uint64_t), &magic);
}

} // namespace

int main() {
    const Gem gem;
    transfers(gem);
    mappings(gem);
    domains(gem);
    states(gem);
    user_memory(gem);
    executions(gem);
    engines(gem);
    address_spaces(gem);
    topology(gem);
    others(gem);
    return 0;
}
