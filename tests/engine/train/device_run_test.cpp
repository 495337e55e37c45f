// Training on devices, by each of the ways in which their data is carried: 20 steps have the single
// rank's losses. The devices are stand-ins that run streams as late and in as odd an order as they
// may, so a wait that is missing gives other numbers.
#include <gtest/gtest.h>

#include <thread>

#include "engine/communication/virtual_ranks.h"
#include "engine/gpu_backends/gpu_backends.h"
#include "engine/peers/thread_peers.h"
#include "engine/peers/transport_peers.h"
#include "engine/train/thread_ranks.h"
#include "sim/program/groups.h"
#include "sim/timeline/chrome_trace/chrome_trace.h"
#include "tests/engine/train/small_run.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/support/local_job.h"

namespace quintet::engine::test {
namespace {

struct Layout {
  const char *name, *parallelism;
};

constexpr const char* alone = R"("micro_batches": 8)";
const Layout data{"data", R"("data": 2, "micro_batches": 4)"};
const Layout stages{"stages", R"("pipeline": 2, "micro_batches": 8)"};
const Layout tensor_stages{"tensor and stages",
                           R"("tensor": 2, "pipeline": 2, "micro_batches": 8)"};
const Layout zero3{"ZeRO-3", R"("data": 4, "micro_batches": 2, "sharding": "parameters")"};

DeviceOpener one_fake_device(std::uint64_t seed) {
  const std::shared_ptr<kernels::Device> device = fake_device({seed});
  return [device]() -> Result<std::shared_ptr<kernels::Device>> { return device; };
}

RunRecords in_threads(SmallRun& run, const DeviceOpener& open) {
  run.options.ranks = RankKind::threads;
  if (open) run.options.processor = Processor::gpu;
  const auto end = train_in_threads(run.inputs(), run.options, open, run.hooks());
  return run.records(end ? std::nullopt : std::optional(end.error()));
}

const RunRecords& single_rank() {
  static const RunRecords records = [] {
    SmallRun run(alone);
    return in_threads(run, {});
  }();
  return records;
}

TEST(RanksAsThreads, OnCpuCoresTrainTheSingleRanksModel) {
  for (const Layout& layout : {data, tensor_stages, zero3}) {
    SmallRun run(layout.parallelism);
    const RunRecords found = in_threads(run, {});
    SCOPED_TRACE(layout.name);
    expect_equal_losses(single_rank(), found);
    EXPECT_EQ(found.losses.size(), 20u);
    EXPECT_TRUE(
        found.says("Ranks are threads of this process on CPU cores; the memory that they "
                   "share carries data between them."));
    EXPECT_EQ(found.header["place"]["times_hold"]["communication"], false);
  }
}

TEST(RanksAsThreads, OnOneDeviceTrainTheSingleRanksModel) {
  std::uint64_t seed = 1;
  for (const Layout& layout : {Layout{"alone", alone}, data, tensor_stages, zero3}) {
    SmallRun run(layout.parallelism);
    const RunRecords found = in_threads(run, one_fake_device(seed++));
    SCOPED_TRACE(layout.name);
    expect_equal_losses(single_rank(), found);
    EXPECT_EQ(found.header["place"]["processor"], "gpu");
    EXPECT_EQ(found.header["place"]["device"], "fake device");
  }
}

// One rank fails, in its own words; all end.
TEST(RanksAsThreads, FailTogetherAndNameTheRank) {
  SmallRun run(data.parallelism);
  run.options.log = "/dev/full";
  const RunRecords found = in_threads(run, one_fake_device(1));
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->text(), "rank 0: /dev/full: cannot be written to any more");
}

TEST(RanksAsThreads, SayWhichOfThemHasNoMemory) {
  SmallRun run(data.parallelism);
  const std::shared_ptr<kernels::Device> device = fake_device({1, std::size_t{1} << 20});
  const RunRecords found =
      in_threads(run, [device]() -> Result<std::shared_ptr<kernels::Device>> { return device; });
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->where.substr(0, 5), "rank ");
  EXPECT_NE(found.error->text().find("the device's memory is full"), std::string::npos)
      << found.error->text();
}

