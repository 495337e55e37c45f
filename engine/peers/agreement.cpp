#include "engine/peers/agreement.h"

namespace quintet::engine {

namespace {

constexpr char good = '+', bad = '-', parting = '\n';

}  // namespace

Error error_of(Rank rank, const Error& error) {
  const std::string name = "rank " + std::to_string(rank.value);
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

Result<std::string> awaited(StateMessages& messages, Rank from) {
  Result<std::optional<std::string>> text = messages.receive(from, Patience::until_one_is_over);
  if (!text) return text.error();
  return parse_report(**text);
}

Result<std::vector<std::string>> gathered(StateMessages& messages,
                                          const Result<std::string>& mine) {
  if (messages.rank().value != 0) {
    messages.send(Rank{0}, report_text(mine));
    return std::vector<std::string>();
  }
  std::vector<std::string> texts;
  std::optional<Error> first;
  for (int rank = 0; rank < messages.world(); ++rank) {
    const Result<std::string> text = rank == 0 ? mine : awaited(messages, Rank{rank});
    if (!text && !first) first = error_of(Rank{rank}, text.error());
    texts.push_back(text ? *text : "");
  }
  if (first) return *first;
  return texts;
}

Result<std::string> told(StateMessages& messages, const Result<std::string>& answer) {
  if (messages.rank().value != 0) return awaited(messages, Rank{0});
  for (int rank = 1; rank < messages.world(); ++rank)
    messages.send(Rank{rank}, report_text(answer));
  return answer;
}

std::optional<Error> agreed(StateMessages& messages, const std::optional<Error>& mine) {
  Result<std::string> report = std::string();
  if (mine) report = *mine;
  const Result<std::vector<std::string>> all = gathered(messages, report);
  Result<std::string> answer = std::string();
  if (!all) answer = all.error();
  const Result<std::string> verdict = told(messages, answer);
  if (verdict) return std::nullopt;
  return verdict.error();
}

}  // namespace quintet::engine
