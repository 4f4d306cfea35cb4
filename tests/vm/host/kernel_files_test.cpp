// Worse than useless: another kernel or other modules than were asked for, so that a result is
// about a kernel that never ran; or a file that is none, taken for one.
#include "vm/guest_files.h"
#include "vm/kernel_choice.h"
#include "vm/kernel_image.h"
#include "vm/kernel_package.h"
#include "vm/kernel_series.h"
#include "vm/module_tree.h"
#include "vm/process.h"
#include "vm/shared_libraries.h"
#include "vm/unpacked_kernel.h"
#include "vm/work_folder.h"

#include "run_program.h"
#include "util/error.h"
#include "util/files.h"

#include <cstring>
#include <elf.h>
#include <filesystem>
#include <gtest/gtest.h>

namespace gem_upload::vm {
namespace {

using namespace std::string_view_literals;
using testing_support::TemporaryFolder;
namespace fs = std::filesystem;

/// A bzImage by Documentation/arch/x86/boot.rst: one sector of setup, then the payload.
std::string bzimage(std::string_view payload, std::string_view release = "6.1.0-57-amd64") {
    std::string image(1024, '\0');
    const auto put = [&](std::size_t at, auto value) {
        std::memcpy(image.data() + at, &value, sizeof value);
    };
    image[0x1f1] = 1;
    put(0x1fe, std::uint16_t{0xaa55});
    image.replace(0x202, 4, "HdrS");
    put(0x206, std::uint16_t{0x020f});
    put(0x20e, std::uint16_t{0x300 - 0x200});
    put(0x248, std::uint32_t{16});
    put(0x24c, static_cast<std::uint32_t>(payload.size()));
    image.replace(0x300, release.size(), release);
    image.replace(0x300 + release.size(), 9, " (a@b) #1");
    return image + std::string(16, '\0') + std::string(payload);
}

TEST(KernelImage, ReleaseAndPayload) {
    const std::string bytes = bzimage("\xfd"
                                      "7zXZ\0payload"sv);
    const auto image = parse_bzimage(bytes);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->release, "6.1.0-57-amd64");
    EXPECT_EQ(image->payload, "\xfd"
                              "7zXZ\0payload"sv);
    ASSERT_NE(find_compression(image->payload), nullptr);
    EXPECT_EQ(find_compression(image->payload)->program, "xz");
    EXPECT_EQ(find_compression(image->payload)->trailer, 4U);
    EXPECT_EQ(find_compression("\x28\xb5\x2f\xfd..."sv)->program, "zstd");
    EXPECT_EQ(find_compression("\x1f\x8b..."sv)->trailer, 0U);
    EXPECT_EQ(find_compression("none"), nullptr);
}

TEST(KernelImage, OtherFilesAreNone) {
    EXPECT_FALSE(parse_bzimage(""));
    EXPECT_FALSE(parse_bzimage(std::string(4096, '\0')));
    EXPECT_FALSE(parse_bzimage("#!/bin/sh\n"));
    std::string boot_sector = bzimage("x");
    boot_sector[0x202] = 'X';
    EXPECT_FALSE(parse_bzimage(boot_sector));
    const std::string bytes = bzimage("payload");
    EXPECT_TRUE(parse_bzimage(std::string_view(bytes).substr(0, bytes.size() - 3))->cut_short);
    EXPECT_FALSE(parse_bzimage(bytes)->cut_short);
}

/// An ELF file with one note.
std::string vmlinux(std::uint32_t note_type, std::string_view note_name) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_machine = EM_X86_64;
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof header + sizeof segment;
    const Elf64_Nhdr other{4, 4, 1};
    const Elf64_Nhdr note{static_cast<Elf64_Word>(note_name.size()), 8, note_type};
    std::string notes;
    notes.append(reinterpret_cast<const char*>(&other), sizeof other).append("abc\0dddd"sv);
    notes.append(reinterpret_cast<const char*>(&note), sizeof note).append(note_name);
    notes.append(8, '\0');
    segment.p_filesz = notes.size();
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
    return bytes + notes + "Linux version %s (%s)\n\0Linux version 6.12.1-x+ (me@here) #3 SMP\n";
}

TEST(KernelImage, Vmlinux) {
    const std::string pvh = vmlinux(18, "Xen\0"sv);
    EXPECT_TRUE(is_elf_x86_64(pvh));
    EXPECT_TRUE(has_pvh_entry(pvh));
    EXPECT_FALSE(has_pvh_entry(vmlinux(17, "Xen\0"sv)));
    EXPECT_FALSE(has_pvh_entry(vmlinux(18, "GNU\0"sv)));
    EXPECT_EQ(vmlinux_release(std::string(
                  "x\0Linux version %s (%s)\n\0Linux version 6.12.1-x+ (me@here) #3\n"sv)),
              "6.12.1-x+");
    EXPECT_EQ(vmlinux_release("no kernel"), "");
    for (std::size_t length = 0; length < 200; ++length) {
        (void)has_pvh_entry(std::string_view(pvh).substr(0, length)); // must not read beyond
    }
}

