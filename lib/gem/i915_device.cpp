#include "gem/i915_device.h"

#include "blit/xy_src_copy.h"
#include "drm/error_state.h"
#include "util/error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <i915_drm.h>
#include <xf86drm.h>

namespace gem_upload::gem {
namespace {

constexpr int batch_bytes = 4096;

// The low 16 MiB stay free, where the kernel may have put objects of its own. Without a full PPGTT
// (I915_PARAM_HAS_ALIASING_PPGTT below 3) libdrm_intel cannot ask for addresses above 4 GiB; with
// it, bit 47 and above would need the canonical form.
constexpr std::uint64_t first_softpin_address = 16ULL << 20;
constexpr std::uint64_t end_of_32_bit_addresses = 1ULL << 32;
constexpr std::uint64_t end_of_48_bit_addresses = 1ULL << 47;

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
    return (value + step - 1) / step * step;
}

/// Tells a device that is gone or broken from one that libdrm_intel does not know.
void require_answer(int fd, const std::string& device) {
    int value = 0;
    drm_i915_getparam_t request{};
    request.param = I915_PARAM_CHIPSET_ID;
    request.value = &value;
    if (drmIoctl(fd, DRM_IOCTL_I915_GETPARAM, &request) != 0) {
        throw failed_call("GETPARAM", device, errno);
    }
}

} // namespace

I915Device::I915Device(drm::Device device)
    : device_(std::move(device)),
      ring_flag_(I915_EXEC_RENDER),
      next_address_(first_softpin_address) {
    if (device_.driver != "i915" || device_.chip == nullptr) {
        throw cannot_measure(
            fmt::format("{} is not a device of i915 that libdrm_intel knows", device_.label()));
    }
    // libdrm_intel takes the variable as an order not to execute anything.
    if (std::getenv("INTEL_DEVID_OVERRIDE") != nullptr) {
        throw cannot_measure(
            "INTEL_DEVID_OVERRIDE is set, so libdrm_intel would execute no batch: unset it");
    }
    fd_ = drm::open_device(device_);
    resets_before_ = read_reset_stats(fd_.get());
    manager_.reset(drm_intel_bufmgr_gem_init(fd_.get(), batch_bytes));
    if (!manager_) {
        require_answer(fd_.get(), device_.label());
        throw cannot_measure(fmt::format("libdrm_intel does not support {}", device_.label()));
    }
    drm_intel_bufmgr_gem_enable_reuse(manager_.get());
    if (device_.chip->blt_ring) {
        ring_flag_ = I915_EXEC_BLT;
    }
    addressing_ = find_addressing();
    address_end_ = parameter_or(I915_PARAM_HAS_ALIASING_PPGTT, 0) >= 3 ? end_of_48_bit_addresses
                                                                       : end_of_32_bit_addresses;
}

Buffer I915Device::allocate(const char* name, std::uint64_t bytes) {
    Buffer buffer{drm_intel_bo_alloc(manager_.get(), name, bytes, 4096)};
    if (buffer.get() == nullptr) {
        throw failed_call(fmt::format("GEM_CREATE of {} bytes", bytes), device_.label(), errno);
    }
    if (addressing_ == Addressing::softpin) {
        pin(buffer);
    }
    return buffer;
}

/// libdrm forgets that a recycled object was pinned, but keeps its address.
void I915Device::pin(const Buffer& buffer) {
    std::uint64_t address = buffer.get()->offset64;
    if (address == 0) {
        address = next_address_;
        next_address_ += round_up(buffer.get()->size, 4096);
        if (next_address_ > address_end_) {
            throw failure(fmt::format("the GPU addresses of {} are used up by softpinned objects: "
                                      "use fewer iterations or a smaller image",
                                      device_.label()));
        }
    }
    drm_intel_bo_use_48b_address_range(buffer.get(), address_end_ > end_of_32_bit_addresses);
    check(drm_intel_bo_set_softpin_offset(buffer.get(), address), "pinning an object's address");
}

void I915Device::copy(const Buffer& source, const Buffer& destination, std::uint32_t width,
                      std::uint32_t height) {
    const std::uint32_t pitch = width * 4;
    const Buffer batch = allocate("batch", batch_bytes);
    const blit::CopyBatch commands =
        blit::encode_copy(device_.chip->generation, {source.get()->offset64, pitch},
                          {destination.get()->offset64, pitch}, width, height);
    fill_batch(batch, commands.dwords().data(), commands.bytes());
    const auto byte_offset = [](std::size_t index) {
        return static_cast<std::uint32_t>(index * 4);
    };
    check(drm_intel_bo_emit_reloc(batch.get(), byte_offset(commands.destination_index()),
                                  destination.get(), 0, I915_GEM_DOMAIN_RENDER,
                                  I915_GEM_DOMAIN_RENDER),
          "a relocation");
    check(drm_intel_bo_emit_reloc(batch.get(), byte_offset(commands.source_index()), source.get(),
                                  0, I915_GEM_DOMAIN_RENDER, 0),
          "a relocation");
    check(drm_intel_bo_mrb_exec(batch.get(), static_cast<int>(commands.bytes()), nullptr, 0, 0,
                                ring_flag_),
          "EXECBUFFER2");
}

