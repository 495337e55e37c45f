#include "traces/chakra/input_files.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

namespace {

namespace fs = std::filesystem;

bool ends_as_chakra(const std::string& name) {
  for (const std::string_view end : {".et", ".et.gz", ".et.zst", ".json", ".json.gz"})
    if (name.ends_with(end)) return true;
  return false;
}

// Those of a directory whose names begin so.
std::vector<fs::path> found_in(const fs::path& directory, const std::string& beginning) {
  std::vector<fs::path> found;
  std::error_code wrong;
  for (fs::directory_iterator at(directory, wrong), end; !wrong && at != end; at.increment(wrong)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(beginning) && ends_as_chakra(name) && at->is_regular_file(wrong))
      found.push_back(at->path());
  }
  std::sort(found.begin(), found.end(), [](const fs::path& one, const fs::path& other) {
    return std::pair(rank_of(one), one) < std::pair(rank_of(other), other);
  });
  return found;
}

}  // namespace

Result<std::vector<fs::path>> input_files(std::span<const fs::path> paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    std::error_code wrong;
    std::vector<fs::path> meant{path};
    if (fs::is_directory(path, wrong))
      meant = found_in(path, "");
    else if (!fs::exists(path, wrong))
      meant = found_in(path.has_parent_path() ? path.parent_path() : fs::path("."),
                       path.filename().string() + ".");
    if (meant.empty())
      return Error{path.string(),
                   "is no file, no directory with files that end in .et, and no prefix of "
                   "<prefix>.<rank>.et; expected one of these"};
    files.insert(files.end(), meant.begin(), meant.end());
  }
  return files;
}

int rank_of(const fs::path& file) {
  std::string name = file.filename().string();
  while (true) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return -1;
    const std::string part = name.substr(dot + 1);
    int rank = -1;
    const auto [end, wrong] = std::from_chars(part.data(), part.data() + part.size(), rank);
    if (wrong == std::errc{} && end == part.data() + part.size() && rank >= 0 && rank < most_ranks)
      return rank;
    name.resize(dot);
  }
}

}  // namespace quintet::chakra