// From Debian's modules.dep.
constexpr const char* modules_dep =
    "kernel/drivers/gpu/drm/drm.ko:\n"
    "kernel/drivers/gpu/drm/drm_shmem_helper.ko.xz: kernel/drivers/gpu/drm/drm.ko\n"
    "kernel/drivers/gpu/drm/vgem/vgem.ko: kernel/drivers/gpu/drm/drm_shmem_helper.ko.xz "
    "kernel/drivers/gpu/drm/drm.ko\n"
    "kernel/drivers/gpu/drm/virtio/virtio-gpu.ko: kernel/drivers/gpu/drm/drm.ko\n";

TEST(ModuleTree, DependenciesComeAlong) {
    const ModuleTree tree(modules_dep, "kernel/drivers/char/agp/intel-gtt.ko\n");
    EXPECT_EQ(tree.files_for({"vgem"}, "x"),
              (std::set<std::string>{"kernel/drivers/gpu/drm/drm.ko",
                                     "kernel/drivers/gpu/drm/drm_shmem_helper.ko.xz",
                                     "kernel/drivers/gpu/drm/vgem/vgem.ko"}));
    EXPECT_EQ(tree.files_for({"virtio_gpu"}, "x").size(), 2U) << "'-' and '_' are one";
    EXPECT_TRUE(tree.files_for({"intel-gtt"}, "x").empty()) << "built in";
    EXPECT_THROW((void)tree.files_for({"i915"}, "x"), Error);
    EXPECT_EQ(module_name("a/b/drm-kms-helper.ko.zst"), "drm_kms_helper");
}

TEST(ModuleTree, FolderOfTheRelease) {
    const TemporaryFolder root;
    const std::string folder = root.file("lib/modules/6.1.0-57-amd64");
    fs::create_directories(folder + "/kernel");
    EXPECT_EQ(find_module_folder(root.path(), "6.1.0-57-amd64"), folder) << "not yet indexed";
    replace_file(folder + "/modules.dep", modules_dep);
    for (const std::string& named : {root.path(), root.file("lib/modules"), folder}) {
        EXPECT_EQ(find_module_folder(named, "6.1.0-57-amd64"), folder);
    }
    try {
        (void)find_module_folder(root.path(), "6.12.0");
        FAIL() << "modules of another release were taken";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("6.1.0-57-amd64"), std::string::npos);
        EXPECT_NE(text.find("6.12.0"), std::string::npos);
    }
    EXPECT_THROW((void)find_module_folder(root.file("absent"), "6.1"), Error);
    EXPECT_THROW((void)find_module_folder(folder + "/kernel", "6.1"), Error);
}

TEST(ModuleTree, ReleaseOfAModule) {
    EXPECT_EQ(module_release("ELF..\0license=GPL\0vermagic=6.1.0-57-amd64 SMP preempt \0x"sv),
              "6.1.0-57-amd64");
    EXPECT_EQ(module_release("no module"), "");
}

TEST(KernelPackage, WhatStandsForTheNewestKernel) {
    // `apt-cache depends linux-image-amd64` of Debian 12.
    EXPECT_EQ(needed_packages("linux-image-amd64\n  Depends: linux-image-6.1.0-57-amd64\n"
                              "  Suggests: x\n |Depends: y\n"),
              (std::vector<std::string>{"linux-image-6.1.0-57-amd64", "y"}));
    EXPECT_TRUE(needed_packages("").empty());
}

// What apt knows in Debian 12 with its security suite, shortened.
const std::vector<std::string> bookworm = {"linux-image-amd64",
                                           "linux-image-amd64-signed-template",
                                           "linux-image-6.1.0-9-amd64",
                                           "linux-image-6.1.0-57-amd64",
                                           "linux-image-6.1.0-57-amd64-unsigned",
                                           "linux-image-6.1.0-58-rt-amd64",
                                           "linux-image-6.1.0-58-amd64-dbg",
                                           "linux-image-6.12-amd64",
                                           "linux-image-6.12.118+deb12-amd64-unsigned",
                                           "linux-image-6.12.117+deb12-amd64",
                                           "linux-image-6.12.117+deb12-amd64-unsigned",
                                           "linux-image-6.12.119+deb12-cloud-amd64",
                                           "linux-headers-6.12.130+deb12-amd64",
                                           "linux-image-6.12.9+deb12-amd64"};

