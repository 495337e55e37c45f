#include "traces/simai/layer_rows.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace quintet::simai {

namespace {

constexpr std::array policies{
    std::pair{std::string_view("DATA"), Policy::data},
    std::pair{std::string_view("MODEL"), Policy::model},
    std::pair{std::string_view("HYBRID_TRANSFORMER"), Policy::hybrid_transformer},
    std::pair{std::string_view("HYBRID_TRANSFORMER_FWD_IN_BCKWD"),
              Policy::hybrid_transformer_recomputing},
    std::pair{std::string_view("HYBRID_DLRM"), Policy::hybrid_dlrm},
    std::pair{std::string_view("HYBRID_DLRM_ENHANCED"), Policy::hybrid_dlrm_enhanced},
    std::pair{std::string_view("HYBRID_DATA_MODEL"), Policy::hybrid_data_model},
    std::pair{std::string_view("HYBRID_MODEL_DATA"), Policy::hybrid_model_data},
    std::pair{std::string_view("HYBRID_CUSTOMIZED"), Policy::hybrid_customized},
    std::pair{std::string_view("MICRO"), Policy::micro},
    std::pair{std::string_view("DISTRIBUTED_INFERENCE"), Policy::distributed_inference},
};

struct CollectiveWord {
  std::string_view word;
  std::array<std::optional<CollectiveKind>, 2> kinds;
};
constexpr std::array collective_words{
    CollectiveWord{"NONE", {}},
    CollectiveWord{"ALLREDUCE", {CollectiveKind::all_reduce}},
    CollectiveWord{"ALLGATHER", {CollectiveKind::all_gather}},
    CollectiveWord{"REDUCESCATTER", {CollectiveKind::reduce_scatter}},
    CollectiveWord{"ALLTOALL", {CollectiveKind::all_to_all}},
    CollectiveWord{"BROADCAST", {CollectiveKind::broadcast}},
    CollectiveWord{"ALLREDUCEALLTOALL", {CollectiveKind::all_reduce, CollectiveKind::all_to_all}},
};

template <class Number>
std::optional<Number> number_of(std::string_view word) {
  Number value{};
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (wrong != std::errc{} || end != word.data() + word.size()) return {};
  return value;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view space = " \t\r";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(space);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(space), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string quoted(std::string_view word) {
  return fmt::format("\"{}\"", word.substr(0, 60));
}

// Hands out lines that have words, and knows their numbers.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  bool next(std::vector<std::string_view>& words) {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      words = words_of(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
      if (!words.empty()) return true;
    }
    return false;
  }
  int number() const { return number_; }

 private:
  std::string_view text_;
  int number_ = 0;
};

constexpr int most_gpus = 1 << 20;

struct Count {
  std::string_view word;
  int Header::*member;
};
constexpr std::array counts{
    Count{"model_parallel_NPU_group:", &Header::tensor},
    Count{"ep:", &Header::expert},
    Count{"pp:", &Header::pipeline},
    Count{"vpp:", &Header::virtual_pipeline},
    Count{"ga:", &Header::accumulation},
    Count{"all_gpus:", &Header::all_gpus},
};

class HeaderReader {
 public:
  explicit HeaderReader(std::vector<std::string_view> words) : words_(std::move(words)) {}

  std::optional<std::string> read(Header& header) {
    const auto policy = policy_of(words_.front());
    if (!policy)
      return fmt::format("{} is no policy; expected {}", quoted(words_.front()), policy_words());
    header.policy = *policy;
    while (at_ < words_.size())
      if (auto wrong = take(header, words_[at_++])) return wrong;
    return {};
  }

