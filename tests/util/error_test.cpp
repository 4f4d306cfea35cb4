// Worse than useless: an error that does not say which errno it was, or that exits 0.
#include "util/error.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace gem_upload {
namespace {

TEST(Error, FailedCallNamesCallDeviceAndErrno) {
    const Error error = failed_call("PWRITE", "/dev/dri/card0", ENOSPC);
    EXPECT_STREQ(error.what(), "PWRITE on /dev/dri/card0 failed: No space left on device (ENOSPC)");
    EXPECT_EQ(error.status(), Exit::failure);
}

TEST(Error, StatusesAreTheDocumentedOnes) {
    EXPECT_EQ(static_cast<int>(failure("").status()), 1);
    EXPECT_EQ(static_cast<int>(usage_error("").status()), 2);
    EXPECT_EQ(static_cast<int>(cannot_measure("").status()), 77);
}

TEST(Error, UnknownErrnoIsStillNamed) {
    EXPECT_EQ(errno_text(99999), "unknown error (99999)");
}

} // namespace
} // namespace gem_upload
