#include "engine/saving/load_weights.h"

#include "engine/files/weights/load_weights.h"
#include "engine/peers/peers.h"

namespace quintet::engine {

Result<std::vector<std::string>> load_weights(RankExecutor& executor,
                                              const std::filesystem::path& place) {
  const Rank rank = executor.input().rank;
  const Model& model = executor.input().model;
  const Result<WeightFiles> files = WeightFiles::open(place);
  if (!files) return error_of(rank, files.error());
  const auto wrong = executor.set_weights([&](const Parameter& parameter, std::span<float> listed) {
    return load_parameter(*files, model, parameter, listed);
  });
  if (wrong) return error_of(rank, *wrong);
  return names_not_read(*files, model);
}

}  // namespace quintet::engine
