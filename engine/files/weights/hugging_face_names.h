// Where Hugging Face's files keep our tensors: transformers' modeling_gpt2.py, modeling_bert.py,
// modeling_llama.py, modeling_mistral.py, modeling_qwen2.py and modeling_qwen3.py. Rotary
// embeddings pair element i of a head with i + head_dim / 2, as those files do.
#pragma once

#include <string>
#include <vector>

#include "engine/files/weights/parameter_list.h"
#include "sim/model/model.h"

namespace quintet {

// GPT-2's Conv1D keeps [in, out] where a linear layer keeps [out, in].
enum class Orientation { as_ours, transposed };

// Rows first_row, ... of the file's tensor once it is turned our way.
struct FileTensor {
  std::vector<std::string> names;  // the one we write, then others we read
  Orientation orientation = Orientation::as_ours;
  Shape shape;  // turned our way
  std::int64_t first_row = 0;
  bool operator==(const FileTensor&) const = default;
};

// `tensor` is one of the model's parameters (parameters_of): each has its place.
FileTensor file_tensor(const Model& model, const ParameterTensor& tensor);

// Masks, position numbers and frequencies that some versions save, and the copy of a tied head.
bool needs_no_reading(const Model& model, const std::string& name);

}  // namespace quintet
