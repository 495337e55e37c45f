// Published recordings, recognised.
#include <gtest/gtest.h>

#include "tests/traces/kineto/scratch_folder.h"
#include "tests/traces/learn/recordings.h"
#include "traces/learn/collective_samples.h"
#include "traces/learn/recognise.h"
#include "traces/learn/recorded_jobs.h"
#include "traces/pytorch_et/execution_trace.h"
#include "traces/workload/recorded_job.h"

namespace quintet {
namespace {

using namespace test;

std::int64_t value(const std::optional<RecognisedNumber>& number) {
  return number ? number->value : -1;
}

// GPT-2 large (https://huggingface.co/openai-community/gpt2-large config.json): n_embd 1280,
// n_layer 36, n_head 20, vocab_size 50257, inner width 4 x 1280.
TEST(RecognisedModel, Gpt2LargeIsInItsShapes) {
  const auto archive = shared_sample("pytorch_et/param/hf_GPT2_et_schema1.1.0-chakra.0.0.4.tar.gz");
  if (!std::filesystem::exists(archive)) GTEST_SKIP() << "NOT CHECKED: there is no " << archive;
  const ScratchFolder folder;
  ASSERT_EQ(folder.unpack(archive), 0);
  const auto execution = read_execution_trace(folder.path / "hf_GPT2_et.json");
  ASSERT_TRUE(execution) << execution.error().text();
  const RecognisedModel model = recognised_model(shaped_operations(*execution));
  EXPECT_EQ(value(model.width), 1280);
  EXPECT_EQ(value(model.layers), 36);
  EXPECT_EQ(value(model.heads), 20);
  EXPECT_EQ(value(model.feed_forward), 5120);
  EXPECT_EQ(value(model.vocabulary), 50257);
  EXPECT_EQ(value(model.tokens), 512);
  EXPECT_EQ(value(model.micro_batches), 1);
}

// DLRM on 8 V100: no transformer, so of the model nothing may be said; gradients are reduced over
// all.
TEST(RecognisedJob, OfWhatIsNoTransformerOnlyThePlanIsTold) {
  const auto archive = shared_sample("kineto/param/dlrm_8ranks_v100_kineto.tar.gz");
  if (!std::filesystem::exists(archive)) GTEST_SKIP() << "NOT CHECKED: there is no " << archive;
  const ScratchFolder folder;
  ASSERT_EQ(folder.unpack(archive), 0);
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::directory_iterator(folder.path / "dlrm_kineto"))
    files.push_back(each.path());
  const auto traces = rank_traces(files);
  ASSERT_TRUE(traces) << traces.error().text();
  const auto workload = workload_of(*traces, "");
  ASSERT_TRUE(workload) << workload.error().text();
  const auto job = recognise(*workload, *traces);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->model, RecognisedModel{});
  EXPECT_EQ(value(job->data), 8);
  EXPECT_EQ(text_of(*job).substr(0, 19), "Looks like: data 8,");
  // All 8 ranks are here: 3 all-reduces and 5 all-to-alls.
  const RecordedCollectives found = collective_samples(*workload);
  EXPECT_EQ(found.collectives.size(), 8u);
  EXPECT_TRUE(found.left_out.empty());
  // Of one rank's trace nothing tells what was waiting.
  const auto one = workload_of({traces->front()}, "");
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_TRUE(collective_samples(*one).collectives.empty());
  EXPECT_FALSE(collective_samples(*one).left_out.empty());
}

}  // namespace
}  // namespace quintet
