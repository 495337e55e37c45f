#include "sim/frameworks/nccl_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sim/base/shown_text.h"

namespace quintet {
namespace {

constexpr std::array algorithms{std::pair{"Tree", Algorithm::tree},
                                std::pair{"Ring", Algorithm::ring},
                                std::pair{"CollnetDirect", Algorithm::collnet_direct},
                                std::pair{"CollnetChain", Algorithm::collnet_chain},
                                std::pair{"NVLS", Algorithm::nvls},
                                std::pair{"NVLSTree", Algorithm::nvls_tree},
                                std::pair{"PAT", Algorithm::pat}};
constexpr std::array protocols{std::pair{"LL", Protocol::ll}, std::pair{"LL128", Protocol::ll128},
                               std::pair{"Simple", Protocol::simple}};
constexpr std::array functions{std::pair{"allreduce", CollectiveKind::all_reduce},
                               std::pair{"reducescatter", CollectiveKind::reduce_scatter},
                               std::pair{"allgather", CollectiveKind::all_gather},
                               std::pair{"broadcast", CollectiveKind::broadcast},
                               std::pair{"reduce", CollectiveKind::reduce}};

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& letter : all)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return all;
}

// NCCL takes its words in capitals and small letters alike.
template <class Table>
auto value_of(const Table& table, std::string_view word)
    -> std::optional<decltype(table[0].second)> {
  for (const auto& [name, value] : table)
    if (lower(name) == lower(word)) return value;
  return std::nullopt;
}

template <class Table, class Value>
std::string word_of(const Table& table, Value value) {
  for (const auto& [name, each] : table)
    if (each == value) return name;
  return "";
}

template <class Table>
std::string words_of(const Table& table) {
  std::string all;
  for (const auto& [name, value] : table) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

// The one rule that NCCL's variables can say: of all axes, and channels only of all kinds.
const CollectiveRule* sayable(const Plan& plan) {
  if (plan.ccl.rules.size() != 1) return nullptr;
  const CollectiveRule& rule = plan.ccl.rules.front();
  if (rule.axis || (rule.kind && rule.channels)) return nullptr;
  if (rule.kind && word_of(functions, *rule.kind).empty()) return nullptr;
  if (rule.algorithm && word_of(algorithms, *rule.algorithm).empty()) return nullptr;
  if (!rule.algorithm && !rule.protocol && !rule.channels) return nullptr;
  return &rule;
}

Result<int> number_of(const EnvironmentVariable& variable, int least, int most) {
  int number = 0;
  const std::string& text = variable.value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most)
    return Error{"", fmt::format("{}: expected a whole number from {} to {}, found {}",
                                 variable.name, least, most, in_quotes(text))};
  return number;
}

// The plan's only rule, which is made where there is none.
CollectiveRule& only_rule(Plan& plan) {
  if (plan.ccl.rules.empty()) plan.ccl.rules.emplace_back();
  return plan.ccl.rules.front();
}

// "Ring" or "allreduce:ring" into the rule.
template <class Table, class Value>
Result<bool> take_word(const EnvironmentVariable& variable, const Table& table,
                       std::optional<Value> CollectiveRule::*field, Plan& plan) {
  std::string_view word = variable.value;
  std::optional<CollectiveKind> kind;
  if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
    kind = value_of(functions, word.substr(0, colon));
    if (!kind)
      return Error{"", fmt::format("{}: expected {} before \":\", found {}", variable.name,
                                   words_of(functions), in_quotes(word.substr(0, colon)))};
    word.remove_prefix(colon + 1);
  }
  if (word.find_first_of(",;^") != std::string_view::npos) return false;  // a choice is left
  const auto value = value_of(table, word);
  if (!value)
    return Error{"", fmt::format("{}: expected {}, found {}", variable.name, words_of(table),
                                 in_quotes(word))};
  // Another function's word would need a rule of its own, whose parts NCCL does not join.
  if (!plan.ccl.rules.empty() && plan.ccl.rules.front().kind != kind) return false;
  CollectiveRule& rule = only_rule(plan);
  rule.kind = kind;
  rule.*field = *value;
  return true;
}

Result<bool> take_channels(const EnvironmentVariable& variable, Plan& plan) {
  const Result<int> number = number_of(variable, 1, 64);
  if (!number) return number.error();
  if (!plan.ccl.rules.empty() && plan.ccl.rules.front().kind) return false;
  only_rule(plan).channels = *number;
  return true;
}

}  // namespace

