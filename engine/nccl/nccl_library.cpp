#include "engine/nccl/nccl_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "engine/nccl/nccl_check.h"
#include "engine/nccl/nccl_functions.h"

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "libnccl.so.2";
constexpr int oldest_version = 22800;  // the layout of ncclConfig_t, tuner and profiler version 5
constexpr int next_interface = 30000;

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code wrong;
  for (fs::directory_iterator entry(parent, wrong), end; !wrong && entry != end;
       entry.increment(wrong))
    if (entry->is_directory(wrong)) folders.push_back(entry->path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

void add_python_packages(std::vector<std::string>& places, const fs::path& prefix) {
  for (const fs::path& python : folders_in(prefix / "lib")) {
    if (!python.filename().string().starts_with("python")) continue;
    for (const char* const packages : {"site-packages", "dist-packages"})
      for (const fs::path& package : folders_in(python / packages / "nvidia"))
        places.push_back(package / "lib" / file_name);
  }
}

template <class Signature>
void find(void* library, const char* name, std::function<Signature>& function,
          std::string& missing) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr)
    missing += (missing.empty() ? "" : ", ") + std::string(name);
  else
    function = reinterpret_cast<Signature*>(symbol);
}

std::string fill(void* library, NcclFunctions& nccl) {
  std::string missing;
  find(library, "ncclGetVersion", nccl.get_version, missing);
  find(library, "ncclGetUniqueId", nccl.get_unique_id, missing);
  find(library, "ncclGetErrorString", nccl.get_error_string, missing);
  find(library, "ncclGetLastError", nccl.get_last_error, missing);
  find(library, "ncclCommInitRankConfig", nccl.init_rank, missing);
  find(library, "ncclCommGetAsyncError", nccl.get_async_error, missing);
  find(library, "ncclCommFinalize", nccl.finalize, missing);
  find(library, "ncclCommDestroy", nccl.destroy, missing);
  find(library, "ncclCommAbort", nccl.abort, missing);
  find(library, "ncclGroupStart", nccl.group_start, missing);
  find(library, "ncclGroupEnd", nccl.group_end, missing);
  find(library, "ncclAllReduce", nccl.all_reduce, missing);
  find(library, "ncclReduceScatter", nccl.reduce_scatter, missing);
  find(library, "ncclAllGather", nccl.all_gather, missing);
  find(library, "ncclSend", nccl.send, missing);
  find(library, "ncclRecv", nccl.receive, missing);
  return missing;
}

struct Loaded {
  std::unique_ptr<NcclFunctions> functions;
  int version = 0;
};

Result<Loaded> load(const std::string& place) {
  void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{place, dlerror()};
  Loaded loaded{std::make_unique<NcclFunctions>()};
  const std::string missing = fill(library, *loaded.functions);
  if (!missing.empty()) return Error{place, "lacks " + missing};
  const ncclResult_t answer = loaded.functions->get_version(&loaded.version);
  if (const auto wrong = trouble(*loaded.functions, place, "ncclGetVersion", answer, nullptr))
    return wrong->error;
  if (loaded.version < oldest_version || loaded.version >= next_interface)
    return Error{
        place, "is NCCL " + nccl_version_text(loaded.version) + "; 2.28 or a later 2.x is needed"};
  return loaded;
}

}  // namespace

std::vector<std::string> nccl_places(const Environment& environment) {
  if (const auto named = environment("QUINTET_NCCL_LIBRARY")) return {*named};
  std::vector<std::string> places;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto toolkit = environment(variable))
      for (const char* const folder : {"lib64", "lib"})
        places.push_back(fs::path(*toolkit) / folder / file_name);
  for (const char* const folder : {"lib64", "lib"})
    places.push_back(fs::path("/usr/local/cuda") / folder / file_name);
  places.push_back(file_name);
  if (const auto prefix = environment("VIRTUAL_ENV")) add_python_packages(places, *prefix);
  if (const auto home = environment("HOME"))
    add_python_packages(places, fs::path(*home) / ".local");
  for (const char* const prefix : {"/usr/local", "/usr"}) add_python_packages(places, prefix);
  return places;
}

NcclLibrary::NcclLibrary(std::string place, std::unique_ptr<NcclFunctions> functions, int version)
    : place_(std::move(place)), functions_(std::move(functions)), version_(version) {}
NcclLibrary::NcclLibrary(NcclLibrary&&) noexcept = default;
NcclLibrary& NcclLibrary::operator=(NcclLibrary&&) noexcept = default;
NcclLibrary::~NcclLibrary() = default;

Result<NcclLibrary> NcclLibrary::open(const std::vector<std::string>& places) {
  std::string reasons;
  for (const std::string& place : places) {
    const bool only_a_name = place.find('/') == std::string::npos;
    if (!only_a_name && places.size() > 1 && !fs::exists(place)) continue;
    Result<Loaded> loaded = load(place);
    if (loaded) return NcclLibrary(place, std::move(loaded->functions), loaded->version);
    reasons += (reasons.empty() ? "" : "; ") + loaded.error().text();
  }
  return Error{"", "no NCCL: " + (reasons.empty() ? "no place to look in" : reasons)};
}

}  // namespace quintet::engine
