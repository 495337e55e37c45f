#include "kernels/library_places.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace quintet::kernels::cuda {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code wrong;
  for (fs::directory_iterator entry(parent, wrong), end; !wrong && entry != end;
       entry.increment(wrong))
    if (entry->is_directory(wrong)) folders.push_back(entry->path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

// This adds what the folders lib/pythonX/site-packages (dist-packages) under `prefix` have: CUDA
// 13's wheels keep most libraries in nvidia/cu13, others each in its own.
void add_python_packages(std::vector<std::string>& places, const fs::path& prefix,
                         const LibraryName& name) {
  std::error_code none;
  for (const fs::path& python : folders_in(prefix / "lib"))
    for (const char* const packages : {"site-packages", "dist-packages"})
      for (const std::string& folder : {std::string("cu13"), std::string(name.package)}) {
        const fs::path file = python / packages / "nvidia" / folder / "lib" / name.file;
        if (fs::exists(file, none)) places.push_back(file);
      }
}

// Where the python3 that a shell would run has its packages: a virtual environment may be on PATH
// without having been activated. Empty: there is none.
fs::path python_on_path(const EnvironmentVariables& variables) {
  std::error_code none;
  std::istringstream folders(variables("PATH").value_or(""));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path python = fs::path(folder) / "python3";  // PATH's folders may end in a slash
    if (!folder.empty() && fs::exists(python, none)) return python.parent_path().parent_path();
  }
  return {};
}

// Each once, best first: a variable may name what is looked into anyway.
std::vector<fs::path> python_prefixes(const EnvironmentVariables& variables) {
  std::vector<fs::path> prefixes;
  const auto add = [&](const fs::path& prefix) {
    if (!prefix.empty() && std::find(prefixes.begin(), prefixes.end(), prefix) == prefixes.end())
      prefixes.push_back(prefix);
  };
  add(variables("VIRTUAL_ENV").value_or(""));
  add(python_on_path(variables));
  if (const auto home = variables("HOME")) add(fs::path(*home) / ".local");
  for (const char* const prefix : {"/usr/local", "/usr"}) add(prefix);
  return prefixes;
}

}  // namespace

std::vector<std::string> library_places(const LibraryName& name,
                                        const EnvironmentVariables& variables) {
  if (const auto named = variables(name.variable)) return {*named};
  std::vector<std::string> places;
  const auto add_toolkit = [&](const fs::path& toolkit) {
    for (const char* const folder : {"lib64", "lib"})
      places.push_back(toolkit / folder / name.file);
  };
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto toolkit = variables(variable)) add_toolkit(*toolkit);
  add_toolkit("/usr/local/cuda");
  places.push_back(name.file);
  for (const fs::path& prefix : python_prefixes(variables))
    add_python_packages(places, prefix, name);
  return places;
}

}  // namespace quintet::kernels::cuda
