// Worse than useless: a table, a status or a KTAP file that says "right" where something was wrong
// or nothing ran; or figures of a model that could be taken for a GPU's.
#include "vm_matrix.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gem_upload::tools {
namespace {

using enum CellState;

MatrixRow row(std::string chip, std::string kernel, std::vector<MatrixCell> cells) {
    MatrixRow made{std::move(chip),
                   std::move(kernel),
                   "6.1.0-57-amd64",
                   "success",
                   0,
                   "the command succeeded",
                   {}};
    made.cells = std::move(cells);
    return made;
}

Matrix matrix_of(std::vector<MatrixRow> rows) {
    return {
        {{"upload_blit_large", ""}, {"upload_blit_small_gtt", "staged"}}, std::move(rows), true};
}

Matrix good_matrix() {
    return matrix_of({row("g33", "debian:6.1", {{right, ""}, {skipped, "no ring | none"}}),
                      row("snb", "debian:6.1", {{right, ""}, {right, ""}})});
}

TEST(Matrix, StatusIsTheWorst) {
    EXPECT_EQ(matrix_status(good_matrix()), 0);
    Matrix matrix = good_matrix();
    matrix.rows[1].cells[0] = {unknown, "x"};
    EXPECT_EQ(matrix_status(matrix), 125);
    matrix.rows[0].cells[0] = {wrong, "x"};
    EXPECT_EQ(matrix_status(matrix), 1) << "something wrong outweighs something unknown";
    matrix.rows[0].cells[0] = {complaint, "x"};
    EXPECT_EQ(matrix_status(matrix), 1);
}

TEST(Matrix, StatusIsTheGuestsToo) {
    Matrix matrix = good_matrix();
    matrix.rows[0].outcome = "oops";
    matrix.rows[0].status = 1;
    EXPECT_EQ(matrix_status(matrix), 1) << "in no method's time, but the kernel complains";
    matrix.rows[0].status = 128;
    EXPECT_EQ(matrix_status(matrix), 125);
    matrix = good_matrix();
    matrix.rows[0].outcome.clear();
    EXPECT_EQ(matrix_status(matrix), 125) << "it has not ended";
}

TEST(Matrix, Text) {
    EXPECT_EQ(matrix_to_text(good_matrix()),
              "chip  kernel      large  small_gtt:staged  guest\n"
              "g33   debian:6.1  right  skipped [1]       ended well\n"
              "snb   debian:6.1  right  right             ended well\n"
              "\n"
              "[1] no ring | none\n"
              "debian:6.1 is 6.1.0-57-amd64\n"
              "The GPUs are modelled (model:CHIP): this says what the kernels' drivers do with "
              "them, and measures nothing.\n");
}

TEST(Matrix, AReasonHasOneNumber) {
    const Matrix matrix = [] {
        Matrix made = matrix_of({row("g33", "a", {{unknown, "late"}, {unknown, "late"}}),
                                 row("g33", "b", {{wrong, "bad"}, {unknown, "late"}})});
        made.rows[0].outcome = "timed-out";
        made.rows[0].sentence = "late";
        return made;
    }();
    const std::string text = matrix_to_text(matrix);
    EXPECT_NE(text.find("cannot tell [1]  cannot tell [1]   timed-out [1]\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("wrong [2]        cannot tell [1]"), std::string::npos) << text;
    EXPECT_NE(text.find("[1] late\n[2] bad\n"), std::string::npos) << text;
}

TEST(Matrix, Markdown) {
    const std::string text = matrix_to_markdown(good_matrix());
    EXPECT_TRUE(text.starts_with("| chip | kernel | large | small_gtt:staged | guest |\n"
                                 "| --- | --- | --- | --- | --- |\n"
                                 "| g33 | debian:6.1 | right | skipped [1] | ended well |\n"))
        << text;
    EXPECT_NE(text.find("- [1] no ring"), std::string::npos);
    EXPECT_NE(text.find(matrix_note), std::string::npos);
}

TEST(Matrix, Json) {
    Matrix matrix = good_matrix();
    matrix.complete = false;
    matrix.rows[1] = {"snb", "debian:6.1", "6.1", "", 0, "", {}};
    matrix.rows[1].cells.resize(2);
    const auto json = nlohmann::json::parse(matrix_to_json(matrix));
    EXPECT_EQ(json["note"], matrix_note);
    EXPECT_EQ(json["complete"], false);
    EXPECT_EQ(json["status"], 125);
    EXPECT_EQ(json["rows"][0]["gpu"], "model:g33");
    EXPECT_EQ(json["rows"][0]["cells"][1]["result"], "skipped");
    EXPECT_EQ(json["rows"][0]["cells"][1]["variant"], "staged");
    EXPECT_TRUE(json["rows"][1]["outcome"].is_null());
    EXPECT_EQ(json["rows"][1]["cells"][0]["result"], "cannot tell");
}

// Against Documentation/dev-tools/ktap.rst.
TEST(Matrix, Ktap) {
    Matrix matrix = good_matrix();
    matrix.rows[1].cells = {{wrong, "bad #1\nand more"}, {unknown, "late"}};
    EXPECT_EQ(matrix_to_ktap(matrix),
              "KTAP version 1\n"
              "# " +
                  std::string(matrix_note) +
                  "\n"
                  "1..2\n"
                  "  KTAP version 1\n"
                  "  # Subtest: model:g33 debian:6.1\n"
                  "  # 6.1.0-57-amd64\n"
                  "  1..3\n"
                  "  ok 1 upload_blit_large\n"
                  "  ok 2 upload_blit_small_gtt:staged # SKIP no ring | none\n"
                  "  ok 3 the guest ends well\n"
                  "ok 1 model:g33 debian:6.1\n"
                  "  KTAP version 1\n"
                  "  # Subtest: model:snb debian:6.1\n"
                  "  # 6.1.0-57-amd64\n"
                  "  1..3\n"
                  "  # wrong: bad #1 and more\n"
                  "  not ok 1 upload_blit_large\n"
                  "  not ok 2 upload_blit_small_gtt:staged # ERROR late\n"
                  "  ok 3 the guest ends well\n"
                  "not ok 2 model:snb debian:6.1\n");
}

TEST(Matrix, KtapOfGuests) {
    Matrix matrix = good_matrix();
    matrix.rows[0].outcome = "oops";
    matrix.rows[0].sentence = "BUG: x";
    matrix.rows[0].status = 1;
    matrix.rows[1].cells = {{skipped, "a"}, {skipped, "b"}};
    const std::string text = matrix_to_ktap(matrix);
    EXPECT_NE(text.find("  # oops: BUG: x\n  not ok 3 the guest ends well\nnot ok 1 "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\nok 2 model:snb debian:6.1 # SKIP "), std::string::npos) << text;
    matrix.rows[0].status = 125;
    EXPECT_NE(matrix_to_ktap(matrix).find("  not ok 3 the guest ends well # ERROR oops: BUG: x\n"),
              std::string::npos);
}

TEST(Matrix, Counts) {
    EXPECT_EQ(count_cells(good_matrix().rows[0]), "1 right, 1 skipped");
    EXPECT_EQ(short_title({"upload_aperture_wc", ""}), "aperture_wc");
}

} // namespace
} // namespace gem_upload::tools
