// Any layout to any layout: tensor and pipeline ranks, and shares of flattened parameters over
// data-parallel ranks.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/files/checkpoint/checkpoint_steps.h"
#include "engine/files/weights/slices.h"
#include "tests/support/small_checkpoint.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

struct Layout {
  int tensor = 1, stages = 1;
  int sharers = 1;  // data ranks that share the optimizer state of each parameter
  int vocabulary_multiple = 1;
};

struct Share {
  Parameter parameter;
  std::int64_t first, last;
};

// What one rank holds of the model's flattened parameters.
std::vector<Share> shares_of(const Model& model, const Layout& layout, int tensor_rank, int stage,
                             int data_rank) {
  const int layers = model.layers / layout.stages;
  std::vector<Share> shares;
  for (const Parameter& parameter :
       parameters_of(model, {layout.tensor, layout.vocabulary_multiple}, tensor_rank,
                     {stage * layers, layers, stage == 0, stage + 1 == layout.stages})) {
    const std::int64_t count = elements(parameter.shape);
    shares.push_back(
        {parameter, count * data_rank / layout.sharers, count * (data_rank + 1) / layout.sharers});
  }
  return shares;
}

template <class Function>
void for_each_rank(const Model& model, const Layout& layout, const Function& function) {
  int rank = 0;
  for (int stage = 0; stage < layout.stages; ++stage)
    for (int tensor_rank = 0; tensor_rank < layout.tensor; ++tensor_rank)
      for (int data_rank = 0; data_rank < layout.sharers; ++data_rank)
        function(rank++, shares_of(model, layout, tensor_rank, stage, data_rank));
}

// Each element of the model another number.
TensorValues numbered(const Model& model) {
  TensorValues tensors;
  float next = 1;
  for (const ParameterTensor& tensor : tensors_of(model)) {
    tensors[tensor.name] = numbers_from(next, static_cast<std::size_t>(elements(tensor.shape)));
    next += static_cast<float>(elements(tensor.shape));
  }
  return tensors;
}

Piece piece_of_part(const RangePart& part) {
  return {state_name(StateKind::first_moment, part.tensor.name), StoredType::fp32,
          part.tensor.shape, part.box};
}

Snapshot snapshot_of(const std::vector<Share>& shares, const TensorValues& model) {
  Snapshot snapshot;
  for (const Share& share : shares)
    for (const RangePart& part : parts_of_range(share.parameter, share.first, share.last)) {
      if (part.holding == Holding::copy) continue;
      SnapshotPiece piece{piece_of_part(part), {}};
      piece.content.resize(bytes_of(piece.piece));
      copy_part(part.box, whole(part.tensor.shape),
                std::as_bytes(std::span(model.at(part.tensor.name))), part.box, piece.content, 4);
      snapshot.push_back(std::move(piece));
    }
  return snapshot;
}

void save(const std::filesystem::path& folder, const Model& model, const Layout& layout,
          const TensorValues& values) {
  require(make_step_folder(folder, 1));
  Manifest manifest;
  manifest.state.step = 1;
  for_each_rank(model, layout, [&](int rank, const std::vector<Share>& shares) {
    manifest.shards.push_back(
        written(step_folder(folder, 1) / shard_name(rank), snapshot_of(shares, values)));
  });
  require(complete_step(folder, manifest));
}

// The share as it is in memory: read part by part, padding zero.
std::vector<float> loaded(Checkpoint& checkpoint, const Share& share) {
  std::vector<float> values(static_cast<std::size_t>(share.last - share.first));
  for (const RangePart& part : parts_of_range(share.parameter, share.first, share.last))
    require(checkpoint.read(piece_of_part(part),
                            std::as_writable_bytes(std::span(values).subspan(
                                static_cast<std::size_t>(part.at),
                                static_cast<std::size_t>(elements(part.box.shape))))));
  return values;
}

void expect_loaded(const std::filesystem::path& folder, const Model& model, const Layout& layout,
                   const TensorValues& values) {
  Result<NewestCheckpoint> newest = newest_checkpoint(folder);
  ASSERT_TRUE(newest) << newest.error().text();
  for_each_rank(model, layout, [&](int, const std::vector<Share>& shares) {
    for (const Share& share : shares) {
      std::vector<float> all(static_cast<std::size_t>(elements(share.parameter.shape)));
      take_from(values, share.parameter, all);
      EXPECT_EQ(loaded(newest->checkpoint, share),
                std::vector<float>(all.begin() + share.first, all.begin() + share.last));
    }
  });
}

TEST(Resharding, EveryLayoutLoadsWhatAnyOtherSaved) {
  const std::vector<Layout> layouts{{},           {4, 1, 1, 1}, {1, 2, 1, 1},
                                    {1, 1, 5, 1}, {2, 2, 3, 4}, {4, 2, 2, 8}};
  for (const Model& model : {small_gpt2(), small_bert(), small_llama(), small_qwen3()}) {
    const TensorValues values = numbered(model);
    for (const Layout& from : layouts) {
      const TemporaryFolder folder;
      save(folder.path(), model, from, values);
      for (const Layout& to : layouts) expect_loaded(folder.path(), model, to, values);
    }
  }
}

}  // namespace
}  // namespace quintet
