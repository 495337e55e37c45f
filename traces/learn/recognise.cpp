#include "traces/learn/recognise.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "traces/learn/shaped_operations.h"
#include "traces/workload/trace_step.h"

namespace quintet {

namespace {

struct GroupUse {
  std::int64_t collectives = 0, reductions = 0;
  double bytes = 0, largest = 0;  // of reductions
};

class RecognisingJob {
 public:
  explicit RecognisingJob(const Workload& workload) : workload_(workload) {
    if (workload.ranks.empty()) return;
    for (const WorkloadTask& task : workload.ranks.front().tasks) note(task);
  }

  RecognisedJob job() && {
    made_.tensor = degree(Axis::tensor);
    made_.context = degree(Axis::context);
    made_.expert = degree(Axis::expert);
    pipeline();
    data();
    return std::move(made_);
  }

  // Timelines of ours tell layers and micro-batches of their spans.
  void add_marks(RecognisedModel& model) const {
    std::int64_t layers = 0, micro_batches = 0;
    for (const WorkloadRank& rank : workload_.ranks)
      for (const WorkloadTask& task : rank.tasks) {
        layers = std::max<std::int64_t>(layers, task.layer + 1);
        micro_batches = std::max<std::int64_t>(micro_batches, task.micro_batch + 1);
      }
    if (layers > 1 && !model.layers) model.layers = {layers, "layers that tasks are marked with"};
    if (micro_batches > 0 && !model.micro_batches)
      model.micro_batches = {micro_batches, "micro-batches that tasks are marked with"};
  }

 private:
  const SpanInfo& info(const WorkloadTask& task) const {
    return workload_.infos[static_cast<std::size_t>(task.info)];
  }

  void note(const WorkloadTask& task) {
    const SpanInfo& own = info(task);
    if (own.kind != SpanKind::collective || task.peers < 0) return;
    const TaskPeers& peers = workload_.ranks.front().peers[static_cast<std::size_t>(task.peers)];
    if (peers.group < 0) return;
    GroupUse& use = uses_[{own.axis, peers.group}];
    ++use.collectives;
    if (peers.collective != CollectiveKind::all_reduce &&
        peers.collective != CollectiveKind::reduce_scatter)
      return;
    ++use.reductions;
    use.bytes += own.size.value;
    use.largest = std::max(use.largest, own.size.value);
  }

  std::int64_t size_of_group(std::int32_t group) const {
    const WorkloadGroup& own = workload_.groups[static_cast<std::size_t>(group)];
    return static_cast<std::int64_t>(std::max(own.members.size(), own.ranks.size()));
  }

  // Of an axis that is not data (what nothing is known of counts as that): the group used most.
  std::optional<RecognisedNumber> degree(Axis axis) const {
    const std::pair<const std::pair<Axis, std::int32_t>, GroupUse>* most = nullptr;
    for (const auto& each : uses_)
      if (each.first.first == axis && size_of_group(each.first.second) > 1 &&
          (most == nullptr || each.second.collectives > most->second.collectives))
        most = &each;
    if (most == nullptr) return std::nullopt;
    const std::int32_t group = most->first.second;
    return RecognisedNumber{size_of_group(group),
                            fmt::format("{} collectives over group {}", most->second.collectives,
                                        workload_.groups[static_cast<std::size_t>(group)].name)};
  }

  void pipeline() {
    int stages = 1;
    for (const WorkloadRank& rank : workload_.ranks) stages = std::max(stages, rank.stage + 1);
    if (stages > 1)
      made_.pipeline = {stages, "stages that ranks are marked with"};
    else
      made_.pipeline = degree(Axis::pipeline);
  }

  static std::int64_t value_of(const std::optional<RecognisedNumber>& degree) {
    return degree ? degree->value : 1;
  }

