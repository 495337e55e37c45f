#include "sim/command/search/search_parts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <thread>

#include "sim/base/progress_line.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

SearchIdentity of_part(SearchIdentity identity, int part) {
  identity.share.part = part;
  return identity;
}

// A part that is not done, or nothing.
std::optional<int> unfinished(const fs::path& folder, const SearchIdentity& identity) {
  for (int part = 0; part < identity.share.parts; ++part) {
    const SearchIdentity own = of_part(identity, part);
    const Result<SearchState> state = read_search(part_file(folder, own.share), own);
    if (!state || state->phase != SearchPhase::done) return part;
  }
  return std::nullopt;
}

// True for one process of all that try.
bool is_first_to(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) return false;
  ::close(descriptor);
  return true;
}

// Until all are done, or patience is over.
bool wait_for_others(const fs::path& folder, const SearchIdentity& identity, bool limited,
                     bool quiet) {
  constexpr std::chrono::seconds patience{20};
  const auto begin = std::chrono::steady_clock::now();
  ProgressLine line(quiet ? ProgressShown::never : ProgressShown::on_terminal);
  while (const std::optional<int> part = unfinished(folder, identity)) {
    line.show(fmt::format("waiting for part {} of {}", *part, identity.share.parts));
    if (limited && std::chrono::steady_clock::now() - begin > patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace

fs::path part_file(const fs::path& folder, const SearchShare& share) {
  return folder / fmt::format("part-{}-of-{}.json", share.part, share.parts);
}

Result<std::vector<SearchState>> finished_parts(const fs::path& folder,
                                                const SearchIdentity& identity) {
  std::vector<SearchState> states;
  for (int part = 0; part < identity.share.parts; ++part) {
    const SearchIdentity own = of_part(identity, part);
    const fs::path file = part_file(folder, own.share);
    Result<SearchState> state = read_search(file, own);
    if (!state) return state.error();
    if (state->phase != SearchPhase::done)
      return Error{file.string(),
                   "is not done: start that part again with this --state, and it goes on"};
    states.push_back(std::move(*state));
  }
  return states;
}

Result<int> parts_in(const fs::path& folder) {
  constexpr std::string_view begin = "part-0-of-", end = ".json";
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    int parts = 0;
    const char* const last = name.data() + name.size() - end.size();
    const auto [stopped, wrong] = std::from_chars(name.data() + begin.size(), last, parts);
    if (wrong == std::errc{} && stopped == last && parts > 0) return parts;
  }
  return Error{"--state " + folder.string(),
               "holds no part-0-of-N.json: name the folder that the parts were given"};
}

PartRole role_when_done(const fs::path& folder, const SearchIdentity& identity,
                        const StartedShare& started, bool limited, bool quiet) {
  if (started.together) {
    if (identity.share.part != 0) return PartRole::is_silent;
    return wait_for_others(folder, identity, limited, quiet) ? PartRole::prints
                                                             : PartRole::is_silent;
  }
  if (unfinished(folder, identity)) return PartRole::is_silent;
  return is_first_to(folder / "printed") ? PartRole::prints : PartRole::is_silent;
}

}  // namespace quintet
