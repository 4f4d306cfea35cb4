// Worse than useless: a finished sample that is lost or counted twice because the record was cut
// off somewhere, a record that reads back other than it was written, or a log whose numbers are in
// another order than the rounds.
#include "results/run_files.h"
#include "results/run_record.h"
#include "util/error.h"
#include "util/files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace gem_upload::results {
namespace {

RunHeader example_header() {
    RunHeader header;
    header.label = "g45";
    header.started = "2026-01-31T12:00:00Z";
    header.host = "lab1";
    header.device = "i915";
    header.seed = 18446744073709551615U;
    header.methods = {{"upload_blit_large", ""}, {"upload_blit_large_map", "staged"}};
    header.order = {{0, 1}, {1, 0}};
    header.options = {{"width", "640"}};
    header.cpu = "1";
    header.timeout_seconds = 300;
    header.environment = {
        {"kernel_release", "6.1.0"}, {"boot_id", "abc"}, {"governor", "performance"}};
    return header;
}

RunEntry process(const RunHeader& header, std::uint64_t round, std::uint64_t position) {
    RunEntry entry;
    entry.round = round;
    entry.position = position;
    const RunMethod& method = header.methods[header.order[round - 1][position - 1]];
    entry.result.method = method.method;
    entry.result.variant = method.variant;
    entry.started = "2026-01-31T12:00:01Z";
    entry.finished = "2026-01-31T12:00:02Z";
    return entry;
}

RunEntry measured(const RunHeader& header, std::uint64_t round, std::uint64_t position,
                  double seconds) {
    RunEntry entry = process(header, round, position);
    Result result = entry.result;
    result.device = "i915 8086:2e22 (g45) at 0000:00:02.0";
    result.facts = {{"relocation", "presumed"}};
    result.environment = header.environment;
    result.samples = {{seconds, 200, 1048576, true}};
    return entries_of(entry, result).front();
}

RunRecord example() {
    RunRecord record{example_header(), {}, 0};
    record.entries = {measured(record.header, 1, 1, 0.25), measured(record.header, 1, 2, 0.5),
                      measured(record.header, 2, 2, 1.0 / 3)};
    RunEntry failed = process(record.header, 2, 1);
    failed.reason = "killed by SIGSEGV";
    record.entries.push_back(failed);
    return record;
}

std::string text_of(const RunRecord& record) {
    std::string text = header_to_line(record.header);
    for (const RunEntry& entry : record.entries) {
        text += entry_to_line(record.header, entry);
    }
    return text;
}

void expect_refused(const std::string& text, const std::string& part) {
    try {
        (void)parse_run_record(text, "run.jsonl");
        ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), Exit::usage);
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
    const auto at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return at == std::string::npos ? text : text.replace(at, old.size(), by);
}

TEST(RunRecord, ReadsBackWhatItWrote) {
    const RunRecord before = example();
    const RunRecord after = parse_run_record(text_of(before), "run.jsonl");
    EXPECT_EQ(after.header.label, "g45");
    EXPECT_EQ(after.header.host, "lab1");
    EXPECT_EQ(after.header.device, "i915");
    EXPECT_EQ(after.header.seed, 18446744073709551615U);
    EXPECT_EQ(after.header.methods, before.header.methods);
    EXPECT_EQ(after.header.order, before.header.order);
    EXPECT_EQ(after.header.options, before.header.options);
    EXPECT_EQ(after.header.cpu, "1");
    EXPECT_EQ(after.header.timeout_seconds, 300U);
    EXPECT_EQ(after.header.environment, before.header.environment);
    ASSERT_EQ(after.entries.size(), 4U);
    EXPECT_EQ(after.entries[2].outcome, Outcome::measured);
    EXPECT_EQ(after.entries[2].round, 2U);
    EXPECT_EQ(after.entries[2].position, 2U);
    EXPECT_EQ(after.entries[2].result.samples.at(0).seconds, 1.0 / 3); // to the last bit
    EXPECT_EQ(after.entries[2].result.facts, before.entries[2].result.facts);
    EXPECT_EQ(after.entries[2].result.environment, before.header.environment);
    EXPECT_EQ(after.entries[3].outcome, Outcome::failed);
    EXPECT_EQ(after.entries[3].reason, "killed by SIGSEGV");
}

