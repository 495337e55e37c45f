#include "sim/search/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "sim/plan/problems/problems.h"
#include "sim/search/drafting.h"
#include "sim/search/inner_lists.h"
#include "sim/search/search_fields.h"

namespace quintet {
namespace {

constexpr std::uint64_t most_combinations = std::uint64_t{1} << 22;  // of a part
constexpr std::uint64_t most_candidates = 1'000'000'000'000;

// Of dimensions before the first that no longer says degrees.
std::uint64_t combinations_per_degrees(const PartSpace& layer1) {
  std::uint64_t inside = 1;
  for (const Dimension* const dimension : layer1.dimensions)
    if (dimension->field->path != "parallelism.tensor" &&
        dimension->field->path != "parallelism.pipeline")
      inside *= dimension->choices.size();
  return inside;
}

std::optional<Error> too_many(const Space& space) {
  for (int part = 0; part < search_part_count; ++part) {
    const PartSpace own = part_of(space, static_cast<SearchPart>(part));
    if (own.size <= most_combinations) continue;
    const auto most = std::max_element(own.dimensions.begin(), own.dimensions.end(),
                                       [](const auto* left, const auto* right) {
                                         return left->choices.size() < right->choices.size();
                                       });
    return Error{std::string((*most)->field->path),
                 fmt::format("has {} values: with the other fields of its layer more than {} "
                             "combinations; give fewer values, or fix a field by --fix FIELD=VALUE",
                             (*most)->choices.size(), most_combinations)};
  }
  return std::nullopt;
}

bool data_fills(const PartSpace& layer1, const ChoiceNumbers& digits, Draft& draft) {
  for (std::size_t i = 0; i < digits.size(); ++i)
    layer1.dimensions[i]->field->take(draft, layer1.dimensions[i]->choices[digits[i]].sample);
  const Parallelism& parallelism = draft.plan.parallelism;
  const std::int64_t others = std::int64_t{parallelism.tensor} * parallelism.pipeline;
  return others <= draft.machine.ranks && draft.machine.ranks % others == 0;
}

// Positions in a part's list, times `stride`, of which one has each choice of the field.
std::vector<std::uint64_t> unlike(const PartSpace& part, const std::vector<std::uint32_t>& list,
                                  std::uint64_t stride, std::string_view path) {
  std::uint64_t inside = 1, choices = 1;
  for (std::size_t i = part.dimensions.size(); i-- > 0;) {
    choices = part.dimensions[i]->choices.size();
    if (part.dimensions[i]->field->path == path) break;
    inside *= choices;
    choices = 1;
  }
  std::vector<std::uint64_t> found;
  std::vector<bool> seen(choices);
  for (std::size_t at = 0; at < list.size() && found.size() < choices; ++at) {
    const std::uint64_t choice = list[at] / inside % choices;
    if (!seen[choice]) found.push_back(at * stride);
    seen[choice] = true;
  }
  return found;
}

}  // namespace

MachineSize size_of(const Topology& topology) {
  const auto hosts = static_cast<int>(topology.hosts.size());
  const auto ranks = static_cast<int>(rank_slots(topology).size());
  return {hosts, ranks, static_cast<int>(topology.hosts.front().gpus.size())};
}

// Layer 1's choices on one machine, in chunks that begin with other degrees.
class CandidateCounter {
 public:
  CandidateCounter(Candidates& all, std::uint32_t machine)
      : all_(all), machine_(machine), layer1_(part_of(all.space_, SearchPart::parallelism)) {}

  void count() {
    const std::uint64_t step = combinations_per_degrees(layer1_);
    for (std::uint64_t begin = 0; begin < layer1_.size; begin += step) {
      Draft draft = fresh();
      if (!data_fills(layer1_, digits_of(layer1_, begin), draft)) continue;
      for (std::uint64_t index = begin; index < begin + step; ++index) add(index);
    }
  }

 private:
  Draft fresh() const {
    Draft draft = all_.space_.base;
    draft.machine = all_.sizes_[machine_];
    return draft;
  }

  void add(std::uint64_t index) {
    const SearchMachine& machine = all_.machines_[machine_];
    Draft draft = fresh();
    if (!draft_part(layer1_, digits_of(layer1_, index), *all_.model_, draft)) return;
    if (!layer1_can_be(draft, *all_.model_, machine.topology)) return;
    const auto [at, is_new] =
        kinds_.try_emplace(InnerKind::of(all_.space_, draft), all_.inner_.size());
    if (is_new)
      all_.inner_.push_back(inner_lists(all_.space_, *all_.model_, machine.topology, draft));
    const std::uint64_t leaves = all_.inner_[at->second].size();
    if (leaves == 0) return;
    all_.groups_.push_back(
        {machine_, static_cast<std::uint32_t>(at->second), index, leaves, all_.count_});
    all_.count_ += leaves;
  }

