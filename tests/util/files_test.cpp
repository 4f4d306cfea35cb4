// Worse than useless: a full disk or a missing folder that passes for success, or a replaced file
// that is gone when the new text could not be written.
#include "util/error.h"
#include "util/files.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace gem_upload {
namespace {

class Files : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/files-test-XXXXXX";
        folder = ::mkdtemp(name);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string folder;
};

TEST_F(Files, AppendKeepsWhatWasThere) {
    append_synced(folder + "/log", "one\n");
    append_synced(folder + "/log", "two\n");
    EXPECT_EQ(read_file(folder + "/log"), "one\ntwo\n");
    EXPECT_EQ(read_first_line(folder + "/log"), "one");
}

TEST_F(Files, ReplaceLeavesNoTemporaryBehind) {
    replace_file(folder + "/run.json", "old");
    replace_file(folder + "/run.json", "new");
    EXPECT_EQ(read_file(folder + "/run.json"), "new");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_F(Files, ReplaceWritesThroughALink) {
    append_synced(folder + "/target", "");
    std::filesystem::create_symlink("target", folder + "/link");
    replace_file(folder + "/link", "text");
    EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
    EXPECT_EQ(read_file(folder + "/target"), "text");
}

TEST_F(Files, FullDiskIsAnError) {
    EXPECT_THROW(append_synced("/dev/full", "1\n"), Error);
    EXPECT_THROW(replace_file("/dev/full", "1\n"), Error);
}

TEST_F(Files, MissingFolderIsNamed) {
    try {
        replace_file(folder + "/none/run.json", "x");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(folder + "/none/run.json"), std::string::npos);
    }
}

TEST_F(Files, MappedShowsWhatTheFileHolds) {
    const std::string text = std::string(5000, 'x') + '\0' + "end";
    replace_file(folder + "/full", text);
    replace_file(folder + "/empty", "");
    EXPECT_EQ(MappedFile(folder + "/full").content(), text);
    EXPECT_EQ(MappedFile(folder + "/empty").content(), "");
    EXPECT_THROW(MappedFile(folder + "/none"), Error);
}

} // namespace
} // namespace gem_upload
