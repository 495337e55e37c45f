#include "engine/saving/saved_weights.h"

#include <algorithm>

#include "engine/files/checkpoint/checkpoint_steps.h"
#include "engine/files/weights/load_weights.h"
#include "engine/peers/peers.h"
#include "engine/saving/state_copy.h"

namespace quintet::engine {
namespace {

// Disks and networks want several requests at once, whatever the cores.
constexpr int least_readers = 4;

Result<std::string> write_share(RankExecutor& executor, const std::filesystem::path& shares,
                                Rank rank) {
  if (auto wrong = make_step_folder(shares, 0)) return *wrong;
  const std::unique_ptr<PinnedFetch> way = way_of_copies(executor);
  StateCopy copy(executor, Contents::weights, way.get());
  const Result<ShardSummary> summary =
      write_shard(step_folder(shares, 0) / shard_name(rank.value), copy);
  if (!summary) return summary.error();
  return summary_text(*summary);
}

Result<std::string> put_together(const std::vector<std::string>& summaries, const Model& model,
                                 const std::filesystem::path& shares,
                                 const std::filesystem::path& folder, const SavedWeights& saved) {
  Manifest manifest;
  for (const std::string& text : summaries) {
    Result<ShardSummary> summary = parse_summary(text, "a rank's summary");
    if (!summary) return summary.error();
    manifest.shards.push_back(std::move(*summary));
  }
  if (auto wrong = complete_step(shares, manifest)) return *wrong;
  Result<Checkpoint> checkpoint = Checkpoint::open(step_folder(shares, 0));
  if (!checkpoint) return checkpoint.error();
  if (auto wrong = save_weights(*checkpoint, model, folder, saved)) return *wrong;
  return std::string();
}

}  // namespace

Result<std::vector<std::string>> load_weights(RankExecutor& executor,
                                              const std::filesystem::path& place) {
  const Rank rank = executor.input().rank;
  const Model& model = executor.input().model;
  const Result<WeightFiles> files = WeightFiles::open(place);
  if (!files) return error_of(rank, files.error());
  const BoxSource source = [&](const ParameterTensor& tensor, const Box& box,
                               std::span<float> values) {
    return load_box(*files, model, tensor, box, values);
  };
  const int threads = std::max(executor.input().filling_threads, least_readers);
  const auto wrong = executor.set_weights({source, threads});
  if (wrong) return error_of(rank, *wrong);
  return names_not_read(*files, model);
}

std::optional<Error> save_weights(Checkpoint& checkpoint, const Model& model,
                                  const std::filesystem::path& folder, const SavedWeights& saved) {
  const TensorSource source = [&](const ParameterTensor& tensor) -> Result<std::vector<float>> {
    std::vector<float> values(static_cast<std::size_t>(elements(tensor.shape)));
    const Piece piece{state_name(StateKind::master_weight, tensor.name), StoredType::fp32,
                      tensor.shape, whole(tensor.shape)};
    if (auto wrong = checkpoint.read(piece, std::as_writable_bytes(std::span(values))))
      return *wrong;
    return values;
  };
  return quintet::save_weights(folder, model, source, saved);
}

std::optional<Error> save_weights(RankExecutor& executor, const std::filesystem::path& folder,
                                  Peers& peers, const SavedWeights& saved) {
  const std::filesystem::path shares = folder / "unfinished-weights";
  const Result<std::vector<std::string>> summaries =
      gathered(peers, write_share(executor, shares, peers.rank()));
  Result<std::string> answer = std::string();
  if (peers.rank().value == 0) {
    if (summaries)
      answer = put_together(*summaries, executor.input().model, shares, folder, saved);
    else
      answer = summaries.error();
    if (!answer) answer = error_of(Rank{0}, answer.error());
    std::error_code ignored;
    std::filesystem::remove_all(shares, ignored);
  }
  const Result<std::string> verdict = told(peers, answer);
  if (verdict) return std::nullopt;
  return verdict.error();
}

}  // namespace quintet::engine
