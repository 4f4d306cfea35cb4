// A program over libdrm_intel that uploads by each of its methods and reads back what arrived.
// Usage: libdrm_upload METHOD...; methods are pwrite, map, gtt and wc. Exit status 3: the pixels
// are wrong.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <i915_drm.h>
#include <intel_bufmgr.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::uint32_t width = 300;
constexpr std::uint32_t height = 200;
constexpr std::uint32_t pitch = width * 4;
constexpr std::size_t pixels = std::size_t{width} * height;
constexpr int iterations = 12;

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "%s failed\n", what);
    std::exit(4);
}

void require(int result, const char* what) {
    if (result != 0) {
        fail(what);
    }
}

struct Upload {
    drm_intel_bufmgr* manager;
    std::string method;
    bool wide; ///< 64-bit addresses
    bool blitter_ring;
};

void fill(void* memory, std::uint32_t first) {
    auto* pixel = static_cast<std::uint32_t*>(memory);
    for (std::size_t i = 0; i < pixels; ++i) {
        pixel[i] = first + static_cast<std::uint32_t>(i);
    }
}

void write_source(const Upload& upload, drm_intel_bo* source, std::uint32_t first) {
    if (upload.method == "pwrite") {
        std::vector<std::uint32_t> data(pixels);
        fill(data.data(), first);
        require(drm_intel_bo_subdata(source, 0, pixels * 4, data.data()), "subdata");
    } else if (upload.method == "map") {
        require(drm_intel_bo_map(source, 1), "map");
        fill(source->virt, first);
        require(drm_intel_bo_unmap(source), "unmap");
    } else if (upload.method == "gtt") {
        require(drm_intel_gem_bo_map_gtt(source), "map_gtt");
        fill(source->virt, first);
        require(drm_intel_gem_bo_unmap_gtt(source), "unmap_gtt");
    } else {
        void* memory = drm_intel_gem_bo_map__wc(source);
        if (memory == nullptr) {
            fail("map__wc");
        }
        drm_intel_gem_bo_start_gtt_access(source, 1); // waits, and flushes other domains
        fill(memory, first);
    }
}

void blit(const Upload& upload, drm_intel_bo* destination, drm_intel_bo* source) {
    drm_intel_bo* batch = drm_intel_bo_alloc(upload.manager, "batch", 4096, 4096);
    std::vector<std::uint32_t> commands{upload.wide ? 0x54f00008U : 0x54f00006U,
                                        3U << 24 | 0xccU << 16 | pitch, 0, height << 16 | width};
    const auto address = [&](drm_intel_bo* target, std::uint32_t write) {
        const auto offset = static_cast<std::uint32_t>(commands.size() * 4);
        require(drm_intel_bo_emit_reloc(batch, offset, target, 0, I915_GEM_DOMAIN_RENDER, write),
                "emit_reloc");
        commands.push_back(static_cast<std::uint32_t>(target->offset64));
        if (upload.wide) {
            commands.push_back(static_cast<std::uint32_t>(target->offset64 >> 32));
        }
    };
    address(destination, I915_GEM_DOMAIN_RENDER);
    commands.push_back(0);
    commands.push_back(pitch);
    address(source, 0);
    commands.push_back(0x05000000);
    commands.resize((commands.size() + 1) / 2 * 2, 0);
    require(drm_intel_bo_subdata(batch, 0, commands.size() * 4, commands.data()), "subdata");
    require(drm_intel_bo_mrb_exec(batch, static_cast<int>(commands.size() * 4), nullptr, 0, 0,
                                  upload.blitter_ring ? I915_EXEC_BLT : I915_EXEC_RENDER),
            "exec");
    drm_intel_bo_unreference(batch);
}

/// Uploads a few times over the same destination; true: the last upload arrived.
bool upload_by(const Upload& upload) {
    drm_intel_bo* destination = drm_intel_bo_alloc(upload.manager, "destination", pixels * 4, 4096);
    std::uint32_t first = 1;
    for (int i = 0; i < iterations; ++i) {
        drm_intel_bo* source = drm_intel_bo_alloc(upload.manager, "source", pixels * 4, 4096);
        write_source(upload, source, first);
        blit(upload, destination, source);
        drm_intel_bo_unreference(source);
        first += static_cast<std::uint32_t>(pixels);
    }
    std::vector<std::uint32_t> found(pixels);
    require(drm_intel_bo_get_subdata(destination, 0, pixels * 4, found.data()), "get_subdata");
    drm_intel_bo_unreference(destination);
    first -= static_cast<std::uint32_t>(pixels);
    for (std::size_t i = 0; i < pixels; ++i) {
        if (found[i] != first + i) {
            std::fprintf(stderr, "%s: wrong pixels: pixel %zu is %u\n", upload.method.c_str(), i,
                         found[i]);
            return false;
        }
    }
    return true;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: libdrm_upload METHOD...\n");
        return 2;
    }
    const int fd = ::open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        fail("open");
    }
    drm_intel_bufmgr* manager = drm_intel_bufmgr_gem_init(fd, 4096);
    if (manager == nullptr) {
        fail("drm_intel_bufmgr_gem_init");
    }
    drm_intel_bufmgr_gem_enable_reuse(manager);
    const int device = drm_intel_bufmgr_gem_get_devid(manager);
    const bool sandybridge_or_later = device != 0x29c2 && device != 0x2e22; // not G33, G45
    int status = 0;
    for (int i = 1; i < argc; ++i) {
        const Upload upload{manager, argv[i], sandybridge_or_later && device != 0x0126,
                            sandybridge_or_later};
        status = upload_by(upload) ? status : 3;
    }
    drm_intel_bufmgr_destroy(manager);
    ::close(fd);
    return status;
}
