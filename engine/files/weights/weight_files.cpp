#include "engine/files/weights/weight_files.h"

#include <cassert>
#include <set>

#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

using Json = nlohmann::json;

bool stays_in_folder(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

Result<std::map<std::string, std::string>> parse_weight_index(const std::string& text,
                                                              const std::string& where) {
  const Result<Json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  const Json* const map = root.raw("weight_map");
  if (root.failed()) return *root.error();
  if (map == nullptr || !map->is_object())
    return Error{root.place("weight_map"), "expected an object of tensor names and file names"};
  std::map<std::string, std::string> files;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string() || !stays_in_folder(file.get<std::string>()))
      return Error{root.place("weight_map") + "." + shown(tensor),
                   "expected the name of a file beside the index"};
    files.emplace(tensor, file.get<std::string>());
  }
  return files;
}

void WeightFiles::add(SafetensorsFile file) {
  for (std::size_t i = 0; i < file.header().tensors.size(); ++i)
    tensors_.try_emplace(file.header().tensors[i].name, Place{files_.size(), i});
  files_.push_back(std::move(file));
}

std::optional<Error> WeightFiles::add_from_index(const std::filesystem::path& folder,
                                                 const std::map<std::string, std::string>& files) {
  std::set<std::string> names;
  for (const auto& [tensor, file] : files) names.insert(file);
  for (const std::string& name : names) {
    Result<SafetensorsFile> file = SafetensorsFile::open(folder / name);
    if (!file) return file.error();
    for (const TensorEntry& tensor : file->header().tensors)
      if (holds(tensor.name))
        return Error{file->name() + ": " + in_quotes(tensor.name),
                     "is in " + files_[tensors_.find(tensor.name)->second.file].name() + " too"};
    add(std::move(*file));
  }
  for (const auto& [tensor, file] : files)
    if (!holds(tensor) ||
        files_[tensors_.find(tensor)->second.file].name() != shown((folder / file).string(), 1000))
      return Error{name_ + ": " + in_quotes(tensor), "is not in " + in_quotes(file)};
  return std::nullopt;
}

Result<WeightFiles> WeightFiles::open_set(const std::filesystem::path& index) {
  const Result<std::string> text = read_text_file(index);
  if (!text) return text.error();
  const auto files = parse_weight_index(*text, shown(index.string(), 1000));
  if (!files) return files.error();
  WeightFiles set;
  set.name_ = shown(index.string(), 1000);
  if (const std::optional<Error> error = set.add_from_index(index.parent_path(), *files))
    return *error;
  return set;
}

Result<WeightFiles> WeightFiles::open(const std::filesystem::path& place) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(place, ignored);
  const std::filesystem::path index = place / "model.safetensors.index.json";
  if (folder && !std::filesystem::exists(place / "model.safetensors", ignored) &&
      std::filesystem::exists(index, ignored))
    return open_set(index);
  if (place.extension() == ".json") return open_set(place);
  Result<SafetensorsFile> file =
      SafetensorsFile::open(folder ? place / "model.safetensors" : place);
  if (!file) return file.error();
  WeightFiles set;
  set.name_ = file->name();
  set.add(std::move(*file));
  return set;
}

const TensorEntry& WeightFiles::tensor(std::string_view name) const {
  assert(holds(name));
  const Place& place = tensors_.find(name)->second;
  return files_[place.file].header().tensors[place.tensor];
}

std::optional<Error> WeightFiles::read(std::string_view name, std::size_t first,
                                       std::span<std::byte> bytes) const {
  assert(holds(name));
  return files_[tensors_.find(name)->second.file].read(tensor(name), first, bytes);
}

void WeightFiles::announce(std::string_view name, std::size_t first, std::size_t bytes) const {
  assert(holds(name));
  files_[tensors_.find(name)->second.file].announce(tensor(name), first, bytes);
}

std::string WeightFiles::place_of(std::string_view name) const {
  const auto found = tensors_.find(name);
  const std::string& file = found == tensors_.end() ? name_ : files_[found->second.file].name();
  return file + ": " + in_quotes(name);
}

std::vector<std::string> WeightFiles::names() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : tensors_) names.push_back(name);
  return names;
}

}  // namespace quintet
