#include "traces/workload/job_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numeric>
#include <utility>

namespace quintet {

namespace {

// What Megatron-LM, DeepSpeed, FSDP and torchtitan call their groups.
constexpr std::array<std::pair<std::string_view, Axis>, 16> axis_words{{
    {"tensor", Axis::tensor},
    {"tp", Axis::tensor},
    {"model_parallel", Axis::tensor},
    {"pipeline", Axis::pipeline},
    {"pp", Axis::pipeline},
    {"embedding", Axis::pipeline},
    {"expert", Axis::expert},
    {"ep", Axis::expert},
    {"moe", Axis::expert},
    {"context", Axis::context},
    {"cp", Axis::context},
    {"sequence", Axis::context},
    {"data", Axis::data},
    {"dp", Axis::data},
    {"fsdp", Axis::data},
    {"ddp", Axis::data},
}};

Axis axis_of(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  for (const auto& [word, axis] : axis_words) {
    const std::size_t found = text.find(word);
    if (found == std::string::npos) continue;
    const bool begins =
        found == 0 || std::isalpha(static_cast<unsigned char>(text[found - 1])) == 0;
    const std::size_t end = found + word.size();
    const bool ends =
        end == text.size() || std::isalpha(static_cast<unsigned char>(text[end])) == 0;
    if (begins && ends) return axis;
  }
  return Axis::data;
}

class Joining {
 public:
  Joining(std::span<const RankTrace> traces, std::span<const int> ranks, int world_size)
      : traces_(traces), ranks_(ranks), world_size_(world_size) {}

  JobGroups joined() {
    for (std::size_t trace = 0; trace < traces_.size(); ++trace) {
      made_.of_rank.emplace_back();
      for (const ProcessGroup& group : traces_[trace].groups)
        made_.of_rank.back().push_back(group.ranks.empty() ? unnamed(group, ranks_[trace])
                                                           : known(group));
    }
    complete();
    if (std::any_of(traces_.begin(), traces_.end(), speaks_to_nobody)) {
      std::vector<int> all(static_cast<std::size_t>(world_size_));
      std::iota(all.begin(), all.end(), 0);
      made_.everybody = known({"all", "", all, world_size_});
    }
    return std::move(made_);
  }

 private:
  static bool speaks_to_nobody(const RankTrace& trace) {
    return std::any_of(trace.communications.begin(), trace.communications.end(),
                       [](const RecordedCommunication& each) { return each.group < 0; });
  }

  std::int32_t add(std::string name, std::vector<int> members, const ProcessGroup& of) {
    made_.groups.push_back({std::move(name), {}, std::move(members)});
    made_.axes.push_back(axis_of(of.description.empty() ? of.name : of.description));
    return static_cast<std::int32_t>(made_.groups.size()) - 1;
  }

  std::int32_t known(const ProcessGroup& group) {
    const auto [found, fresh] = by_ranks_.try_emplace(group.ranks, 0);
    if (fresh)
      found->second =
          add(group.description.empty() ? group.name : group.description, group.ranks, group);
    return found->second;
  }

  // Its members are whoever calls it so: a group of the size that is told where that fits.
  std::int32_t unnamed(const ProcessGroup& group, int rank) {
    if (group.size == world_size_ || (group.size == 0 && traces_.size() == 1)) {
      std::vector<int> all(static_cast<std::size_t>(world_size_));
      std::iota(all.begin(), all.end(), 0);
      ProcessGroup whole = group;
      whole.ranks = std::move(all);
      return known(whole);
    }
    const auto [found, fresh] = by_name_.try_emplace({group.name, group.size}, 0);
    if (fresh) {
      found->second = add(group.name, {}, group);
      made_.remarks.push_back({fmt::format(
          "No trace says which ranks group {} has: it is taken to have those whose traces name it, "
          "and others at even distances up to its size",
          group.name)});
    }
    std::vector<int>& members = made_.groups[static_cast<std::size_t>(found->second)].members;
    if (std::find(members.begin(), members.end(), rank) == members.end()) members.push_back(rank);
    return found->second;
  }

  // Of a group that is larger than the traces tell of it: ranks side by side for axes that stay
  // inside hosts, else evenly over the job.
  void complete() {
    for (const auto& [named, number] : by_name_) {
      std::vector<int>& members = made_.groups[static_cast<std::size_t>(number)].members;
      const int size = named.second;
      if (static_cast<int>(members.size()) >= size || size > world_size_) continue;
      const Axis axis = made_.axes[static_cast<std::size_t>(number)];
      const int stride =
          axis == Axis::tensor || axis == Axis::context ? 1 : std::max(1, world_size_ / size);
      const int first =
          stride == 1 ? members.front() - members.front() % size : members.front() % stride;
      for (int place = 0; place < size; ++place)
        if (const int rank = first + place * stride;
            rank < world_size_ && std::find(members.begin(), members.end(), rank) == members.end())
          members.push_back(rank);
      std::sort(members.begin(), members.end());
    }
  }

  std::span<const RankTrace> traces_;
  std::span<const int> ranks_;
  int world_size_;
  JobGroups made_;
  std::map<std::vector<int>, std::int32_t> by_ranks_;
  std::map<std::pair<std::string, int>, std::int32_t> by_name_;
};

}  // namespace

JobGroups job_groups(std::span<const RankTrace> traces, std::span<const int> ranks,
                     int world_size) {
  return Joining(traces, ranks, world_size).joined();
}

std::int32_t group_of(const JobGroups& groups, std::size_t trace, const RecordedCommunication& of) {
  return of.group < 0 ? groups.everybody
                      : groups.of_rank[trace][static_cast<std::size_t>(of.group)];
}

}  // namespace quintet