using Names = std::vector<std::string>;

TEST(KernelSeries, NewestPlainKernel) {
    EXPECT_EQ(newest_of_series(bookworm, "6.1"), Names{"linux-image-6.1.0-57-amd64"})
        << "57 is newer than 9, and 6.12 is not of 6.1";
    EXPECT_EQ(newest_of_series(bookworm, "6.12"),
              Names{"linux-image-6.12.118+deb12-amd64-unsigned"});
    EXPECT_TRUE(newest_of_series(bookworm, "6.13").empty());
    EXPECT_TRUE(newest_of_series(bookworm, "6").empty());
    EXPECT_TRUE(newest_of_series({}, "6.1").empty());
    EXPECT_EQ(series_in(bookworm), (Names{"6.1", "6.12"}));
}

TEST(KernelSeries, ImageApartFromItsModules) {
    const Names debian = {"linux-image-7.0.4-amd64", "linux-binary-unsigned-7.0.4-amd64",
                          "linux-binary-7.0.4-amd64", "linux-modules-7.0.4-amd64",
                          "linux-modules-7.0.3-amd64"};
    EXPECT_EQ(newest_of_series(debian, "7.0"),
              (Names{"linux-binary-7.0.4-amd64", "linux-modules-7.0.4-amd64"}));
    const Names only_unsigned = {"linux-binary-unsigned-7.3.4-amd64", "linux-modules-7.3.4-amd64"};
    EXPECT_EQ(newest_of_series(only_unsigned, "7.3"), only_unsigned);
    const Names ubuntu = {"linux-image-unsigned-6.8.0-31-generic", "linux-image-6.8.0-31-generic",
                          "linux-modules-6.8.0-31-generic", "linux-modules-extra-6.8.0-31-generic",
                          "linux-image-6.8.0-32-lowlatency"};
    EXPECT_EQ(newest_of_series(ubuntu, "6.8"),
              (Names{"linux-image-6.8.0-31-generic", "linux-modules-6.8.0-31-generic",
                     "linux-modules-extra-6.8.0-31-generic"}));
}

TEST(KernelSeries, OfARelease) {
    EXPECT_EQ(series_of("6.12.117+deb12-amd64"), "6.12");
    EXPECT_EQ(series_of("6.1.0-57-amd64"), "6.1");
    EXPECT_EQ(series_of("6.12"), "6.12");
    for (const char* none : {"", "6", "6.", ".1", "x6.1", "amd64"}) {
        EXPECT_EQ(series_of(none), "") << none;
    }
    EXPECT_TRUE(is_older("6.9.2", "6.10.1"));
    EXPECT_TRUE(is_older("6.1.0-9", "6.1.0-57"));
    EXPECT_TRUE(is_older("6.1", "6.1.1"));
    EXPECT_FALSE(is_older("6.1", "6.1"));
    EXPECT_FALSE(is_older("7.0", "6.12"));
}

TEST(UnpackedKernel, OneImageOrNone) {
    const TemporaryFolder root;
    EXPECT_THROW((void)kernel_in_folder(root.path()), Error);
    const std::string release = root.file("usr/lib/modules/6.12.1-x");
    fs::create_directories(release + "/kernel");
    fs::create_directory_symlink("usr/lib", root.file("lib"));
    replace_file(release + "/vmlinuz", "");
    EXPECT_EQ(kernel_in_folder(root.path()).image, release + "/vmlinuz") << "lib is usr/lib";
    fs::create_directories(root.file("boot"));
    fs::create_symlink("nowhere", root.file("boot/vmlinuz"));
    EXPECT_EQ(images_in(root.path()).size(), 1U) << "a link to the current kernel is none more";
    replace_file(root.file("boot/vmlinuz-6.1.0"), "");
    try {
        (void)kernel_in_folder(root.path());
        FAIL() << "one of two kernels was taken";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("vmlinuz-6.1.0"), std::string::npos);
    }
}

TEST(UnpackedKernel, ModulesAreIndexedBesideAFolderOfTheUsers) {
    if (locate_program("depmod").empty()) {
        GTEST_SKIP() << "there is no depmod";
    }
    const TemporaryFolder root;
    const TemporaryFolder work;
    StopSignals signals;
    const std::string folder = root.file("lib/modules/6.1.0-x");
    fs::create_directories(folder + "/kernel");
    replace_file(folder + "/modules.order", "");
    replace_file(folder + "/modules.builtin", "");
    const std::string indexed = with_module_index(folder, "6.1.0-x", work.path(), signals);
    EXPECT_TRUE(fs::exists(indexed + "/modules.dep"));
    EXPECT_FALSE(fs::exists(folder + "/modules.dep")) << "the user's folder was written to";
    replace_file(folder + "/modules.dep", "");
    EXPECT_EQ(with_module_index(folder, "6.1.0-x", work.path(), signals), folder);
}

