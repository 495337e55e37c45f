#include "sim/search/search_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/json/field_list.h"

namespace quintet {
namespace {

constexpr int version = 2;

// A candidate in a file: numbers as they are, to the last bit.
struct FoundEntry {
  std::uint64_t number = 0;
  double objective = 0, step = 0, compute = 0, memory = 0, capacity = 0;
  std::uint64_t machine = 0;
};

struct SearchFile {
  int schema_version = version;
  SearchIdentity identity;
  SearchState state;
  std::vector<FoundEntry> estimated, simulated;
};

}  // namespace

template <class File>
void fields(File& file, FoundEntry& entry) {
  file.required({"candidate", "its number"}, entry.number);
  file.required({"objective", "in the unit of the objective"}, entry.objective);
  file.required({"step_s", "of one of many steps"}, entry.step);
  file.required({"compute_s", "mean over ranks"}, entry.compute);
  file.required({"memory_bytes", "of the rank that needs most"}, entry.memory);
  file.required({"capacity_bytes", "of one GPU; 0: not known"}, entry.capacity);
  file.required({"machine", "of those searched, from 0"}, entry.machine);
}

template <class File>
void fields(File& file, SearchCounts& counts) {
  file.required({"bounded", "passed over by their bound"}, counts.bounded);
  file.required({"too_large", "for the memory"}, counts.too_large);
  file.required({"beyond", "a limit"}, counts.beyond);
  file.required({"estimated", "at the cheap fidelity"}, counts.estimated);
  file.required({"uncovered", "by that"}, counts.uncovered);
  file.required({"simulated", "at fluid"}, counts.simulated);
  file.required({"failed", "not covered by the costs"}, counts.failed);
}

template <class File>
void fields(File& file, SearchFile& all) {
  file.required({"schema_version", "2"}, all.schema_version, Between{version, version});
  file.required({"question", "digest of all that the answer follows from"}, all.identity.question);
  file.required({"described", "for people"}, all.identity.described);
  file.required({"part", "which, from 0"}, all.identity.share.part, Between{0, 1 << 30});
  file.required({"parts", "of how many"}, all.identity.share.parts, Between{1, 1 << 30});
  file.required({"phase", "that comes next"}, all.state.phase);
  file.required({"position", "in it"}, all.state.position);
  file.required({"estimated", "the best by the cheap fidelity"}, all.estimated);
  file.required({"simulated", "the best at fluid"}, all.simulated);
  file.required({"counts", "of what was looked at"}, all.state.counts);
  file.field({"failure", "why a candidate cannot be priced"}, all.state.failure);
}

namespace {

std::vector<FoundEntry> entries(const std::vector<Found>& found) {
  std::vector<FoundEntry> all;
  for (const Found& each : found)
    all.push_back({each.number, each.objective, each.estimate.step.value,
                   each.estimate.compute.value, each.estimate.memory.value,
                   each.estimate.capacity.value, each.machine});
  return all;
}

std::vector<Found> found_in(const std::vector<FoundEntry>& entries) {
  std::vector<Found> all;
  for (const FoundEntry& each : entries)
    all.push_back({each.objective,
                   each.number,
                   {{each.step}, {each.compute}, {each.memory}, {each.capacity}},
                   static_cast<std::uint32_t>(each.machine)});
  return all;
}

Error another(const std::string& file, const SearchIdentity& found,
              const SearchIdentity& identity) {
  if (found.question != identity.question)
    return {file, "is of another search (" + shown(found.described, 200) +
                      "), so that nothing of it holds here; name another file, or remove it"};
  return {file, fmt::format("is part {} of {}, but this process is part {} of {}; start as many "
                            "as before, or remove it",
                            found.share.part, found.share.parts, identity.share.part,
                            identity.share.parts)};
}

// The descriptor is closed in any case.
bool write_whole(int descriptor, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  const bool whole = written == text.size() && ::fsync(descriptor) == 0;
  return ::close(descriptor) == 0 && whole;
}

}  // namespace

std::string search_text(const SearchIdentity& identity, const SearchState& state) {
  SearchFile file{version, identity, state, entries(state.estimated), entries(state.simulated)};
  FieldWriter writer(Digits::exact);
  fields(writer, file);
  return std::move(writer).json().dump(1) + "\n";
}

Result<SearchState> read_search(const std::filesystem::path& file, const SearchIdentity& identity) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  const Result<nlohmann::json> json = parse_json(*text, file.string());
  if (!json) return json.error();
  JsonObject root(*json, file.string());
  SearchFile read;
  FieldReader reader(root);
  fields(reader, read);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  if (read.identity.question != identity.question || read.identity.share != identity.share)
    return another(file.string(), read.identity, identity);
  read.state.estimated = found_in(read.estimated);
  read.state.simulated = found_in(read.simulated);
  return read.state;
}

std::optional<Error> replace_file(const std::filesystem::path& file, const std::string& text) {
  const auto failed = [&] {
    return Error{file.string(), std::string("cannot be written: ") + std::strerror(errno)};
  };
  const std::string next = file.string() + ".next";
  const int descriptor = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0 || !write_whole(descriptor, text)) return failed();
  if (::rename(next.c_str(), file.c_str()) != 0) return failed();
  return std::nullopt;
}

SearchState merged(const std::vector<SearchState>& parts, const SearchPlanned& planned) {
  const std::size_t kept = std::max(planned.simulate, planned.list);
  BestList estimated(kept), simulated(std::max(kept, planned.list));
  SearchState all;
  all.phase = SearchPhase::done;
  for (const SearchState& part : parts) {
    all.counts += part.counts;
    if (all.failure.empty()) all.failure = part.failure;
    for (const Found& found : part.estimated) estimated.add(found);
  }
  all.estimated = estimated.all();
  const std::size_t chosen = std::min(planned.simulate, all.estimated.size());
  const auto among = [&](const Found& found) {
    return std::any_of(all.estimated.begin(),
                       all.estimated.begin() + static_cast<std::ptrdiff_t>(chosen),
                       [&](const Found& each) { return each.number == found.number; });
  };
  for (const SearchState& part : parts)
    for (const Found& found : part.simulated)
      if (planned.prove || among(found)) simulated.add(found);
  all.simulated = simulated.all();
  return all;
}

}  // namespace quintet