// Memory is what the plan was predicted to need, give or take; both are logged.
TEST(DeviceRuns, CheckThePredictedMemory) {
  SmallRun run(tensor_stages.parallelism);
  run.options.steps = 3;
  const RunRecords found = in_threads(run, one_fake_device(5));
  ASSERT_FALSE(found.error) << found.error->text();
  const auto& memory = found.summary.at("memory");
  ASSERT_EQ(memory.size(), 4u);
  for (const auto& rank : memory) {
    EXPECT_GT(rank.at("peak_bytes").get<double>(), 0.5 * rank.at("predicted_bytes").get<double>());
    EXPECT_LT(rank.at("peak_bytes").get<double>(), 2 * rank.at("predicted_bytes").get<double>());
  }
  EXPECT_TRUE(found.says("Memory of the GPU: at most "));
}

// A device's state goes to files and comes back into another layout on other devices.
TEST(DeviceRuns, GoOnFromACheckpoint) {
  SmallRun run(tensor_stages.parallelism);
  run.options.checkpoint = run.file("kept");
  run.options.steps = 9;
  const RunRecords first = in_threads(run, one_fake_device(11));
  ASSERT_FALSE(first.error) << first.error->text();
  SmallRun other(zero3.parallelism);
  other.options.checkpoint = run.options.checkpoint;
  other.options.start = TrainingOptions::Start::resume;
  RunRecords whole = in_threads(other, one_fake_device(12));
  EXPECT_TRUE(whole.says("Resuming after step 9"));
  whole.losses.insert(whole.losses.begin(), first.losses.begin(), first.losses.end());
  expect_equal_losses(single_rank(), whole);
}

// Steps are told one late, but a checkpoint is of its own step: training goes on from the oldest
// that is left as if nothing had happened.
TEST(DeviceRuns, ACheckpointInTheMiddleIsOfItsOwnStep) {
  SmallRun run(data.parallelism);
  run.options.checkpoint = run.file("kept");
  run.options.checkpoint_every = 4;
  run.options.keep = 9;
  run.options.steps = 11;
  const RunRecords first = in_threads(run, one_fake_device(13));
  ASSERT_FALSE(first.error) << first.error->text();
  EXPECT_EQ(first.losses.size(), 11u);
  int left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(run.options.checkpoint)) {
    const std::string name = entry.path().filename().string();
    const bool of_step_4 = name.ends_with("4");
    if (of_step_4) ++left;
    if (!of_step_4 && entry.is_directory()) std::filesystem::remove_all(entry.path());
  }
  ASSERT_EQ(left, 1);
  SmallRun other(stages.parallelism);
  other.options.checkpoint = run.options.checkpoint;
  other.options.start = TrainingOptions::Start::resume;
  RunRecords whole = in_threads(other, one_fake_device(14));
  ASSERT_FALSE(whole.error) << whole.error->text();
  EXPECT_TRUE(whole.says("Resuming after step 4"));
  whole.losses.insert(whole.losses.begin(), first.losses.begin(), first.losses.begin() + 4);
  expect_equal_losses(single_rank(), whole);
}

// 300 words become 512 on devices, 2 ranks of 128 x 2, and none of the others is in a file: CPU
// cores, which pad nothing, go on from it.
TEST(DeviceRuns, PadTheVocabularyWithoutAnybodyElseSeeingIt) {
  const auto with_300_words = [](SmallRun& run) {
    std::ofstream(run.file("model.json"))
        << R"({"model_type": "gpt2", "n_layer": 4, "n_embd": 32, "n_head": 4, "n_positions": 16,
               "vocab_size": 300, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
  };
  SmallRun single(alone);
  with_300_words(single);
  const RunRecords expected = in_threads(single, {});
  SmallRun padded(tensor_stages.parallelism);
  with_300_words(padded);
  padded.options.checkpoint = padded.file("kept");
  padded.options.steps = 9;
  const RunRecords first = in_threads(padded, one_fake_device(21));
  ASSERT_FALSE(first.error) << first.error->text();
  EXPECT_EQ(padded.inputs().compile.vocabulary_multiple, 128);
  SmallRun plain(alone);
  with_300_words(plain);
  plain.options.checkpoint = padded.options.checkpoint;
  plain.options.start = TrainingOptions::Start::resume;
  EXPECT_EQ(plain.inputs().compile.vocabulary_multiple, 1);
  RunRecords whole = in_threads(plain, {});
  whole.losses.insert(whole.losses.begin(), first.losses.begin(), first.losses.end());
  expect_equal_losses(expected, whole);
}

