#include "engine/nccl/nccl_library.h"

#include <utility>

#include "engine/nccl/nccl_check.h"
#include "engine/nccl/nccl_functions.h"
#include "kernels/library_places.h"
#include "kernels/open_library.h"

namespace quintet::engine {

namespace {

constexpr kernels::cuda::LibraryName nccl_name{"libnccl.so.2", "QUINTET_NCCL_LIBRARY", "nccl"};
constexpr int oldest_version = 22800;  // the layout of ncclConfig_t, tuner and profiler version 5
constexpr int next_interface = 30000;

void find_all(kernels::cuda::Symbols& library, NcclFunctions& nccl) {
  library.find("ncclGetVersion", nccl.get_version);
  library.find("ncclGetUniqueId", nccl.get_unique_id);
  library.find("ncclGetErrorString", nccl.get_error_string);
  library.find("ncclGetLastError", nccl.get_last_error);
  library.find("ncclCommInitRankConfig", nccl.init_rank);
  library.find("ncclCommGetAsyncError", nccl.get_async_error);
  library.find("ncclCommFinalize", nccl.finalize);
  library.find("ncclCommDestroy", nccl.destroy);
  library.find("ncclCommAbort", nccl.abort);
  library.find("ncclGroupStart", nccl.group_start);
  library.find("ncclGroupEnd", nccl.group_end);
  library.find("ncclAllReduce", nccl.all_reduce);
  library.find("ncclReduceScatter", nccl.reduce_scatter);
  library.find("ncclAllGather", nccl.all_gather);
  library.find("ncclBroadcast", nccl.broadcast);
  library.find("ncclReduce", nccl.reduce);
  library.find("ncclSend", nccl.send);
  library.find("ncclRecv", nccl.receive);
  library.find_if_there("ncclMemAlloc", nccl.allocate);
  library.find_if_there("ncclMemFree", nccl.free);
  library.find_if_there("ncclCommRegister", nccl.enlist);
  library.find_if_there("ncclCommDeregister", nccl.strike);
  library.find_if_there("ncclCommWindowRegister", nccl.open_window);
  library.find_if_there("ncclCommWindowDeregister", nccl.close_window);
}

// Nothing where this one will do.
std::string refusal(const NcclFunctions& nccl, int& version) {
  const ncclResult_t answer = nccl.get_version(&version);
  if (const auto wrong = trouble(nccl, "when asked", "ncclGetVersion", answer, nullptr))
    return "fails " + wrong->error.text();
  if (version >= oldest_version && version < next_interface) return {};
  return "is NCCL " + nccl_version_text(version) + "; 2.28 or a later 2.x is needed";
}

}  // namespace

std::vector<std::string> nccl_places(const Environment& environment) {
  return kernels::cuda::library_places(nccl_name, environment);
}

NcclLibrary::NcclLibrary(std::string place, std::unique_ptr<NcclFunctions> functions, int version)
    : place_(std::move(place)), functions_(std::move(functions)), version_(version) {}
NcclLibrary::NcclLibrary(NcclLibrary&&) noexcept = default;
NcclLibrary& NcclLibrary::operator=(NcclLibrary&&) noexcept = default;
NcclLibrary::~NcclLibrary() = default;

Result<NcclLibrary> NcclLibrary::open(const std::vector<std::string>& places) {
  auto functions = std::make_unique<NcclFunctions>();
  int version = 0;
  const auto opened = kernels::cuda::open_first(places, [&](kernels::cuda::Symbols& symbols) {
    find_all(symbols, *functions);
    return symbols.missing().empty() ? refusal(*functions, version) : "lacks " + symbols.missing();
  });
  if (opened.place.empty()) return Error{"", "no NCCL: " + opened.why_not};
  return NcclLibrary(opened.place, std::move(functions), version);
}

}  // namespace quintet::engine
