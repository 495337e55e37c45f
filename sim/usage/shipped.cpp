#include "sim/usage/shipped.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "sim/base/nearest_word.h"
#include "sim/base/own_program.h"
#include "sim/base/shown_text.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace fs = std::filesystem;

namespace {

struct Shelf {
  const char* noun;
  const char* folder;
  const char* extension;
};

Shelf shelf_of(FileKind kind) {
  switch (kind) {
    case FileKind::model:
      return {"model", "traces/models", ""};
    case FileKind::topology:
      return {"topology", "topologies", ".json"};
    case FileKind::plan:
      return {"plan", "traces/plans", ".json"};
    case FileKind::costs:
      return {"cost table", "traces/costs", ".json"};
    case FileKind::text:
      return {"text", "traces/text", ".txt"};
    case FileKind::stack:
      return {"software stack", "traces/stacks", ".json"};
    case FileKind::lengths:
      return {"histogram of lengths", "traces/lengths", ".csv"};
    case FileKind::faults:
      return {"fault file", "traces/faults", ".json"};
    case FileKind::losses:
      return {"file of loss curves", "traces/losses", ".json"};
    case FileKind::jobs:
      return {"file of jobs", "traces/jobs", ".json"};
  }
  return {"", "", ""};
}

fs::path shipped_path(FileKind kind, const std::string& name) {
  const fs::path folder = data_directory() / shelf_of(kind).folder;
  return kind == FileKind::model ? folder / name / "config.json"
                                 : folder / (name + shelf_of(kind).extension);
}

}  // namespace

namespace {

bool is_library(const fs::path& file) {
  return file.filename().string().find(".so") != std::string::npos;
}

// Where the file is that holds this code: a program, libquintet.so, or Python's module.
fs::path own_file() {
  Dl_info here{};
  std::error_code unreadable;
  if (dladdr(reinterpret_cast<const void*>(&data_directory), &here) != 0 &&
      here.dli_fname != nullptr && is_library(here.dli_fname))
    return fs::canonical(here.dli_fname, unreadable);
  return own_program();
}

// PREFIX/share/quintet, where this lies below PREFIX; empty: it was not installed.
fs::path installed_data() {
  const fs::path file = own_file();
  const int levels = is_library(file) ? 5 : 2;  // PREFIX/lib/python3/dist-packages/quintet; bin
  std::error_code unreadable;
  fs::path prefix = file;
  for (int level = 0; level < levels && prefix.has_relative_path(); ++level) {
    prefix = prefix.parent_path();
    if (fs::exists(prefix / "share/quintet/topologies", unreadable))
      return prefix / "share/quintet";
  }
  return {};
}

}  // namespace

fs::path data_directory() {
  const char* given = std::getenv("QUINTET_DATA");
  if (given && *given) return given;
  if (fs::path installed = installed_data(); !installed.empty()) return installed;
  std::error_code unreadable;
  const fs::path built_from = QUINTET_DATA_DIRECTORY;
  const fs::path beside = own_program().parent_path().parent_path();
  const bool carried = !fs::exists(built_from / "topologies", unreadable) &&
                       fs::exists(beside / "topologies", unreadable);
  return carried ? beside : built_from;
}

std::vector<std::string> shipped_names(FileKind kind) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(data_directory() / shelf_of(kind).folder, error)) {
    const std::string name = entry.path().stem().string();
    const bool fits = kind == FileKind::model
                          ? fs::exists(entry.path() / "config.json", error)
                          : entry.path().extension() == shelf_of(kind).extension;
    if (fits) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

Error not_found(FileKind kind, const std::string& given) {
  const std::string noun = shelf_of(kind).noun;
  std::string what = "there is no such file, and no " + noun + " of this name comes with Quintet";
  const std::vector<std::string> names = shipped_names(kind);
  std::vector<std::string> alike;
  for (const std::string& name : names)
    if (!given.empty() && name.find(given) != std::string::npos) alike.push_back(in_quotes(name));
  constexpr std::size_t most_named = 10;
  if (!alike.empty() && alike.size() <= most_named)
    what += "; did you mean " + joined(alike) + "?";
  else if (const auto near = nearest(given, {names.begin(), names.end()}))
    what += "; did you mean " + in_quotes(*near) + "?";
  else if (names.empty())
    what += "; none at all are in " + (data_directory() / shelf_of(kind).folder).string();
  else
    what += "; there are " + joined(names);
  return {noun + " " + in_quotes(given), what};
}

}  // namespace

Result<fs::path> find_shipped(FileKind kind, const std::string& name) {
  std::error_code error;
  const fs::path path = shipped_path(kind, name);
  return fs::exists(path, error) ? Result<fs::path>(path) : not_found(kind, name);
}

Result<fs::path> find_file(FileKind kind, const std::string& given) {
  std::error_code error;
  const fs::path path(given);
  if (kind == FileKind::model && fs::is_directory(path, error)) return path / "config.json";
  if (fs::exists(path, error)) return path;
  if (fs::is_symlink(fs::symlink_status(path, error)))
    return Error{shown(given, 200),
                 "there is no such file: the symbolic link leads nowhere, or to itself"};
  const bool plain_name = given.find('/') == std::string::npos && !given.empty();
  if (plain_name && fs::exists(shipped_path(kind, given), error)) return shipped_path(kind, given);

  return not_found(kind, given);
}

}  // namespace quintet
