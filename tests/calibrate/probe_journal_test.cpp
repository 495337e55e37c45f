#include "calibrate/probes/probe_journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace quintet::calibrate {
namespace {

ProbeRecord record() {
  AttentionShape attention{2, 8, 4, 64, 64, 32};
  attention.mask = MaskKind::bidirectional;
  attention.kernel = AttentionKernel::unfused;
  ProbeRecord all{"gpt-fp32", {}, {{"gradients", Bandwidth{1.5e9}}}, Seconds{0.0125}};
  const auto add = [&](OperatorKind kind, Phase phase, const OperatorShape& shape) {
    all.operators.push_back({{kind, phase, DataType::fp32, shape, 2}, Seconds{1.0 / 3e3}, 7});
  };
  add(OperatorKind::mlp_up, Phase::forward, GemmShape{64, 256, 128, 3});
  add(OperatorKind::attention, Phase::backward, attention);
  add(OperatorKind::norm, Phase::forward, MemoryShape{Bytes{8192}, Bytes{4096}, 32, 64});
  return all;
}

TEST(ProbeJournal, ReadsBackWhatItWrote) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "journal";
  ProbeRecord on_a_gpu = record();
  on_a_gpu.margins = StepMargins{Seconds{1e-6}, Seconds{2e-3}};
  const TimingRecord timing{"all-reduce, 64 B", "ranks 0+1x2", {1e-5, 1.0 / 3e4}};
  {
    Result<ProbeJournal> journal = ProbeJournal::open(file, "here");
    ASSERT_TRUE(journal) << journal.error().text();
    for (const ProbeRecord& each : {record(), on_a_gpu}) ASSERT_FALSE(journal->add(each));
    ASSERT_FALSE(journal->add(timing));
  }
  const Result<ProbeJournal> journal = ProbeJournal::open(file, "here");
  ASSERT_TRUE(journal) << journal.error().text();
  EXPECT_EQ(journal->records(), (std::vector<ProbeRecord>{record(), on_a_gpu}));
  EXPECT_EQ(journal->timings(), std::vector<TimingRecord>{timing});
}

TEST(ProbeJournal, NamesTheLineAndFieldThatIsWrong) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "journal";
  const auto complaint = [&](const std::string& line) {
    std::ofstream(file) << "{\"journal\":\"quintet calibrate\",\"conditions\":\"here\"}\n"
                        << line << "\n";
    const Result<ProbeJournal> journal = ProbeJournal::open(file, "here");
    return journal ? std::string("nothing") : journal.error().text();
  };
  const std::string place = file.string() + ":2: ";
  EXPECT_EQ(complaint(R"({"timing":"a","at":"b","seconds":[1,"2"]})"),
            place + "seconds: expected an array of numbers");
  EXPECT_EQ(complaint(R"({"probe":"a","step":"1 s","gap":"1 us"})"),
            place + "gap: stands with \"around\", or neither does");
}

}  // namespace
}  // namespace quintet::calibrate