std::vector<EnvironmentVariable> nccl_environment(const Plan& plan) {
  std::vector<EnvironmentVariable> all;
  if (const CollectiveRule* const rule = sayable(plan)) {
    const std::string only = rule->kind ? word_of(functions, *rule->kind) + ":" : "";
    if (rule->algorithm) all.push_back({"NCCL_ALGO", only + word_of(algorithms, *rule->algorithm)});
    if (rule->protocol) all.push_back({"NCCL_PROTO", only + word_of(protocols, *rule->protocol)});
    if (rule->channels) {
      all.push_back({"NCCL_MIN_CTAS", std::to_string(*rule->channels)});
      all.push_back({"NCCL_MAX_CTAS", std::to_string(*rule->channels)});
    }
  }
  if (plan.intra_inter.forwarding == Forwarding::none) all.push_back({"NCCL_PXN_DISABLE", "1"});
  if (plan.host_net.delivery == Delivery::staged) all.push_back({"NCCL_NET_GDR_LEVEL", "LOC"});
  if (plan.host_net.queue_pairs > 1)
    all.push_back({"NCCL_IB_QPS_PER_CONNECTION", std::to_string(plan.host_net.queue_pairs)});
  return all;
}

Result<bool> take_nccl_variable(const EnvironmentVariable& variable, Plan& plan) {
  if (variable.name == "NCCL_ALGO")
    return take_word(variable, algorithms, &CollectiveRule::algorithm, plan);
  if (variable.name == "NCCL_PROTO")
    return take_word(variable, protocols, &CollectiveRule::protocol, plan);
  if (variable.name == "NCCL_MIN_CTAS" || variable.name == "NCCL_MAX_CTAS")
    return take_channels(variable, plan);
  if (variable.name == "NCCL_PXN_DISABLE") {
    const Result<int> number = number_of(variable, 0, 1);
    if (!number) return number.error();
    plan.intra_inter.forwarding = *number == 1 ? Forwarding::none : Forwarding::same_rail;
    return true;
  }
  if (variable.name == "NCCL_NET_GDR_LEVEL") {
    constexpr std::array levels{"LOC", "PIX", "PXB", "PHB", "SYS"};
    if (std::find(levels.begin(), levels.end(), variable.value) == levels.end())
      return Error{"",
                   fmt::format("NCCL_NET_GDR_LEVEL: expected LOC, PIX, PXB, PHB or SYS, found {}",
                               in_quotes(variable.value))};
    plan.host_net.delivery = variable.value == "LOC" ? Delivery::staged : Delivery::direct;
    return true;
  }
  if (variable.name == "NCCL_IB_QPS_PER_CONNECTION") {
    const Result<int> number = number_of(variable, 1, 128);
    if (!number) return number.error();
    plan.host_net.queue_pairs = *number;
    return true;
  }
  return false;
}

std::string nccl_reason(const Plan& plan, std::string_view field) {
  if (field == "ccl.tuner") return "it is the version of NCCL that is installed";
  if (field == "ccl.rules") {
    if (plan.ccl.rules.size() > 1) return "NCCL's variables hold for the whole process: one rule";
    if (plan.ccl.rules.size() == 1 && plan.ccl.rules.front().axis)
      return "NCCL's variables hold for the whole process: no rule of one axis";
    return "NCCL has no variable for it";
  }
  if (field.starts_with("intra_inter.decompositions"))
    return "NCCL decides by itself how a collective crosses hosts";
  if (field.starts_with("intra_inter.placement"))
    return "ranks are numbered by the launcher; order its list of hosts";
  if (field == "host_net.queue_pairs") return "NCCL takes 1 to 128 (NCCL_IB_QPS_PER_CONNECTION)";
  if (field.starts_with("host_net.delivery") || field.starts_with("host_net.pipeline_delivery") ||
      field.starts_with("host_net.delegates"))
    return "NCCL sends all with one delivery, and none by the host's processors";
  if (field.starts_with("host_net.head_of_line")) return "it follows from how NCCL sends";
  if (field.starts_with("network.")) return "switches and the subnet manager decide it";
  return "";
}

}  // namespace quintet
