// The choice between a library's attention and our own, on stand-ins that say how long they take.
#include "kernels/cuda/cudnn/measured_attention.h"

#include <gtest/gtest.h>

#include <vector>

namespace quintet::kernels::cuda {
namespace {

struct Log {
  std::vector<std::string> calls;
  double seconds = 0;  // that the last call took
};

class Attender : public FusedAttention {
 public:
  Attender(std::string name, double seconds, Log& log)
      : name_(std::move(name)), seconds_(seconds), log_(log) {}
  bool forward(const AttentionForward& a, const Stream&) override { return attend(a.shape); }
  bool backward(const AttentionBackward& a, const Stream&) override { return attend(a.shape); }

 private:
  // The library, like cuDNN, takes sequences of one length only.
  bool attend(const AttentionLayout& shape) {
    if (name_ == "library" && shape.lengths == SequenceLengths::any) return false;
    log_.calls.push_back(name_);
    log_.seconds = seconds_;
    return true;
  }
  std::string name_;
  double seconds_;
  Log& log_;
};

class Bench : public ProductBench {
 public:
  Bench(Log& log, const bool& capturing) : log_(log), capturing_(capturing) {}
  bool is_capturing(const Stream&) override { return capturing_; }
  Workspace workspace(const Stream&) override { return {}; }
  void* allocate(std::size_t) override { return nullptr; }
  void free(void*) override {}
  double seconds_of(const std::function<void()>& queue_work, const Stream&) override {
    queue_work();
    return log_.seconds;
  }

 private:
  Log& log_;
  const bool& capturing_;
};

struct World {
  Log log;
  bool capturing = false;
  AttentionChoices choices;

  MeasuredAttention attention(double library, double own) {
    return {std::make_unique<Attender>("library", library, log),
            std::make_unique<Attender>("own", own, log), std::make_unique<Bench>(log, capturing),
            choices};
  }
};

AttentionForward forward_of(Index sequences, SequenceLengths lengths = SequenceLengths::equal) {
  AttentionForward a;
  a.shape.sequences = sequences;
  a.shape.query_rows = a.shape.key_rows = sequences * 1024;
  a.shape.query_heads = a.shape.key_heads = 12;
  a.shape.head_size = 64;
  a.shape.lengths = lengths;
  return a;
}

using Calls = std::vector<std::string>;

// Each once untimed and 3 times timed; then the faster one, whose result is to stay. "False" leaves
// the call to our own kernels.
TEST(MeasuredAttentions, AShapesFirstCallAsksBothAndTheFasterOneHasTheOthers) {
  World world;
  MeasuredAttention attention = world.attention(2e-4, 3e-4);
  EXPECT_TRUE(attention.forward(forward_of(64), {}));
  EXPECT_EQ(world.log.calls, (Calls{"library", "own", "library", "library", "library", "own", "own",
                                    "own", "library"}));
  world.log.calls.clear();
  EXPECT_TRUE(attention.forward(forward_of(64), {}));
  EXPECT_EQ(world.log.calls, Calls{"library"});
}

TEST(MeasuredAttentions, WhereOurOwnIsFasterTheLibraryIsNotAskedAgain) {
  World world;
  MeasuredAttention attention = world.attention(3e-4, 2e-4);
  EXPECT_FALSE(attention.forward(forward_of(64), {}));
  world.log.calls.clear();
  EXPECT_FALSE(attention.forward(forward_of(64), {}));
  EXPECT_EQ(world.log.calls, Calls{});
}

TEST(MeasuredAttentions, WhatTheLibraryCannotDoIsOurOwnsWithoutMeasuring) {
  World world;
  MeasuredAttention attention = world.attention(1e-4, 2e-4);
  EXPECT_FALSE(attention.forward(forward_of(64, SequenceLengths::any), {}));
  EXPECT_EQ(world.log.calls, Calls{});
  EXPECT_EQ(world.choices.in_words(), "");
}

TEST(MeasuredAttentions, NothingIsMeasuredWhileAStreamIsCaptured) {
  World world;
  MeasuredAttention attention = world.attention(1e-4, 2e-4);
  world.capturing = true;
  EXPECT_FALSE(attention.forward(forward_of(64), {}));
  EXPECT_EQ(world.log.calls, Calls{});
  world.capturing = false;
  EXPECT_TRUE(attention.forward(forward_of(64), {}));
  world.capturing = true;
  EXPECT_TRUE(attention.forward(forward_of(64), {}));
}

TEST(MeasuredAttentions, RanksOfADeviceShareTheChoiceAndTellIt) {
  World world;
  MeasuredAttention first = world.attention(2e-4, 3.5e-4), second = world.attention(9e-4, 1e-4);
  EXPECT_TRUE(first.forward(forward_of(64), {}));
  world.log.calls.clear();
  EXPECT_TRUE(second.forward(forward_of(64), {}));
  EXPECT_EQ(world.log.calls, Calls{"library"});
  EXPECT_EQ(world.choices.in_words(),
            "; forward of 64 x 1024, 12 heads (12 of keys) of 64, causal: the library's, 0.200 ms "
            "against 0.350 ms");
}

}  // namespace
}  // namespace quintet::kernels::cuda