// Every instruction has its time on the device; those of one lane follow each other.
TEST(DeviceRuns, HaveATimelineOfTheDevicesTimes) {
  SmallRun run(stages.parallelism);
  run.options.steps = 3;
  run.options.timeline = run.file("timeline.json");
  const RunRecords found = in_threads(run, one_fake_device(3));
  ASSERT_FALSE(found.error) << found.error->text();
  const auto timeline = read_chrome_trace(run.options.timeline);
  ASSERT_TRUE(timeline) << timeline.error().text();
  EXPECT_EQ(timeline->tracks.size(), 2u);
  std::map<std::pair<int, int>, Instant> ends;  // by track and lane
  bool took_time = false;
  for (const Span& span : timeline->spans) {
    const int lane = timeline->infos[static_cast<std::size_t>(span.info)].lane;
    Instant& end = ends[{span.track, lane}];
    EXPECT_GE(span.start, end);
    EXPECT_GE(span.end, span.start);
    took_time = took_time || span.end > span.start;
    end = span.end;
  }
  EXPECT_TRUE(took_time);
  EXPECT_GE(ends.size(), 4u);  // computing and sending, on both
  EXPECT_TRUE(found.says("exposed communication"));
}

// Threads of one process are several ranks: events take their times, and it is said why.
TEST(DeviceRuns, FallBackToEventsWhereNothingRecords) {
  SmallRun run(alone);
  run.options.timeline = run.file("timeline.json");
  const RunRecords found = in_threads(run, one_fake_device(3));
  ASSERT_FALSE(found.error) << found.error->text();
  EXPECT_TRUE(
      found.says("Not recorded as was asked for: what a process does is recorded as a whole, and "
                 "its threads are ranks here."));
  const auto timeline = read_chrome_trace(run.options.timeline);
  ASSERT_TRUE(timeline) << timeline.error().text();
  ASSERT_TRUE(timeline->measurement && timeline->measurement->recording);
  EXPECT_EQ(timeline->measurement->recording->by, "CUDA events");
  EXPECT_EQ(timeline->measurement->steps.size(), 8u);
}

// As a process with a GPU of its own has it, but for the device.
RunRecords recorded(SmallRun& run) {
  auto recorder = std::make_unique<FakeRecorder>();
  const auto device = fake_device({.seed = 8, .recorder = recorder.get()});
  const TrainingInputs inputs = run.inputs();
  auto ranks = VirtualRanks::make(inputs.program, *device);
  EXPECT_TRUE(ranks) << ranks.error().text();
  ThreadPeers peers(1);
  Surroundings here;
  here.processor = Processor::gpu;
  const RankParts parts{(*ranks)->rank(Rank{0}), peers.rank(Rank{0}), here, device.get(),
                        [&recorder] {
                          return kernels::OpenedRecorder{std::move(recorder), {}};
                        }};
  const auto end = train(inputs, run.options, parts, run.hooks());
  return run.records(end ? std::nullopt : std::optional(end.error()));
}

