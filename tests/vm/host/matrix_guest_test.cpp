// Worse than useless: a method that counts as right though it never ran, or a kernel's complaint
// that is laid at another method's door.
#include "vm_matrix_guest.h"

#include "run_program.h"

#include <gtest/gtest.h>

namespace gem_upload::tools {
namespace {

const std::vector<results::RunMethod> methods = {
    {"upload_blit_large", ""}, {"upload_blit_large_map", "staged"}, {"upload_blit_small", ""}};

const char* const good_record = R"({"outcome": "success", "status": 0,
    "sentence": "the command succeeded", "complaints": ["an odd register"],
    "seconds": {"end": 12.5}})";

/// A guest in which each method was right.
GuestRemains good_guest() {
    return {"gem-upload-matrix: 0 0 \ngem-upload-matrix: 1 0 not canonical: small\n"
            "gem-upload-matrix: 2 0 \n",
            "[ 1.0] Linux version 6.1\n[ 2.0] gem-upload-matrix: 0\n[ 2.5] harmless\n"
            "[ 3.0] gem-upload-matrix: 1\n[ 4.0] gem-upload-matrix: 2\n"
            "[ 5.0] gem-upload-matrix: end\n",
            good_record, "", 0};
}

MatrixRow judged(const GuestRemains& remains, const vm::Policy& policy = {}) {
    MatrixRow row;
    judge_guest(row, methods, remains, policy);
    return row;
}

std::vector<CellState> states(const MatrixRow& row) {
    std::vector<CellState> all;
    for (const MatrixCell& cell : row.cells) {
        all.push_back(cell.state);
    }
    return all;
}

using enum CellState;

TEST(MatrixGuest, AllRight) {
    const MatrixRow row = judged(good_guest());
    EXPECT_EQ(states(row), (std::vector{right, right, right}));
    EXPECT_EQ(row.outcome, "success");
    EXPECT_EQ(row.cells[1].reason, "") << "a remark is no reason";
    EXPECT_EQ(row.remarks, std::vector<std::string>{"an odd register"});
    EXPECT_EQ(row.seconds, 12.5);
}

TEST(MatrixGuest, StatusesAndTheirReasons) {
    GuestRemains guest = good_guest();
    guest.output = "noise\n"
                   "gem-upload-matrix: 0 77 upload_blit_large: no ring: take another chip\n"
                   "gem-upload-matrix: 1 1 upload_blit_large_map: wrong data\n"
                   "gem-upload-matrix: 2 137 \n";
    const MatrixRow row = judged(guest);
    EXPECT_EQ(states(row), (std::vector{skipped, wrong, wrong}));
    EXPECT_EQ(row.cells[0].reason, "no ring: take another chip");
    EXPECT_EQ(row.cells[1].reason, "wrong data");
    EXPECT_NE(row.cells[2].reason.find("still running"), std::string::npos);
}

TEST(MatrixGuest, WhatWasNotReachedIsUnknown) {
    GuestRemains guest = good_guest();
    // The last line was on its way when the guest ended.
    guest.output = "gem-upload-matrix: 0 0 \ngem-upload-matrix: 1 0";
    guest.record = R"({"outcome": "timed-out", "sentence": "the guest was ended after 3 s"})";
    guest.status = 1;
    const MatrixRow row = judged(guest);
    EXPECT_EQ(states(row), (std::vector{right, unknown, unknown}));
    EXPECT_EQ(row.cells[1].reason, "the guest was ended after 3 s");
    EXPECT_EQ(row.outcome, "timed-out");
}

TEST(MatrixGuest, NonsenseIsNoResult) {
    GuestRemains guest = good_guest();
    guest.output = "gem-upload-matrix: 3 0 \ngem-upload-matrix: x 0 \ngem-upload-matrix: 1 \n"
                   "gem-upload-matrix: -1 0 \nright\n";
    EXPECT_EQ(states(judged(guest)), (std::vector{unknown, unknown, unknown}));
}

TEST(MatrixGuest, WithoutARecord) {
    const MatrixRow refused =
        judged({"", "", "", "some words\ngem-upload vm: there is no memory\n", 128});
    EXPECT_EQ(states(refused), (std::vector{unknown, unknown, unknown}));
    EXPECT_EQ(refused.outcome, "not-started");
    EXPECT_EQ(refused.cells[0].reason, "there is no memory");
    EXPECT_EQ(refused.status, 128);
    EXPECT_EQ(judged({"", "", "", "", 143}).outcome, "interrupted");
    EXPECT_EQ(judged({"", "", "{half", "", 1}).outcome, "not-started");
}

TEST(MatrixGuest, AComplaintIsTheRunningMethods) {
    GuestRemains guest = good_guest();
    guest.kernel_log = "[ 1.0] WARNING: CPU: 0 PID: 1 at lib/x.c:1 f+0x1/0x2\n"
                       "[ 2.0] gem-upload-matrix: 0\n"
                       "[ 3.0] gem-upload-matrix: 1\n"
                       "[ 3.5] i915 0000:00:02.0: [drm] GPU HANG: ecode 3:1:00000000\n"
                       "[ 4.0] gem-upload-matrix: 2\n[ 5.0] gem-upload-matrix: end\n"
                       "[ 6.0] BUG: unable to handle page fault for address: 0000\n";
    guest.status = 1;
    const MatrixRow row = judged(guest);
    EXPECT_EQ(states(row), (std::vector{right, complaint, right}));
    EXPECT_TRUE(row.cells[1].reason.starts_with("gpu-hang: ")) << row.cells[1].reason;

    guest.output = "gem-upload-matrix: 1 1 wrong data\n";
    EXPECT_NE(judged(guest).cells[1].reason.find("; and wrong data"), std::string::npos);
    EXPECT_EQ(states(judged(guest, {{vm::Trouble::gpu_hang}, false}))[1], wrong) << "allowed";
}

TEST(MatrixGuest, WarningsCountWhereItIsStrict) {
    GuestRemains guest = good_guest();
    guest.kernel_log = "[ 2.0] gem-upload-matrix: 0\n"
                       "[ 2.5] WARNING: CPU: 0 PID: 1 at lib/x.c:1 f+0x1/0x2\n"
                       "[ 3.0] gem-upload-matrix: 1\n";
    EXPECT_EQ(states(judged(guest)), (std::vector{right, right, right}));
    EXPECT_EQ(states(judged(guest, {{}, true})), (std::vector{complaint, right, right}));
}

/// The script, with stand-ins for the methods, in the shell.
TEST(MatrixGuest, ScriptTellsWhatIsUnderstood) {
    std::string script = matrix_script(methods);
    for (std::size_t at = 0; (at = script.find("/dev/kmsg")) != std::string::npos;) {
        script.replace(at, 9, "/dev/null");
    }
    const auto outcome = testing_support::run_program(
        {"sh", "-c",
         "timeout() { shift 3; \"$@\"; }; upload_blit_large() { echo 'MB/sec'; }\n"
         "upload_blit_large_map() { echo \"$*\" >&2; return 77; }\n"
         "upload_blit_small() { printf 'first\\nupload_blit_small: bad %%\\n' >&2; return 1; }\n" +
             script});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    GuestRemains guest = good_guest();
    guest.output = outcome.out;
    const MatrixRow row = judged(guest);
    EXPECT_EQ(states(row), (std::vector{right, skipped, wrong})) << outcome.out;
    EXPECT_NE(row.cells[1].reason.find("--verify every --variant staged"), std::string::npos);
    EXPECT_EQ(row.cells[2].reason, "bad %");
}

} // namespace
} // namespace gem_upload::tools