  Candidates& all_;
  std::uint32_t machine_;
  PartSpace layer1_;
  std::map<InnerKind, std::size_t> kinds_;
};

Candidates::Candidates(const Model& model, Space space, std::vector<SearchMachine> machines)
    : model_(&model),
      space_(std::move(space)),
      machines_(std::move(machines)),
      numbering_(space_, machines_.size()) {
  for (const SearchMachine& machine : machines_) sizes_.push_back(size_of(machine.topology));
  for (int part = 0; part < search_part_count; ++part)
    parts_[static_cast<std::size_t>(part)] = part_of(space_, static_cast<SearchPart>(part));
}

// Why nothing can be, told by what many plans of the space lack.
Error Candidates::none() const {
  constexpr std::uint64_t looked_at = 500;
  std::map<std::string, std::pair<std::size_t, std::string>> reasons;  // by field
  const PartSpace& layer1 = parts_[0];
  const std::uint64_t count = std::min(looked_at, layer1.size);
  for (std::uint64_t i = 0; i < count; ++i) {
    Draft draft = space_.base;
    draft.machine = sizes_.front();
    draft_part(layer1, digits_of(layer1, layer1.size / count * i), *model_, draft);
    for (const Problem& problem : problems(draft.plan, *model_, machines_.front().topology)) {
      auto& [times, text] = reasons[problem.field];
      if (++times > 1) continue;
      text = problem.field + ": " + problem.reason +
             (problem.remedy.empty() ? "" : "; " + problem.remedy);
    }
  }
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const auto& [field, reason] : reasons) sorted.push_back(reason);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  std::string text =
      "none of the plans asked for can be: degrees must fill the machine and divide the model, and "
      "the global batch must be dealt evenly. What most of them lack:";
  for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 3); ++i)
    text += "\n  " + sorted[i].second;
  return {"", text};
}

Result<Candidates> Candidates::of(const Model& model, Space space,
                                  std::vector<SearchMachine> machines) {
  if (const auto error = too_many(space)) return *error;
  Candidates all(model, std::move(space), std::move(machines));
  for (std::uint32_t machine = 0; machine < all.machines_.size(); ++machine)
    CandidateCounter(all, machine).count();
  if (all.count_ == 0) return all.none();
  if (all.count_ > most_candidates || all.numbering_.size() >= std::uint64_t{1} << 62)
    return Error{"",
                 fmt::format("the space has {} candidates, and at most {} can be searched: give "
                             "fewer values, or fix fields by --fix FIELD=VALUE",
                             all.count_, most_candidates)};
  return all;
}

Draft Candidates::draft_of(const CandidateGroup& group) const {
  Draft draft = space_.base;
  draft.machine = sizes_[group.machine];
  draft_part(parts_[0], digits_of(parts_[0], group.layer1), *model_, draft);
  return draft;
}

CandidateIndices Candidates::indices_of(const CandidateGroup& group, std::uint64_t leaf) const {
  const InnerLists& lists = inner_[group.inner];
  const std::uint64_t ccl = leaf % lists.ccl.size(), rest = leaf / lists.ccl.size();
  const std::uint64_t inside = rest % lists.intra_inter.size();
  return {group.machine,
          {group.layer1, lists.fabric[rest / lists.intra_inter.size()], lists.intra_inter[inside],
           lists.ccl[ccl]}};
}

void Candidates::take_leaf(const CandidateGroup& group, std::uint64_t leaf, Draft& draft) const {
  const CandidateIndices indices = indices_of(group, leaf);
  draft.plan.network = space_.base.plan.network;
  draft.plan.host_net = space_.base.plan.host_net;
  draft.plan.intra_inter = space_.base.plan.intra_inter;
  draft.plan.ccl = space_.base.plan.ccl;
  for (std::size_t part = 1; part < parts_.size(); ++part)
    draft_part(parts_[part], digits_of(parts_[part], indices.parts[part]), *model_, draft);
}

std::uint64_t Candidates::number_of(const CandidateGroup& group, std::uint64_t leaf) const {
  return numbering_.number_of(indices_of(group, leaf));
}

std::vector<std::uint64_t> Candidates::unlike_in_bucket(const CandidateGroup& group) const {
  const InnerLists& lists = inner_[group.inner];
  return unlike(parts_[static_cast<std::size_t>(SearchPart::ccl)], lists.ccl, 1, "ccl.bucket");
}

std::vector<std::uint64_t> Candidates::unlike_in_launch(const CandidateGroup& group) const {
  const InnerLists& lists = inner_[group.inner];
  return unlike(parts_[static_cast<std::size_t>(SearchPart::fabric)], lists.fabric,
                std::uint64_t{lists.intra_inter.size()} * lists.ccl.size(), "host_net.launch");
}

int Candidates::machine_of(std::uint64_t number) const {
  return static_cast<int>(numbering_.indices_of(number).machine);
}

Result<Draft> Candidates::draft_of(std::uint64_t number) const {
  const Error none{"candidate " + std::to_string(number), "is none of the space"};
  if (number >= numbering_.size()) return none;
  const CandidateIndices indices = numbering_.indices_of(number);
  Draft draft = space_.base;
  draft.machine = sizes_[indices.machine];
  for (std::size_t part = 0; part < parts_.size(); ++part)
    if (!draft_part(parts_[part], digits_of(parts_[part], indices.parts[part]), *model_, draft))
      return none;
  const Topology& topology = machines_[indices.machine].topology;
  if (!layer1_can_be(draft, *model_, topology) || !ccl_can_be(draft, *model_, topology) ||
      !intra_inter_can_be(draft) || !fabric_can_be(draft, topology))
    return none;
  return draft;
}

std::vector<std::string> Candidates::choices_of(std::uint64_t number) const {
  const CandidateIndices indices = numbering_.indices_of(number);
  const Result<Draft> draft = draft_of(number);
  std::vector<std::string> texts;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const ChoiceNumbers chosen = digits_of(parts_[part], indices.parts[part]);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Dimension& dimension = *parts_[part].dimensions[i];
      const bool idle = draft && dimension.field->matters && !dimension.field->matters(*draft);
      texts.push_back(idle ? "" : dimension.choices[chosen[i]].text);
    }
  }
  return texts;
}

}  // namespace quintet