/// Where relocations are refused PWRITE is too, and libdrm_intel's fallback for it is avoided.
void I915Device::fill_batch(const Buffer& batch, const void* data, std::size_t bytes) {
    if (addressing_ == Addressing::relocation) {
        check(drm_intel_bo_subdata(batch.get(), 0, bytes, data), "PWRITE of the batch");
        return;
    }
    check(drm_intel_bo_map(batch.get(), 1), "GEM_MMAP of the batch");
    std::memcpy(batch.get()->virt, data, bytes);
    check(drm_intel_bo_unmap(batch.get()), "SW_FINISH of the batch");
}

/// Asks the kernel with an empty batch that holds one relocation.
Addressing I915Device::find_addressing() {
    const std::uint32_t empty[4] = {0x0AU << 23, 0, 0, 0};
    const Buffer target = allocate("relocation probe", batch_bytes);
    const Buffer batch = allocate("relocation probe batch", batch_bytes);
    check(drm_intel_bo_map(batch.get(), 1), "GEM_MMAP");
    std::memcpy(batch.get()->virt, empty, sizeof empty);
    check(drm_intel_bo_unmap(batch.get()), "SW_FINISH");
    check(drm_intel_bo_emit_reloc(batch.get(), 8, target.get(), 0, I915_GEM_DOMAIN_RENDER, 0),
          "a relocation");
    const int result = drm_intel_bo_mrb_exec(batch.get(), 8, nullptr, 0, 0, ring_flag_);
    if (result == 0) {
        set_domain(target, I915_GEM_DOMAIN_CPU, I915_GEM_DOMAIN_CPU);
        return Addressing::relocation;
    }
    if (result == -EINVAL && parameter_or(I915_PARAM_HAS_EXEC_SOFTPIN, 0) > 0) {
        return Addressing::softpin;
    }
    throw failed_call("EXECBUFFER2 of an empty batch", device_.label(), -result);
}

void I915Device::set_domain(const Buffer& buffer, std::uint32_t read, std::uint32_t write) {
    const int error = try_set_domain(buffer, read, write);
    if (error != 0) {
        throw failed_call("SET_DOMAIN", device_.label(), error);
    }
}

int I915Device::try_set_domain(const Buffer& buffer, std::uint32_t read, std::uint32_t write) {
    drm_i915_gem_set_domain request{};
    request.handle = static_cast<std::uint32_t>(buffer.get()->handle);
    request.read_domains = read;
    request.write_domain = write;
    return drmIoctl(fd_.get(), DRM_IOCTL_I915_GEM_SET_DOMAIN, &request) == 0 ? 0 : errno;
}

int I915Device::try_pwrite(const Buffer& buffer, const void* data, std::uint64_t bytes) {
    drm_i915_gem_pwrite request{};
    request.handle = static_cast<std::uint32_t>(buffer.get()->handle);
    request.size = bytes;
    request.data_ptr = reinterpret_cast<std::uintptr_t>(data);
    return drmIoctl(fd_.get(), DRM_IOCTL_I915_GEM_PWRITE, &request) == 0 ? 0 : errno;
}

int I915Device::parameter_or(int parameter, int otherwise) {
    int value = otherwise;
    drm_i915_getparam_t request{};
    request.param = parameter;
    request.value = &value;
    return drmIoctl(fd_.get(), DRM_IOCTL_I915_GETPARAM, &request) == 0 ? value : otherwise;
}

std::optional<std::string> I915Device::hang() const {
    const std::optional<ResetStats> now = read_reset_stats(fd_.get());
    if (!resets_before_ || !now) {
        return std::nullopt;
    }
    std::optional<std::string> sentence = describe_growth(*resets_before_, *now);
    const std::string state = sentence ? drm::describe_error_state(device_) : "";
    if (!state.empty()) {
        *sentence += "; " + state;
    }
    return sentence;
}

void I915Device::fail(int negative_errno, std::string_view what) const {
    throw failed_call(what, device_.label(), -negative_errno);
}

} // namespace gem_upload::gem