 private:
  std::optional<std::string> take(Header& header, std::string_view word) {
    for (const Count& count : counts)
      if (count.word == word) {
        header.says_tensor = header.says_tensor || count.member == &Header::tensor;
        return number(header.*count.member, word, 1, most_gpus);
      }
    if (word == "checkpoints:") return list(header.checkpoints, word);
    if (word == "checkpoint_initiates:") return list(header.initiates, word);
    if (word == "DLRM_LAST_BOTTOM_LAYER:") return number(header.last_bottom, word, 0, 1 << 24);
    if (word != "pp_comm" && word != "pp_comm:")
      return fmt::format("{} is not known", quoted(word));
    std::int64_t size = 0;
    auto wrong = number(size, word, std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
    header.pipeline_message = Bytes{static_cast<double>(size)};
    return wrong;
  }

  template <class Number>
  std::optional<std::string> number(Number& into, std::string_view after, Number least,
                                    Number most) {
    const auto value = at_ < words_.size() ? number_of<Number>(words_[at_]) : std::nullopt;
    if (!value || *value < least || *value > most)
      return fmt::format("expected an integer, {} to {}, after {}", least, most, after);
    into = *value;
    ++at_;
    return {};
  }

  std::optional<std::string> list(std::vector<int>& into, std::string_view after) {
    int count = 0;
    if (auto wrong = number(count, after, 0, static_cast<int>(words_.size()))) return wrong;
    for (int i = 0; i < count; ++i)
      if (auto wrong = number(into.emplace_back(), after, 0, 1 << 24)) return wrong;
    return {};
  }

  std::vector<std::string_view> words_;
  std::size_t at_ = 1;
};

std::optional<std::string> take_time(Duration& into, std::string_view word) {
  constexpr std::int64_t per_nanosecond = 1000, most = std::int64_t{1} << 50;
  const auto value = number_of<std::int64_t>(word);
  if (!value || *value < 0 || *value > most)
    return fmt::format("expected a time of 0 or more whole nanoseconds, found {}", quoted(word));
  into = {*value * per_nanosecond};
  return {};
}

std::optional<std::string> take_kind(RowCollective& into, std::string_view word) {
  std::string_view plain = word;
  for (const auto& [suffix, group] : {std::pair{std::string_view("_DP_EP"), GroupKind::expert_data},
                                      std::pair{std::string_view("_EP"), GroupKind::expert}})
    if (plain.ends_with(suffix)) {
      plain.remove_suffix(suffix.size());
      into.group = group;
    }
  for (const CollectiveWord& known : collective_words) {
    if (known.word != plain) continue;
    for (const auto& kind : known.kinds)
      if (kind) into.kinds.push_back(*kind);
    return {};
  }
  return fmt::format(
      "{} is no collective; expected NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER, "
      "ALLTOALL, ALLREDUCEALLTOALL or BROADCAST, with _EP or _DP_EP or neither",
      quoted(word));
}

// Time, collective, bytes.
std::optional<std::string> take_pass(Pass& pass, std::span<const std::string_view> words) {
  if (auto wrong = take_time(pass.time, words[0])) return wrong;
  if (auto wrong = take_kind(pass.collective, words[1])) return wrong;
  const auto size = number_of<std::int64_t>(words[2]);
  if (!size || *size < 0)
    return fmt::format("expected bytes, 0 or more, found {}", quoted(words[2]));
  pass.collective.size = Bytes{static_cast<double>(*size)};
  return {};
}

std::optional<std::string> take_row(Row& row, std::span<const std::string_view> words,
                                    Policy policy) {
  const std::size_t expected = policy == Policy::hybrid_customized ? 13 : 12;
  if (words.size() != expected)
    return fmt::format(
        "has {} fields; expected {}: name, dependency, time, collective and bytes "
        "of three passes, the update's time{}",
        words.size(), expected, expected == 13 ? ", a policy" : "");
  row.name = words[0];
  if (!number_of<std::int64_t>(words[1]))
    return fmt::format("expected a dependency (-1: none), found {}", quoted(words[1]));
  if (auto wrong = take_pass(row.forward, words.subspan(2, 3))) return wrong;
  if (auto wrong = take_pass(row.input_gradient, words.subspan(5, 3))) return wrong;
  if (auto wrong = take_pass(row.weight_gradient, words.subspan(8, 3))) return wrong;
  if (auto wrong = take_time(row.update, words[11])) return wrong;
  row.policy = policy;
  if (expected == 12) return {};
  const auto own = policy_of(words[12]);
  if (!own) return fmt::format("{} is no policy; expected {}", quoted(words[12]), policy_words());
  row.policy = *own;
  return {};
}

}  // namespace

std::optional<Policy> policy_of(std::string_view word) {
  for (const auto& [name, policy] : policies)
    if (name == word) return policy;
  return {};
}

std::string policy_words() {
  std::string text;
  for (const auto& [name, policy] : policies)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  return text;
}

Result<LayerText> parse_layers(std::string_view text, const std::string& where) {
  LayerText layers;
  Lines lines(text);
  std::vector<std::string_view> words;
  const auto at = [&](const std::string& what) {
    return Error{fmt::format("{}: line {}", where, lines.number()), what};
  };
  if (!lines.next(words)) return Error{where, "is empty; expected a workload's header"};
  if (const auto wrong = HeaderReader(words).read(layers.header)) return at(*wrong);
  if (!lines.next(words)) return at("ends after its header; expected how many rows follow");
  const auto count = number_of<int>(words.front());
  if (words.size() != 1 || !count || *count < 1)
    return at(fmt::format("expected how many rows follow, found {}", quoted(words.front())));
  while (lines.next(words)) {
    if (layers.rows.size() == static_cast<std::size_t>(*count))
      return at(fmt::format("is a row more than the {} that line 2 tells", *count));
    if (const auto wrong = take_row(layers.rows.emplace_back(), words, layers.header.policy))
      return at(*wrong);
  }
  if (layers.rows.size() < static_cast<std::size_t>(*count))
    return at(
        fmt::format("is the last; expected {} rows, as line 2 tells, found {}: the file is cut "
                    "off",
                    *count, layers.rows.size()));
  return layers;
}

}  // namespace quintet::simai
