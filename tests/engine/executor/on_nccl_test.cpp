// Every layout trains over NCCL what it trains on the host, bit by bit and without a deadlock, with
// stand-ins for NCCL and for devices that wait wherever the real ones do.
#include "tests/stand_ins/on_nccl.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "tests/engine/executor/layouts.h"
#include "tests/stand_ins/moving_nccl_parts.h"

namespace quintet::engine::test {
namespace {

constexpr std::chrono::seconds patience{20};

OnNccl small_on_nccl(std::uint64_t seed) {
  OnNccl how;
  how.options.memory.more = std::size_t{256} << 10;
  how.device.seed = seed;
  how.device.patience = patience;
  how.patience = patience;
  return how;
}

Toy toy_with(const Change& layout) {
  Toy made = toy(toy_gpt2());
  made.vocabulary_multiple = layout.vocabulary_multiple;
  layout.change(made.plan);
  return made;
}

Toy pipeline_of_two() {
  Toy made = toy(toy_gpt2());
  pipeline(made.plan, 2);
  return made;
}

void expect_same_bits(const Toy& toy, int steps, const OnNccl& how, const std::string& name) {
  const Curve host = train(toy, steps);
  const CurveOnNccl found = train_on_nccl(toy, steps, how);
  ASSERT_FALSE(host.error) << name << ": " << host.error->text();
  ASSERT_FALSE(found.curve.error) << name << ": " << found.curve.error->text();
  EXPECT_EQ(host.losses, found.curve.losses) << name;
  EXPECT_EQ(host.norms, found.curve.norms) << name;
  EXPECT_EQ(found.stuck, std::vector<std::string>{}) << name;
  // Two steps as they come, the third is kept and the others are launches of it.
  for (const std::int64_t launches : found.launches)
    EXPECT_EQ(launches, how.options.graphs ? steps - 3 : 0) << name;
}

TEST(RanksOverNccl, EveryLayoutTrainsWhatItDoesOnTheHost) {
  std::uint64_t seed = 1;
  for (const Change& layout : layouts())
    expect_same_bits(toy_with(layout), 3, small_on_nccl(seed++), layout.name);
}

TEST(RanksOverNccl, EveryLayoutLaunchesItsStepsAsGraphs) {
  std::uint64_t seed = 200;
  for (const Change& layout : layouts()) {
    OnNccl how = small_on_nccl(seed++);
    how.options.graphs = true;
    expect_same_bits(toy_with(layout), 5, how, layout.name);
  }
}

// During a step a device never waits for all its streams, work of other ranks among them: the step
// was rehearsed.
TEST(RanksOverNccl, NoStepTakesMemoryOrLoadsOrTunes) {
  Toy made = pipeline_of_two();
  tensor(made.plan, 2);
  const Program program = program_of(made);
  std::vector<Stops> stops(static_cast<std::size_t>(world_size(program.grid)));
  OnNccl how = small_on_nccl(3);
  how.stops = &stops;
  how.train = [&](Rank rank, RankExecutor& executor) {
    Stops& mine = stops[static_cast<std::size_t>(rank.value)];
    EXPECT_NE(mine.taken(), std::vector<std::string>{});
    RankCurve curve = train_rank(made, program, rank, executor, 2);
    EXPECT_EQ(mine.taken(), std::vector<std::string>{});
    return curve;
  };
  const CurveOnNccl found = train_on_nccl(made, 2, how);
  ASSERT_FALSE(found.curve.error) << found.curve.error->text();
}

// Steps differ in where documents begin and in how many there are: from one in each sequence to one
// in each token.
TEST(RanksOverNccl, NoStepTakesMemoryForMoreDocuments) {
  const Toy made = pipeline_of_two();
  const Program program = program_of(made);
  std::vector<Stops> stops(2);
  OnNccl how = small_on_nccl(6);
  how.stops = &stops;
  how.train = [&](Rank rank, RankExecutor& executor) {
    Stops& mine = stops[static_cast<std::size_t>(rank.value)];
    static_cast<void>(mine.taken());
    RankCurve curve;
    for (const int documents : {1, 3, toy_length}) {
      StepInput input = step_input(made, 0, 0);
      for (Batch& batch : input.micro_batches) {
        batch.starts = {0};
        for (int number = 1; number <= documents; ++number)
          batch.starts.push_back(number * toy_length / documents);
      }
      const auto report = executor.step(input);
      if (!report) curve.error = report.error();
    }
    EXPECT_EQ(mine.taken(), std::vector<std::string>{});
    return curve;
  };
  const CurveOnNccl found = train_on_nccl(made, 0, how);
  ASSERT_FALSE(found.curve.error) << found.curve.error->text();
}

// CUDA makes 8 connections unless it is asked for more (gpu_module.h): with one for all streams, a
// receive holds up the forward pass whose activation the other rank waits for.
TEST(RanksOverNccl, ADeviceOfOneConnectionStandsStillInAPipeline) {
  OnNccl how = small_on_nccl(4);
  how.device.connections = 1;
  how.device.patience = std::chrono::milliseconds(1500);
  const CurveOnNccl found = train_on_nccl(pipeline_of_two(), 1, how);
  ASSERT_TRUE(found.curve.error);
  EXPECT_NE(found.curve.error->text().find("the fake device "), std::string::npos)
      << found.curve.error->text();
}

// Rank 1 goes away while rank 0 launches graphs that keep NCCL's work: the abort does not wait for
// them.
TEST(RanksOverNccl, ARankThatGoesAwayEndsTheOthersThatLaunchGraphs) {
  const Toy made = pipeline_of_two();
  const Program program = program_of(made);
  OnNccl how = small_on_nccl(5);
  how.patience = std::chrono::seconds(3);
  how.options.graphs = true;
  how.train = [&](Rank rank, RankExecutor& executor) {
    RankCurve curve = train_rank(made, program, rank, executor, rank == Rank{1} ? 5 : 6);
    if (rank == Rank{1}) curve.error = Error{"step 6", "the GPU is lost"};
    return curve;
  };
  const CurveOnNccl found = train_on_nccl(made, 6, how);
  EXPECT_EQ(found.curve.error, (Error{"rank 1", "step 6: the GPU is lost"}));
  EXPECT_GE(found.launches.front(), 2);  // of steps 4 and 5
  EXPECT_EQ(found.stuck, std::vector<std::string>{});
}

// Stage 0 of 2 computes F0 F1 B0 F2 B1 ... B7: it asks for a gradient one pass before the one that
// needs it, when the activation of the pass before has left.
TEST(RanksOverNccl, MessagesAreReceivedJustInTime) {
  OnNccl how = small_on_nccl(8);
  std::string calls;  // of rank 0
  how.change = [&](Rank rank, NcclFunctions& nccl) {
    if (rank != Rank{0}) return;
    nccl.send = [&, send = nccl.send](const void* from, std::size_t count, ncclDataType_t type,
                                      int peer, ncclComm_t handle, cudaStream_t stream) {
      calls += 's';
      return send(from, count, type, peer, handle, stream);
    };
    nccl.receive = [&, receive = nccl.receive](void* to, std::size_t count, ncclDataType_t type,
                                               int peer, ncclComm_t handle, cudaStream_t stream) {
      calls += 'r';
      return receive(to, count, type, peer, handle, stream);
    };
  };
  expect_same_bits(pipeline_of_two(), 1, how, "pp2");
  const std::string opening = "sr";
  EXPECT_EQ(calls, opening + "srsrsrsrsrsrsrsr");
}

TEST(RanksOverNccl, WhatCommunicatesIsUrgent) {
  const Toy made = pipeline_of_two();
  CallCounts counts;
  OnNccl how = small_on_nccl(9);
  how.device.counts = &counts;
  expect_same_bits(made, 1, how, "pp2");
  const Program program = program_of(made);
  const auto lanes =
      std::count_if(program.lanes.begin(), program.lanes.end(),
                    [](const LaneInfo& lane) { return lane.kind == LaneKind::communication; });
  EXPECT_EQ(counts.urgent_streams, 2 * lanes);  // of each rank
}

// A rank's memory is known to all its communicators, and to none of them in the end.
TEST(RanksOverNccl, MemoryIsRegistered) {
  const Toy made = pipeline_of_two();
  OnNccl how = small_on_nccl(7);
  std::atomic<int> enlisted = 0, struck = 0;
  how.change = [&](Rank, NcclFunctions& nccl) {
    nccl.enlist = [&, enlist = nccl.enlist](ncclComm_t backend, void* memory, std::size_t bytes,
                                            void** handle) {
      ++enlisted;
      return enlist(backend, memory, bytes, handle);
    };
    nccl.strike = [&, strike = nccl.strike](ncclComm_t backend, void* handle) {
      ++struck;
      return strike(backend, handle);
    };
  };
  expect_same_bits(made, 2, how, "registered");
  EXPECT_GT(enlisted, 0);
  EXPECT_EQ(enlisted, struck);
  how.change = [](Rank, NcclFunctions& nccl) { nccl.enlist = {}; };
  expect_same_bits(made, 2, how, "not registered");
}

// Rank 1 asks for nothing after its first step: rank 0 says what it waits for, and whom, and ends.
// A graph tells nothing of its parts: all that waits for others is said.
TEST(RanksOverNccl, ARankThatStandsStillIsNamedAtTheDeadline) {
  for (const bool graphs : {false, true}) {
    const Toy made = pipeline_of_two();
    const Program program = program_of(made);
    OnNccl how = small_on_nccl(11);
    how.options.graphs = graphs;
    how.options.within = std::chrono::seconds(3);
    const int good = graphs ? 4 : 1;
    std::atomic<bool> ended = false;
    how.train = [&](Rank rank, RankExecutor& executor) {
      RankCurve curve =
          train_rank(made, program, rank, executor, rank == Rank{0} ? good + 1 : good);
      if (rank == Rank{0}) ended = true;
      while (!ended) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return curve;
    };
    const CurveOnNccl found = train_on_nccl(made, good + 1, how);
    ASSERT_TRUE(found.curve.error);
    const std::string said = found.curve.error->text();
    const std::string begin = "device: has not done within 3000 ms what was queued: of step ";
    EXPECT_TRUE(said.starts_with(begin)) << said;
    if (graphs) {
      EXPECT_NE(said.find("one graph: "), std::string::npos) << said;
      EXPECT_NE(said.find("messages from rank 1"), std::string::npos) << said;
    } else {
      EXPECT_NE(said.find("lane \"send forward\" has not done \"send activation\""),
                std::string::npos)
          << said;
      EXPECT_NE(said.find("micro-batch 0, to rank 1"), std::string::npos) << said;
    }
    EXPECT_EQ(found.stuck, std::vector<std::string>{});
  }
}

// Gradients that two replicas sum as they lie are symmetric memory of theirs, of each stage's two
// and of nobody else's: other stages have other parameters. Each is summed once before the first
// step, and then in every step.
TEST(RanksOverNccl, GradientsOfReplicasAreSummedInWindows) {
  Toy made = pipeline_of_two();
  made.plan.parallelism.data = 2;
  made.plan.parallelism.micro_batches = toy_sequences / 2;
  constexpr int steps = 3;
  OnNccl how = small_on_nccl(12);
  std::mutex mutex;
  std::map<std::string, int> opened;  // by communicator
  std::atomic<int> closed = 0;
  how.change = [&](Rank, NcclFunctions& nccl) {
    nccl.open_window = [&, open = nccl.open_window](ncclComm_t communicator, void* memory,
                                                    std::size_t bytes, ncclWindow_t* window,
                                                    int flags) {
      const ncclResult_t result = open(communicator, memory, bytes, window, flags);
      const std::scoped_lock lock(mutex);
      ++opened[communicator->name];
      return result;
    };
    nccl.close_window = [&, close = nccl.close_window](ncclComm_t communicator,
                                                       ncclWindow_t window) {
      ++closed;
      return close(communicator, window);
    };
  };
  const Curve host = train(made, steps);
  const CurveOnNccl found = train_on_nccl(made, steps, how);
  ASSERT_FALSE(found.curve.error) << found.curve.error->text();
  EXPECT_EQ(host.losses, found.curve.losses);
  EXPECT_EQ(found.stuck, std::vector<std::string>{});
  EXPECT_EQ(opened, (std::map<std::string, int>{{"data", 4}}));  // two groups of two
  EXPECT_EQ(closed, 4);
  // The groups' first sums, and a bucket for each stage's gradients in every step.
  EXPECT_GE(found.sums_in_windows, 2 + 2 * steps);
  how.change = [](Rank, NcclFunctions& nccl) { nccl.open_window = {}; };  // before 2.27
  expect_same_bits(made, steps, how, "no windows");
}

// Members that would open different windows are told so: nobody relies on layouts being equal.
TEST(RanksOverNccl, WindowsOfUnequalMembersAreRefused) {
  test::MovingNccl moving(std::chrono::seconds(5));
  const auto first = fake_device(), second = fake_device();
  const std::array<NcclFunctions, 2> nccl{moving.functions(*first), moving.functions(*second)};
  ncclUniqueId id{};
  nccl[0].get_unique_id(&id);
  const auto answers = [&](std::array<std::size_t, 2> bytes, std::array<std::size_t, 2> offsets) {
    std::array<ncclResult_t, 2> results{};
    std::array<std::thread, 2> threads;
    for (std::size_t member = 0; member < 2; ++member)
      threads[member] = std::thread([&, member] {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 1;
        config.commName = "pair";
        ncclComm_t pair = nullptr;
        nccl[member].init_rank(&pair, 2, id, static_cast<int>(member), &config);
        void* memory = nullptr;
        nccl[member].allocate(&memory, 3 * NCCL_WIN_REQUIRED_ALIGNMENT);
        ncclWindow_t window = nullptr;
        results[member] =
            nccl[member].open_window(pair, static_cast<std::byte*>(memory) + offsets[member],
                                     bytes[member], &window, NCCL_WIN_COLL_SYMMETRIC);
        nccl[member].free(memory);
      });
    for (std::thread& thread : threads) thread.join();
    nccl[0].get_unique_id(&id);
    return results;
  };
  constexpr std::size_t page = NCCL_WIN_REQUIRED_ALIGNMENT;
  using Results = std::array<ncclResult_t, 2>;
  EXPECT_EQ(answers({page, page}, {page, page}), (Results{ncclSuccess, ncclSuccess}));
  EXPECT_EQ(moving.stuck(), std::vector<std::string>{});
  EXPECT_EQ(answers({page, page + 4}, {0, 0}), (Results{ncclInvalidUsage, ncclInvalidUsage}));
  EXPECT_EQ(answers({page, page}, {0, page}), (Results{ncclInvalidUsage, ncclInvalidUsage}));
  EXPECT_EQ(answers({page, page}, {64, 64}), (Results{ncclInvalidArgument, ncclInvalidArgument}));
}

// What NCCL did has a span like what kernels did, with the times of its kernels: none took no time.
TEST(RanksOverNccl, CommunicationHasTheTimesOfNcclsKernels) {
  const Toy made = pipeline_of_two();
  const Program program = program_of(made);
  std::vector<FakeRecorder> recorders(2);
  OnNccl how = small_on_nccl(6);
  how.recorders = &recorders;
  const CurveOnNccl found = train_on_nccl(made, 2, how);
  ASSERT_FALSE(found.curve.error) << found.curve.error->text();
  const std::vector<const Instruction*> instructions = all_instructions(program);
  int messages = 0;
  for (const std::vector<Span>& spans : found.curve.last_spans)
    for (const Span& span : spans) {
      const Action& action = instructions[static_cast<std::size_t>(span.info)]->action;
      if (std::holds_alternative<Compute>(action)) continue;
      ++messages;
      EXPECT_LT(span.start, span.end) << instructions[static_cast<std::size_t>(span.info)]->name;
    }
  // 8 micro-batches: an activation there and a gradient back, each sent and received; the tied
  // embedding's gradient and the norm are sums, on both.
  EXPECT_EQ(messages, 8 * 4 + 2 * 2);
}

}  // namespace
}  // namespace quintet::engine::test
