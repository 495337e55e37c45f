#include "calibrate/ranks/nccl_groups.h"

#include <algorithm>

#include "calibrate/ranks/rank_tasks.h"

namespace quintet::calibrate {

NcclGroups::~NcclGroups() {
  std::vector<std::unique_ptr<engine::NcclGroup>> open;
  for (Known& known : known_)
    if (known.group) open.push_back(std::move(known.group));
  engine::NcclGroup::abort(open);
}

std::optional<Error> NcclGroups::touch(const Members& members, const NcclChoice& choice) {
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) {
    return known.members == members && known.choice == choice;
  });
  if (found != known_.end()) {
    known_.splice(known_.end(), known_, found);
    return std::nullopt;
  }
  known_.push_back({members, choice, nullptr});
  if (known_.size() <= most_) return std::nullopt;
  const Known oldest = std::move(known_.front());
  known_.pop_front();
  return oldest.group ? oldest.group->close() : std::nullopt;
}

Result<engine::NcclGroup*> NcclGroups::touched() {
  Known& known = known_.back();
  if (known.group || !is_member(known.members, job_.peers.rank().value)) return known.group.get();
  std::vector<Rank> ranks;
  for (int place = 0; place < known.members.count; ++place)
    ranks.push_back(Rank{known.members.first + place * known.members.stride});
  auto opened = engine::NcclGroup::open(job_, ranks, rules_of(known.members, known.choice));
  if (!opened) return opened.error();
  known.group = *std::move(opened);
  return known.group.get();
}

std::optional<Error> NcclGroups::close() {
  for (; !known_.empty(); known_.pop_front())
    if (known_.front().group)
      if (auto wrong = known_.front().group->close()) return wrong;
  return std::nullopt;
}

}  // namespace quintet::calibrate