// BERT's masks are drawn anew: few of its steps are of the kind of the one that was kept.
TEST(DeviceRuns, SayWhichStepsOfBertAreLaunchedAsGraphs) {
  SmallRun run(alone, R"(, "host_net": {"launch": "graphs"})");
  std::ofstream(run.file("model.json"))
      << R"({"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 32,
             "num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 16,
             "type_vocab_size": 2, "vocab_size": 257, "hidden_act": "gelu",
             "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0})";
  run.options.processor = Processor::gpu;
  run.options.steps = 4;
  const RunRecords found = recorded(run);
  EXPECT_FALSE(found.error) << found.error->text();
  EXPECT_EQ(found.losses.size(), 4u);
  EXPECT_TRUE(found.says("launched as graphs that mask as many words"));
  EXPECT_FALSE(found.says("from the fourth on"));
}

// 20 steps: 5 to 12 are recorded, 14 to 20 are timed without; all but the first three are launches
// of a graph. Recording changes no loss.
TEST(DeviceRuns, AreRecordedForSomeOfTheirSteps) {
  SmallRun run(alone, R"(, "host_net": {"launch": "graphs"})");
  run.options.processor = Processor::gpu;
  run.options.timeline = run.file("timeline.json");
  const RunRecords found = recorded(run);
  expect_equal_losses(single_rank(), found);
  EXPECT_TRUE(found.says("Steps are launched as graphs"));
  EXPECT_TRUE(found.says("Recorded 8 steps by fake recorder; a step takes "));
  EXPECT_FALSE(found.says("Warning"));
  const auto timeline = read_chrome_trace(run.options.timeline);
  ASSERT_TRUE(timeline) << timeline.error().text();
  ASSERT_TRUE(timeline->measurement && timeline->measurement->recording);
  const Recording& recording = *timeline->measurement->recording;
  EXPECT_EQ(recording.steps_with, 8);
  EXPECT_EQ(recording.steps_without, 7);
  EXPECT_EQ(recording.lost, 0);
  EXPECT_GT(recording.in_spans, 0);
  EXPECT_GT(recording.with, Duration{});
  EXPECT_GE(timeline->measurement->step, 5);
  EXPECT_LE(timeline->measurement->step, 12);
  EXPECT_EQ(timeline->notes.size(), timeline->spans.size());
  EXPECT_EQ(found.summary.at("recording").at("by"), "fake recorder");
  EXPECT_EQ(found.summary.at("recording").at("in_spans"), recording.in_spans);
}

// Processes that share a GPU: here threads, with a network and a device each.
TEST(DelegatedRanks, TrainTheSingleRanksModel) {
  for (const Layout& layout : {data, tensor_stages}) {
    SmallRun run(layout.parallelism);
    run.options.processor = Processor::gpu;
    run.options.carry = Carry::host;
    const TrainingInputs inputs = run.inputs();
    EXPECT_EQ(inputs.backends, (BackendKinds{BackendKind::delegates, BackendKind::delegates}));
    const int ranks = world_size(inputs.program.grid);
    std::mutex mutex;
    std::optional<Error> wrong;
    const std::string problem =
        run_job({ranks, SharedMemory::refuse, {}}, [&](Transport& transport) {
          const auto device =
              fake_device({40 + static_cast<std::uint64_t>(transport.rank().value)});
          TransportPeers peers(transport);
          const auto backends = GpuBackends::open(inputs.program, inputs.plan.ccl, transport, peers,
                                                  *device, {inputs.backends, {}, {}});
          ASSERT_TRUE(backends) << backends.error().text();
          Surroundings here;
          here.processor = Processor::gpu;
          here.backends = inputs.backends;
          here.ranks_per_device = ranks;
          const auto end = train(inputs, run.options,
                                 {(*backends)->backend(), peers, here, device.get()}, run.hooks());
          EXPECT_FALSE((*backends)->close());
          const std::scoped_lock lock(mutex);
          if (!end) wrong = end.error();
        });
    EXPECT_EQ(problem, "");
    SCOPED_TRACE(layout.name);
    const RunRecords found = run.records(wrong);
    expect_equal_losses(single_rank(), found);
    EXPECT_TRUE(found.says("no time of a kernel, a copy or a step is that of GPUs of their own"));
  }
}

}  // namespace
}  // namespace quintet::engine::test
