// How long one layer's weights of a rank take to come, and how much memory beside them: drawn or
// read, all of a section at once by one thread as Quintet did before ("whole"), or as it does now
// ("slices"). weights.py runs both in turn.
//   weights_benchmark CONFIG.json draw|read whole|slices [SETTING=VALUE ...]
//     tensor=8    ranks the layer is split over
//     share=1     ranks that share what then is left (ZeRO 3): the first of them is measured
//     threads=1   of this rank, for slices
//     file=PATH   read: the layer in bf16, written first where it is missing
// Prints: elements that the rank keeps, seconds, and bytes at most beside what it keeps.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "engine/files/storage/mapped_file.h"
#include "engine/files/weights/hugging_face_names.h"
#include "engine/files/weights/load_weights.h"
#include "engine/files/weights/safetensors_writer.h"
#include "engine/parameters/initial_weights.h"
#include "engine/parameters/section_values.h"
#include "sim/model/model_file.h"

namespace quintet::engine {
namespace {

using Settings = std::map<std::string, std::string>;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

Result<std::vector<std::byte>> some_content(const ParameterTensor& tensor) {
  std::vector<std::byte> bytes(2 * static_cast<std::size_t>(elements(tensor.shape)));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 % 61);
  return bytes;
}

std::optional<Error> write_layer(const Model& model, const std::filesystem::path& file) {
  std::vector<TensorToWrite> tensors;
  for (const Parameter& parameter : parameters_of(model, {}, 0, {.first_layer = 0, .layers = 1}))
    for (const Slice& slice : parameter.slices)
      tensors.push_back({file_tensor(model, slice.tensor).names.front(), StoredType::bf16,
                         slice.tensor.shape, [slice] { return some_content(slice.tensor); }});
  return write_safetensors(file, tensors, {});
}

// --- as it was: whole parameters in the order of their tensors, then turned, then brought

using WholeSource = std::function<void(const Slice&, std::span<float>)>;

WholeSource drawn() {
  return [](const Slice& slice, std::span<float> values) {
    static_cast<void>(initial_weights({.seed = 1})(slice.tensor, slice.box, values));
  };
}

// Row by row out of a mapped file; Llama's files keep tensors our way.
WholeSource read_from(const MappedFile& file, const SafetensorsHeader& header, const Model& model) {
  return [&](const Slice& slice, std::span<float> values) {
    const std::string name = file_tensor(model, slice.tensor).names.front();
    const auto entry = std::find_if(header.tensors.begin(), header.tensors.end(),
                                    [&](const TensorEntry& each) { return each.name == name; });
    const bool matrix = slice.box.shape.size() == 2;
    const auto whole = static_cast<std::size_t>(matrix ? slice.tensor.shape[1] : 1);
    const auto length = static_cast<std::size_t>(matrix ? slice.box.shape[1] : 1);
    const auto column = static_cast<std::size_t>(matrix ? slice.box.offset[1] : 0);
    const auto rows = static_cast<std::size_t>(slice.box.shape[0]);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t first =
          (static_cast<std::size_t>(slice.box.offset[0]) + row) * whole + column;
      to_floats(StoredType::bf16, file.bytes().subspan(entry->begin + 2 * first, 2 * length),
                values.subspan(row * length, length));
    }
  };
}

void lay_down(const LocalTensor& tensor, std::span<const float> listed, float* local) {
  if (tensor.lies == Lies::as_listed) {
    std::copy(listed.begin(), listed.end(), local);
    return;
  }
  constexpr Index tile = 32;
  for (Index first = 0; first < tensor.rows; first += tile)
    for (Index column = 0; column < tensor.columns; ++column)
      for (Index row = first; row < std::min(first + tile, tensor.rows); ++row)
        local[row * tensor.columns + column] =
            listed[static_cast<std::size_t>(column * tensor.rows + row)];
}

