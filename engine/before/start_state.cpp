#include "engine/before/start_state.h"

#include <fmt/format.h>

#include "engine/files/checkpoint/checkpoint_steps.h"
#include "engine/files/weights/load_weights.h"
#include "engine/files/weights/parameter_list.h"
#include "engine/files/weights/weight_files.h"

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;
using Wrong = std::optional<Error>;

constexpr double read_whole_up_to = 2e9;  // bytes: seconds

Box first_element(const Shape& shape) {
  return {Shape(shape.size(), 0), Shape(shape.size(), 1)};
}

Wrong foreign_weights(const fs::path& place, const Model& model) {
  const Result<WeightFiles> files = WeightFiles::open(place);
  if (!files) return files.error();
  float value = 0;
  for (const ParameterTensor& tensor : tensors_of(model))
    if (const Wrong wrong =
            load_box(*files, model, tensor, first_element(tensor.shape), {&value, 1}))
      return Error{"--weights " + wrong->where,
                   wrong->what + "; name weights of the model that --model describes"};
  return std::nullopt;
}

double bytes_in(const fs::path& folder) {
  double bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error)) bytes += static_cast<double>(entry.file_size(error));
  return bytes;
}

Error of_another_model(const Checkpoint& checkpoint, const Model& model, const std::string& why) {
  const auto& notes = checkpoint.manifest().notes;
  const auto of = notes.find("model");
  return {"--resume " + checkpoint.folder().string(),
          fmt::format("is a checkpoint of {}, not of {}: {}; name its model, or another folder",
                      of == notes.end() ? "another model" : of->second, model.name, why)};
}

enum class Look { at_names, at_shapes };
Wrong foreign_checkpoint(Checkpoint& checkpoint, const Model& model, Look look) {
  for (const ParameterTensor& tensor : tensors_of(model)) {
    const std::string name = state_name(StateKind::master_weight, tensor.name);
    if (!checkpoint.holds(name))
      return of_another_model(checkpoint, model, "it has no " + tensor.name);
    if (look == Look::at_names) continue;
    float value = 0;
    const Piece piece{name, StoredType::fp32, tensor.shape, first_element(tensor.shape)};
    if (const Wrong wrong = checkpoint.read(piece, std::as_writable_bytes(std::span(&value, 1))))
      return of_another_model(checkpoint, model, wrong->text());
  }
  return std::nullopt;
}

Wrong unusable_checkpoint(const TrainingInputs& inputs, const TrainingOptions& options) {
  const std::vector<std::int64_t> steps = complete_steps(options.checkpoint);
  if (steps.empty()) return std::nullopt;
  if (options.start == TrainingOptions::Start::fresh)
    return Error{
        "--checkpoint " + options.checkpoint.string(),
        fmt::format("holds the checkpoints of a run up to step {}; go on with it (--resume), "
                    "or choose an empty folder",
                    steps.back())};
  const fs::path newest = step_folder(options.checkpoint, steps.back());
  if (bytes_in(newest) > read_whole_up_to) {
    Result<Checkpoint> checkpoint = Checkpoint::open(newest);
    // An older one may do: ranks look for it.
    if (!checkpoint) return std::nullopt;
    return foreign_checkpoint(*checkpoint, inputs.model, Look::at_names);
  }
  Result<NewestCheckpoint> whole = newest_checkpoint(options.checkpoint);
  if (!whole)
    return Error{"--resume " + whole.error().where,
                 whole.error().what + "; restore the folder from a copy, or begin anew in another"};
  return foreign_checkpoint(whole->checkpoint, inputs.model, Look::at_shapes);
}

}  // namespace

Wrong unusable_start(const TrainingInputs& inputs, const TrainingOptions& options) {
  if (!options.weights.empty())
    if (Wrong wrong = foreign_weights(options.weights, inputs.model)) return wrong;
  return options.checkpoint.empty() ? std::nullopt : unusable_checkpoint(inputs, options);
}

}  // namespace quintet::engine