TEST(RunRecord, AnEntryKeepsItsOwnEnvironment) {
    RunRecord record = example();
    record.entries[0].result.environment[2].second = "powersave";
    record.entries[0].result.environment.emplace_back("gpu_actual_mhz", "300");
    const std::string line = entry_to_line(record.header, record.entries[0]);
    EXPECT_EQ(line.find("boot_id"), std::string::npos) << "what the header says is not repeated";
    const RunRecord after = parse_run_record(text_of(record), "run.jsonl");
    EXPECT_EQ(after.entries[0].result.environment, record.entries[0].result.environment);
    EXPECT_EQ(after.entries[1].result.environment, record.header.environment);
}

TEST(RunRecord, ACutAnywhereLosesNoWholeLine) {
    const std::string whole = text_of(example());
    const std::size_t first_line = whole.find('\n') + 1;
    for (std::size_t length = 0; length < first_line; ++length) {
        expect_refused(whole.substr(0, length), "start a new run");
    }
    for (std::size_t length = first_line; length <= whole.size(); ++length) {
        const std::string cut = whole.substr(0, length);
        const RunRecord record = parse_run_record(cut, "run.jsonl");
        const auto lines = static_cast<std::size_t>(std::count(cut.begin(), cut.end(), '\n'));
        ASSERT_EQ(record.entries.size(), lines - 1) << length;
        ASSERT_EQ(record.whole_bytes, cut.rfind('\n') + 1) << length;
        // What is left of the record, continued, is the record again.
        ASSERT_EQ(cut.substr(0, record.whole_bytes) + whole.substr(record.whole_bytes), whole);
    }
}

TEST(RunRecord, RefusesWhatIsBroken) {
    const std::string good = text_of(example());
    expect_refused(replaced(good, "gem-upload-run/1", "gem-upload-run/7"), "schema");
    expect_refused(replaced(good, "[1,0]", "[1,1]"), "every method once");
    expect_refused(replaced(good, "[1,0]", "[2,0]"), "every method once");
    expect_refused(replaced(good, "[1,0]", "[0]"), "every method once");
    expect_refused(replaced(good, "[[0,1],[1,0]]", "[]"), "no round");
    expect_refused(replaced(good, "\"seed\":", "\"sead\":"), "'seed' is missing");
    expect_refused(replaced(good, "\"round\":2", "\"round\":3"), "line 4");
    expect_refused(replaced(good, "\"round\":1", "\"round\":0"), "outside the run");
    expect_refused(replaced(good, "\"position\":2", "\"position\":9"), "outside the round");
    expect_refused(replaced(good, "\"position\":2", "\"position\":1"), "not the one");
    expect_refused(replaced(good, "\"seconds\":0.25", "\"seconds\":-1"), "'seconds'");
    expect_refused(replaced(good, "\"outcome\":\"failed\"", "\"outcome\":\"fine\""), "'outcome'");
    expect_refused(replaced(good, "\"seconds\":0.25", "\"seconds\":"), "line 2 of run.jsonl");
    expect_refused(good + "\n", "line 6");
    const std::string last = good.substr(good.rfind('\n', good.size() - 2) + 1);
    expect_refused(good + last, "second time");
}

std::string left_text(const RunRecord& record) {
    std::string text;
    for (const Place& place : places_left(record)) {
        text += std::to_string(place.round) + "." + std::to_string(place.position) + " ";
    }
    return text;
}

TEST(RunRecord, WhatIsLeftIsNeitherRecordedNorOfASkippedMethod) {
    RunRecord record{example_header(), {}, 0};
    EXPECT_EQ(left_text(record), "1.1 1.2 2.1 2.2 ");
    record.entries.push_back(measured(record.header, 1, 1, 0.25));
    EXPECT_EQ(left_text(record), "1.2 2.1 2.2 ");
    RunEntry failed = process(record.header, 2, 2);
    record.entries.push_back(failed);
    EXPECT_EQ(left_text(record), "1.2 2.1 ");
    RunEntry skipped = process(record.header, 1, 2); // the method of 2.1
    skipped.outcome = Outcome::skipped;
    record.entries.push_back(skipped);
    EXPECT_EQ(left_text(record), "");
}

