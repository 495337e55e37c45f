#include "engine/peers/peers.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet::engine {

namespace {

constexpr char good = '+', bad = '-', parting = '\n';

}  // namespace

std::optional<Error> exchange(Peers& peers, std::uint64_t label, std::span<const std::byte> mine,
                              std::span<std::byte> all) {
  const std::uint64_t reply = label + 1;
  if (peers.rank() != Rank{0}) {
    if (auto failed = peers.give(Rank{0}, label, mine)) return failed;
    return peers.take(Rank{0}, reply, all);
  }
  std::copy(mine.begin(), mine.end(), all.begin());
  for (int rank = 1; rank < peers.world(); ++rank) {
    const auto part = all.subspan(Rank{rank}.index() * mine.size(), mine.size());
    if (auto failed = peers.take(Rank{rank}, label, part)) return failed;
  }
  for (int rank = 1; rank < peers.world(); ++rank)
    if (auto failed = peers.give(Rank{rank}, reply, all)) return failed;
  return std::nullopt;
}

Error error_of(Rank rank, const Error& error) {
  const std::string name = fmt::format("rank {}", rank.value);
  if (error.where.starts_with("rank ")) return error;
  return {error.where.empty() ? name : name + ": " + error.where, error.what};
}

std::string report_text(const Result<std::string>& report) {
  if (report) return good + *report;
  return bad + report.error().where + parting + report.error().what;
}

Result<std::string> parse_report(const std::string& text) {
  if (!text.empty() && text.front() == good) return text.substr(1);
  const std::size_t where_ends = text.find(parting);
  if (text.empty() || where_ends == std::string::npos) return Error{"", text};
  return Error{text.substr(1, where_ends - 1), text.substr(where_ends + 1)};
}

Result<std::string> awaited(Peers& peers, Rank from) {
  Result<std::optional<std::string>> text = peers.receive_text(from, Patience::until_one_is_over);
  if (!text) return text.error();
  return parse_report(**text);
}

Result<std::vector<std::string>> gathered(Peers& peers, const Result<std::string>& mine) {
  if (peers.rank().value != 0) {
    peers.send_text(Rank{0}, report_text(mine));
    return std::vector<std::string>();
  }
  std::vector<std::string> texts;
  std::optional<Error> first;
  for (int rank = 0; rank < peers.world(); ++rank) {
    const Result<std::string> text = rank == 0 ? mine : awaited(peers, Rank{rank});
    if (!text && !first) first = error_of(Rank{rank}, text.error());
    texts.push_back(text ? *text : "");
  }
  if (first) return *first;
  return texts;
}

Result<std::string> told(Peers& peers, const Result<std::string>& answer) {
  if (peers.rank().value != 0) return awaited(peers, Rank{0});
  for (int rank = 1; rank < peers.world(); ++rank) peers.send_text(Rank{rank}, report_text(answer));
  return answer;
}

std::optional<Error> agreed(Peers& peers, const std::optional<Error>& mine) {
  Result<std::string> report = std::string();
  if (mine) report = *mine;
  const Result<std::vector<std::string>> all = gathered(peers, report);
  Result<std::string> answer = std::string();
  if (!all) answer = all.error();
  const Result<std::string> verdict = told(peers, answer);
  if (verdict) return std::nullopt;
  return verdict.error();
}

}  // namespace quintet::engine
