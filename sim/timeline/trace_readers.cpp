#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string>

#include "sim/base/text_file.h"
#include "sim/packing/packing.h"
#include "sim/timeline/trace_reader.h"

namespace quintet {

namespace {

// Asked in this order: the one that takes all JSON is the last.
constexpr std::array rows{&readers::chrome_trace};

std::string beginning_of(const std::filesystem::path& file) {
  std::string text(4096, '\0');
  std::error_code wrong;
  if (!std::filesystem::is_regular_file(file, wrong)) return "";
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return unpacked_beginning(text, 4096);
}

std::string formats() {
  std::string names;
  for (const TraceReader* const row : rows)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row->name);
  return names;
}

}  // namespace

Result<Timeline> read_timeline(const std::filesystem::path& file, const ReadingProgress& progress) {
  const std::string beginning = beginning_of(file);
  if (beginning.empty())
    return rows.back()->read(file, progress);  // it says what is wrong with the file
  if (auto wrong = other_encoding(beginning, file.string())) return *wrong;
  for (const TraceReader* const row : rows)
    if (row->takes(beginning)) return row->read(file, progress);
  return Error{file.string(), fmt::format("is no trace that can be read here: {}", formats())};
}

}  // namespace quintet