TEST(RunRecord, SamplesOfAProcessAreNumbered) {
    const RunHeader header = example_header();
    const RunEntry slot = process(header, 1, 1);
    Result result = slot.result;
    result.samples = {{1, 1, 1, true}, {2, 1, 1, true}, {3, 1, 1, true}};
    const auto entries = entries_of(slot, result);
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[2].sample, 3U);
    ASSERT_EQ(entries[2].result.samples.size(), 1U);
    EXPECT_EQ(entries[2].result.samples[0].seconds, 3);
}

TEST(RunRecord, AHangIsAFailureBehindTheSamplesBeforeIt) {
    const RunHeader header = example_header();
    const RunEntry slot = process(header, 1, 1);
    Result result = measured(header, 1, 1, 1).result;
    result.gpu_hang = "the GPU hung";
    const auto entries = entries_of(slot, result);
    ASSERT_EQ(entries.size(), 2U);
    EXPECT_EQ(entries[0].outcome, Outcome::measured);
    EXPECT_EQ(entries[1].outcome, Outcome::failed);
    EXPECT_EQ(entries[1].reason, "the GPU hung");
    std::string text = header_to_line(header);
    for (const RunEntry& entry : entries) {
        text += entry_to_line(header, entry);
    }
    EXPECT_EQ(parse_run_record(text, "a record").entries.size(), 2U);
    result.samples.clear();
    ASSERT_EQ(entries_of(slot, result).size(), 1U);
    EXPECT_EQ(entries_of(slot, result)[0].outcome, Outcome::failed);
}

TEST(RunFiles, LogsAreNumbersInTheOrderOfTheRounds) {
    RunRecord record = example();
    std::reverse(record.entries.begin(), record.entries.end());
    const auto logs = run_logs(record);
    ASSERT_EQ(logs.size(), 2U);
    EXPECT_EQ(logs[0].name, "g45-upload_blit_large.txt");
    EXPECT_EQ(logs[1].name, "g45-upload_blit_large_map-staged.txt");
    std::string numbers;
    std::size_t start = 0;
    while (start < logs[0].text.size()) {
        const std::size_t end = logs[0].text.find('\n', start) + 1;
        if (logs[0].text[start] != '#') {
            numbers += logs[0].text.substr(start, end - start);
        }
        start = end;
    }
    EXPECT_EQ(numbers, "4\n3\n"); // 1 MiB in 1/4 s, then in 1/3 s
    EXPECT_NE(logs[0].text.find("# kernel_release: 6.1.0\n"), std::string::npos);
    EXPECT_NE(logs[0].text.find("# seed: 18446744073709551615\n"), std::string::npos);
}

TEST(RunFiles, AMethodWithoutASampleHasNoLog) {
    RunRecord record = example();
    record.entries.erase(record.entries.begin() + 1); // the only sample of _map:staged
    const auto logs = run_logs(record);
    ASSERT_EQ(logs.size(), 1U);
    EXPECT_EQ(logs[0].name, "g45-upload_blit_large.txt");
}

TEST(RunFiles, SummaryHoldsEverything) {
    const std::string json = run_json(example());
    EXPECT_NE(json.find("\"killed by SIGSEGV\""), std::string::npos);
    EXPECT_NE(json.find("\"finished\": true"), std::string::npos);
    EXPECT_NE(json.find("\"boot_id\": \"abc\""), std::string::npos);
    RunRecord unfinished = example();
    unfinished.entries.pop_back();
    EXPECT_NE(run_json(unfinished).find("\"finished\": false"), std::string::npos);
}

TEST(RunFiles, AFolderThatIsNotARunIsNamed) {
    char name[] = "/tmp/run-record-test-XXXXXX";
    const std::string folder = ::mkdtemp(name);
    for (const std::string& path : {folder, folder + "/none"}) {
        try {
            (void)read_run(path);
            ADD_FAILURE() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), Exit::usage);
            EXPECT_NE(std::string(error.what()).find("'" + path + "' is not a run"),
                      std::string::npos);
        }
    }
    const RunRecord record = example();
    append_synced(record_path(folder), text_of(record));
    EXPECT_EQ(read_run(folder).entries.size(), 4U);
    write_run_files(folder, record);
    EXPECT_TRUE(std::filesystem::exists(folder + "/run.json"));
    EXPECT_TRUE(std::filesystem::exists(folder + "/g45-upload_blit_large.txt"));
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace gem_upload::results
