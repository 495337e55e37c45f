#include "engine/nccl/tuner_rules.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <sstream>
#include <string_view>

namespace quintet::engine {

namespace {

constexpr std::array kinds{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                           CollectiveKind::all_gather, CollectiveKind::broadcast,
                           CollectiveKind::reduce};
constexpr auto nccl_algorithms = std::span(all_algorithms).first<nccl_algorithm_count>();
constexpr std::array all_protocols{Protocol::ll, Protocol::ll128, Protocol::simple};

constexpr int most_channels = 64;  // NCCL's MAXCHANNELS

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  Words words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

template <class Values>
auto one_of(const Values& accepted, const std::string& word, const std::string& what)
    -> Result<typename Values::value_type> {
  std::string list;
  for (const auto value : accepted) {
    if (name_of(value) == word) return value;
    list += (list.empty() ? "" : ", ") + std::string(name_of(value));
  }
  return Error{"", "\"" + word + "\" is no " + what + "; accepted: " + list};
}

template <class Number>
std::optional<Number> number(std::string_view word) {
  Number value{};
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (wrong != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// "0-65536"
std::optional<Error> read_bytes(const std::string& word, TunerRule& rule) {
  if (word == "*") return std::nullopt;
  const std::size_t dash = word.find('-');
  const auto from = number<std::uint64_t>(std::string_view(word).substr(0, dash));
  const auto to = dash == std::string::npos
                      ? std::nullopt
                      : number<std::uint64_t>(std::string_view(word).substr(dash + 1));
  if (!from || !to || *from > *to)
    return Error{"", "\"" + word + "\" is no range of bytes; accepted: FIRST-LAST or *"};
  rule.from_bytes = *from;
  rule.to_bytes = *to;
  return std::nullopt;
}

Result<TunerRule> parse_rule(const Words& words) {
  if (words.size() != 5)
    return Error{"", "found " + std::to_string(words.size()) +
                         " words; accepted: KIND BYTES ALGORITHM PROTOCOL CHANNELS"};
  TunerRule rule;
  const Result<CollectiveKind> kind = one_of(kinds, words[0], "collective");
  if (!kind) return kind.error();
  rule.kind = *kind;
  if (const auto wrong = read_bytes(words[1], rule)) return *wrong;
  if (words[2] != "*") {
    const Result<Algorithm> algorithm = one_of(nccl_algorithms, words[2], "algorithm of NCCL");
    if (!algorithm) return algorithm.error();
    rule.algorithm = *algorithm;
  }
  if (words[3] != "*") {
    const Result<Protocol> protocol = one_of(all_protocols, words[3], "protocol");
    if (!protocol) return protocol.error();
    rule.protocol = *protocol;
  }
  if (words[4] == "*") return rule;
  rule.channels = number<int>(words[4]);
  if (!rule.channels || *rule.channels < 1 || *rule.channels > most_channels)
    return Error{"", "\"" + words[4] + "\" is no number of channels; accepted: 1 to " +
                         std::to_string(most_channels) + " or *"};
  return rule;
}

template <class Value>
std::string word_of(const std::optional<Value>& value) {
  return value ? std::string(name_of(*value)) : "*";
}

}  // namespace

std::optional<int> nccl_algorithm(Algorithm algorithm) {
  const int number = static_cast<int>(algorithm);
  return number < nccl_algorithm_count ? std::optional(number) : std::nullopt;
}

int nccl_protocol(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll:
      return 0;
    case Protocol::ll128:
      return 1;
    case Protocol::simple:
      return 2;
  }
  return 2;
}

std::string rules_text(const TunerRules& rules) {
  std::string text = "communicator " + rules.communicator + "\n";
  text += "# kind bytes algorithm protocol channels\n";
  for (const TunerRule& rule : rules.rules) {
    const bool all = rule == TunerRule{.kind = rule.kind,
                                       .algorithm = rule.algorithm,
                                       .protocol = rule.protocol,
                                       .channels = rule.channels};
    text += std::string(name_of(rule.kind)) + " " +
            (all ? "*" : std::to_string(rule.from_bytes) + "-" + std::to_string(rule.to_bytes)) +
            " " + word_of(rule.algorithm) + " " + word_of(rule.protocol) + " " +
            (rule.channels ? std::to_string(*rule.channels) : "*") + "\n";
  }
  return text;
}

Result<TunerRules> parse_rules(const std::string& text, const std::string& file) {
  TunerRules rules;
  std::istringstream in(text);
  int number_of_line = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string where = file + ": line " + std::to_string(++number_of_line);
    const Words words = words_of(line);
    if (words.empty() || words[0].starts_with("#")) continue;
    if (rules.communicator.empty()) {
      if (words.size() != 2 || words[0] != "communicator")
        return Error{where, "found \"" + line + "\"; accepted first: communicator NAME"};
      rules.communicator = words[1];
      continue;
    }
    const Result<TunerRule> rule = parse_rule(words);
    if (!rule) return Error{where, rule.error().what};
    rules.rules.push_back(*rule);
  }
  if (rules.communicator.empty())
    return Error{file, "is empty; accepted: communicator NAME, then rules"};
  return rules;
}

const TunerRule* rule_for(const TunerRules& rules, CollectiveKind kind, std::uint64_t bytes) {
  for (const TunerRule& rule : rules.rules)
    if (rule.kind == kind && rule.from_bytes <= bytes && bytes <= rule.to_bytes) return &rule;
  return nullptr;
}

}  // namespace quintet::engine