TEST(KernelChoice, WhatIsInTheCacheNeedsNoApt) {
    const TemporaryFolder cache;
    StopSignals signals;
    const auto say = [](std::string_view line) { ADD_FAILURE() << line; };
    for (const char* release : {"kernels/stock/boot/vmlinuz-6.1.0-57-amd64",
                                "series/6.12/newer/boot/vmlinuz-6.12.117+deb12-amd64"}) {
        fs::create_directories(fs::path(cache.file(release)).parent_path());
        replace_file(cache.file(release), "");
    }
    const auto name = [&](const char* kernel) {
        return find_kernel({kernel, ""}, cache.path(), cache.path(), say, signals).name;
    };
    EXPECT_EQ(name(""), "stock") << "a newer one beside it changes nothing";
    EXPECT_EQ(name("debian:6.1"), "stock");
    EXPECT_EQ(name("debian:6.12"), "newer");
}

TEST(KernelChoice, AFolderWithoutModulesNeedsThem) {
    const TemporaryFolder root;
    StopSignals signals;
    const auto say = [](std::string_view) {};
    fs::create_directory(root.file("boot"));
    replace_file(root.file("boot/vmlinuz-6.1.0"), "");
    const auto modules = [&](const std::string& named) {
        return find_kernel({root.path(), named}, root.path(), root.path(), say, signals).modules;
    };
    EXPECT_THROW((void)modules(""), Error);
    EXPECT_EQ(modules("elsewhere"), "elsewhere");
    fs::create_directories(root.file("lib/modules"));
    EXPECT_EQ(modules(""), root.path());
}

TEST(SharedLibraries, FromTheLoadersList) {
    const char* const list = "\tlinux-vdso.so.1 (0x00007f58d4805000)\n"
                             "\tlibdrm.so.2 => /lib/x86_64-linux-gnu/libdrm.so.2 (0x0000)\n"
                             "\t/lib64/ld-linux-x86-64.so.2 (0x00007f58d4807000)\n";
    EXPECT_EQ(listed_libraries(list, "p"),
              (std::vector<std::string>{"/lib/x86_64-linux-gnu/libdrm.so.2",
                                        "/lib64/ld-linux-x86-64.so.2"}));
    EXPECT_THROW((void)listed_libraries("\tlibx.so => not found\n", "p"), Error);
}

TEST(GuestFiles, ProgramsComeWithTheirLibraries) {
    const TemporaryFolder folder;
    StopSignals signals;
    GuestFiles files(folder.file("root"), signals);
    files.add_program(fs::read_symlink("/proc/self/exe"), "/init");
    EXPECT_TRUE(files.has("/init"));
    EXPECT_TRUE(files.has(dynamic_loader));
    files.add_text("/etc/x", "y\n");
    const std::string archive = folder.file("archive");
    files.pack(archive);
    // cpio itself tells what is in it, and to whom it belongs.
    const auto listed =
        testing_support::run_program({"sh", "-c", "cpio -tvn --quiet < '" + archive + "'"});
    EXPECT_EQ(listed.status, 0) << listed.err;
    EXPECT_NE(listed.out.find("etc/x"), std::string::npos);
    EXPECT_NE(listed.out.find("libc.so.6"), std::string::npos);
    EXPECT_EQ(listed.out.find(folder.path()), std::string::npos);
}

TEST(WorkFolder, IsRemovedAndSpaceIsChecked) {
    const TemporaryFolder parent;
    std::string path;
    {
        const WorkFolder work(parent.path());
        path = work.path();
        replace_file(path + "/x", "y");
    }
    EXPECT_FALSE(fs::exists(path));
    EXPECT_NO_THROW(require_space(parent.path(), 1));
    EXPECT_THROW(require_space(parent.path(), std::uint64_t{1} << 60U), Error);
}

TEST(WorkFolder, WhatKilledRunsLeftIsClearedAway) {
    const TemporaryFolder home;
    ASSERT_EQ(::setenv("XDG_CACHE_HOME", home.path().c_str(), 1), 0);
    const std::string folder = home.file("gem-upload-tools");
    const std::string dead = folder + "/work.999999999.abcdef"; // above the kernel's largest pid
    const std::string alive = folder + "/work." + std::to_string(::getpid()) + ".abcdef";
    fs::create_directories(dead);
    fs::create_directories(alive);
    EXPECT_EQ(cache_folder(), folder);
    EXPECT_FALSE(fs::exists(dead));
    EXPECT_TRUE(fs::exists(alive)) << "another run's, or our own";
}

} // namespace
} // namespace gem_upload::vm
