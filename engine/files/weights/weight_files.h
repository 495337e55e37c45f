// The tensors of a model by name, out of one safetensors file or a set with an index.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/files/storage/box.h"
#include "engine/files/weights/safetensors.h"
#include "sim/base/result.h"

namespace quintet {

class WeightFiles {
 public:
  // A .safetensors file, an index (.index.json), or a folder with model.safetensors or else
  // model.safetensors.index.json.
  static Result<WeightFiles> open(const std::filesystem::path& place);

  bool holds(std::string_view name) const { return tensors_.contains(name); }
  // The tensor is there.
  const TensorEntry& tensor(std::string_view name) const;
  // Its bytes from its byte `first` on. Several threads may read at once.
  std::optional<Error> read(std::string_view name, std::size_t first,
                            std::span<std::byte> bytes) const;
  // They are asked for soon.
  void announce(std::string_view name, std::size_t first, std::size_t bytes) const;
  std::string place_of(std::string_view name) const;  // "model.safetensors: \"wte.weight\""
  const std::string& name() const { return name_; }
  std::vector<std::string> names() const;

 private:
  struct Place {
    std::size_t file, tensor;
  };

  WeightFiles() = default;
  static Result<WeightFiles> open_set(const std::filesystem::path& index);
  void add(SafetensorsFile file);
  std::optional<Error> add_from_index(const std::filesystem::path& folder,
                                      const std::map<std::string, std::string>& files);

  std::string name_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, Place, std::less<>> tensors_;
};

// "weight_map" of an index: tensor -> file name. File names that lead out of the folder are
// refused.
Result<std::map<std::string, std::string>> parse_weight_index(const std::string& text,
                                                              const std::string& where);

}  // namespace quintet