void bring_whole(const Section& section, const WholeSource& source, std::span<float> kept) {
  std::vector<float> values(static_cast<std::size_t>(section.count));
  for (const LocalTensor& tensor : section.tensors) {
    std::vector<float> listed(static_cast<std::size_t>(tensor.count()));
    for (const Slice& slice : tensor.parameter.slices)
      source(slice, std::span(listed).subspan(static_cast<std::size_t>(slice.at),
                                              static_cast<std::size_t>(elements(slice.box.shape))));
    lay_down(tensor, listed, values.data() + tensor.offset);
  }
  std::memcpy(kept.data(), values.data(), kept.size_bytes());
}

// --- as it is: what a device's pinned pieces would be, in turn

std::optional<Error> bring_slices(const Section& section, const Filling& how,
                                  std::span<float> kept) {
  const auto most = static_cast<std::size_t>(how.slice);
  std::vector<float> halves[2];
  for (std::vector<float>& half : halves) half.resize(std::min(most, kept.size()));
  for (std::size_t place = 0, turn = 0; place < kept.size(); place += most, turn = 1 - turn) {
    const std::span<float> room =
        std::span(halves[turn]).first(std::min(most, kept.size() - place));
    if (auto wrong = fill(section, static_cast<Index>(place), room, how)) return wrong;
    std::memcpy(kept.data() + place, room.data(), room.size_bytes());
  }
  return std::nullopt;
}

std::optional<Error> bring(const Section& section, const Model& model, const std::string& what,
                           bool whole, const Settings& settings, std::span<float> kept) {
  Filling how{.source = initial_weights({.seed = 1}), .threads = std::stoi(settings.at("threads"))};
  if (what == "draw" && whole) return bring_whole(section, drawn(), kept), std::nullopt;
  if (what == "draw") return bring_slices(section, how, kept);
  if (whole) {
    const Result<MappedFile> file = MappedFile::open(settings.at("file"));
    if (!file) return file.error();
    const auto header = parse_safetensors(file->bytes(), settings.at("file"));
    if (!header) return header.error();
    return bring_whole(section, read_from(*file, *header, model), kept), std::nullopt;
  }
  const Result<WeightFiles> files = WeightFiles::open(settings.at("file"));
  if (!files) return files.error();
  how.source = [&](const ParameterTensor& tensor, const Box& box, std::span<float> values) {
    return load_box(*files, model, tensor, box, values);
  };
  return bring_slices(section, how, kept);
}

std::optional<Error> measure(const Model& model, const std::string& what, bool whole,
                             const Settings& settings) {
  const int tensor = std::stoi(settings.at("tensor")), share = std::stoi(settings.at("share"));
  const std::vector<Chunk> chunks{{.first_layer = 0, .layers = 1}};
  const ParameterLayout layout({model, {.tensor = tensor}, 0, chunks});
  const Section& section = layout.sections().front();
  std::vector<float> kept(static_cast<std::size_t>((section.count + share - 1) / share));
  const double begin = seconds_now();
  if (auto wrong = bring(section, model, what, whole, settings, kept)) return wrong;
  const double took = seconds_now() - begin;
  std::printf("%zu %.4f %.0f\n", kept.size(), took,
              peak_bytes() - static_cast<double>(kept.size() * sizeof(float)));
  return std::nullopt;
}

int run(int count, char** arguments) {
  if (count < 4) return std::fprintf(stderr, "see the head of weights_benchmark.cpp\n"), 2;
  Settings settings{{"tensor", "8"}, {"share", "1"}, {"threads", "1"}, {"file", ""}};
  for (int number = 4; number < count; ++number) {
    const std::string argument = arguments[number];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || !settings.contains(argument.substr(0, equals)))
      return std::fprintf(stderr, "%s is no setting\n", arguments[number]), 2;
    settings[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  const Result<Model> model = read_model(arguments[1]);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().text().c_str()), 2;
  std::optional<Error> wrong;
  const std::string what = arguments[2];
  if (what == "read" && !std::filesystem::exists(settings["file"]))
    wrong = write_layer(*model, settings["file"]);
  else
    wrong = measure(*model, what, std::string(arguments[3]) == "whole", settings);
  if (wrong) std::fprintf(stderr, "%s\n", wrong->text().c_str());
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace quintet::engine

int main(int count, char** arguments) {
  return quintet::engine::run(count, arguments);
}