  // Gradients are reduced over replicas: the group with most bytes of reductions, unless it has
  // more ranks than the other axes leave.
  void data() {
    const std::int64_t others =
        value_of(made_.tensor) * value_of(made_.context) * value_of(made_.pipeline);
    const std::pair<const std::pair<Axis, std::int32_t>, GroupUse>* most = nullptr;
    for (const auto& each : uses_)
      if (each.first.first == Axis::data && each.second.reductions > 0 &&
          size_of_group(each.first.second) > 1 &&
          size_of_group(each.first.second) * others <= workload_.world_size &&
          (most == nullptr || each.second.bytes > most->second.bytes))
        most = &each;
    if (most == nullptr) return;
    const GroupUse& use = most->second;
    const std::string& name = workload_.groups[static_cast<std::size_t>(most->first.second)].name;
    made_.data = {size_of_group(most->first.second),
                  fmt::format("{} all-reduces and reduce-scatters over group {}, {:.4g} MB in all",
                              use.reductions, name, use.bytes / 1e6)};
    // Of two nothing says that they are buckets.
    if (use.reductions < 3 || use.largest <= 0 || use.largest > 9e18) return;
    made_.bucket = {static_cast<std::int64_t>(use.largest),
                    fmt::format("the largest of those {}", use.reductions)};
  }

  const Workload& workload_;
  std::map<std::pair<Axis, std::int32_t>, GroupUse> uses_;
  RecognisedJob made_;
};

RecognisedModel model_of(std::span<const RankTrace> traces, const std::string& step) {
  const Result<ChosenStep> chosen = chosen_step(traces, step);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    TraceWindow window{std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max()};
    if (chosen && !chosen->name.empty()) window = chosen->windows[i];
    const RecognisedModel model = recognised_model(shaped_operations(traces[i], window));
    if (model != RecognisedModel{}) return model;
  }
  return {};
}

struct Fact {
  std::string text;
  const RecognisedNumber* number;
};

void add(std::vector<Fact>& facts, const std::optional<RecognisedNumber>& number,
         const char* pattern) {
  if (number) facts.push_back({fmt::format(fmt::runtime(pattern), number->value), &*number});
}

std::vector<Fact> facts_of(const RecognisedJob& job) {
  std::vector<Fact> facts;
  const RecognisedModel& model = job.model;
  add(facts, model.width, "width {}");
  add(facts, model.layers, "{} layers");
  add(facts, model.feed_forward, job.tensor ? "feed-forward {} on this rank" : "feed-forward {}");
  add(facts, model.heads, job.tensor ? "{} heads on this rank" : "{} heads");
  add(facts, model.head_dim, "{} wide each");
  add(facts, model.length, "sequences of {}");
  add(facts, model.vocabulary, job.tensor ? "vocabulary {} on this rank" : "vocabulary {}");
  add(facts, model.tokens, "{} tokens a micro-batch");
  add(facts, model.micro_batches,
      model.micro_batches && model.micro_batches->value == 1 ? "{} micro-batch"
                                                             : "{} micro-batches");
  return facts;
}

std::vector<Fact> degrees_of(const RecognisedJob& job) {
  std::vector<Fact> facts;
  add(facts, job.tensor, "tensor {}");
  add(facts, job.context, "context {}");
  add(facts, job.expert, "expert {}");
  add(facts, job.pipeline, "pipeline {}");
  add(facts, job.data, "data {}");
  return facts;
}

}  // namespace

std::optional<RecognisedJob> recognise(const Workload& workload, std::span<const RankTrace> traces,
                                       const std::string& step) {
  RecognisingJob recognising(workload);
  RecognisedModel model = traces.empty() ? RecognisedModel{} : model_of(traces, step);
  recognising.add_marks(model);
  RecognisedJob job = std::move(recognising).job();
  job.model = std::move(model);
  if (job == RecognisedJob{}) return std::nullopt;
  return job;
}

std::string text_of(const RecognisedJob& job) {
  std::string line, evidence;
  const auto say = [&](const std::vector<Fact>& facts, const char* between) {
    for (std::size_t i = 0; i < facts.size(); ++i) {
      line += fmt::format("{}{}", line.empty() ? "" : i == 0 ? ", " : between, facts[i].text);
      evidence += fmt::format("  {}: {}\n", facts[i].text, facts[i].number->evidence);
    }
  };
  say(facts_of(job), ", ");
  say(degrees_of(job), " x ");
  if (job.bucket) {
    const std::string text =
        fmt::format("buckets of {:.4g} MB", static_cast<double>(job.bucket->value) / 1e6);
    say({{text, &*job.bucket}}, ", ");
  }
  return "Looks like: " + line + "\n" + evidence;
}

}  // namespace quintet
