// What of a part tree is open.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "gui/topology/part_tree.h"

namespace quintet::gui {

std::vector<bool> first_unfolded(const PartTree& tree, int most) {
  std::vector<bool> unfolded(tree.parts.size(), false);
  const auto hosts = std::count_if(tree.parts.begin(), tree.parts.end(),
                                   [](const Part& part) { return part.kind == PartKind::host; });
  constexpr int most_open_hosts = 2;
  const auto opens = [&](const Part& part) {
    return !part.children.empty() && (part.kind != PartKind::host || hosts <= most_open_hosts);
  };
  std::vector<int> level{0};
  int boxes = 1;
  while (!level.empty()) {
    // What opening all of a kind would add: it is opened altogether or not at all.
    std::map<PartKind, int> more;
    for (const int part : level)
      if (const Part& each = tree.parts[static_cast<std::size_t>(part)]; opens(each))
        more[each.kind] += static_cast<int>(each.children.size()) - 1;
    std::set<PartKind> opened;
    for (const auto& [kind, count] : more) {
      if (boxes + count > most) continue;
      boxes += count;
      opened.insert(kind);
    }
    std::vector<int> next;
    for (const int part : level) {
      const Part& each = tree.parts[static_cast<std::size_t>(part)];
      if (!opens(each) || !opened.contains(each.kind)) continue;
      unfolded[static_cast<std::size_t>(part)] = true;
      next.insert(next.end(), each.children.begin(), each.children.end());
    }
    level = std::move(next);
  }
  unfolded[0] = true;
  return unfolded;
}

std::vector<bool> unfolded_alike(const PartTree& old, const std::vector<bool>& unfolded,
                                 const PartTree& tree, std::vector<bool> otherwise) {
  std::unordered_map<std::string, bool> known;
  for (std::size_t part = 0; part < old.parts.size(); ++part)
    if (!old.parts[part].children.empty()) known.emplace(old.parts[part].name, unfolded[part]);
  for (std::size_t part = 1; part < tree.parts.size(); ++part)
    if (const auto found = known.find(tree.parts[part].name); found != known.end())
      otherwise[part] = found->second;
  return otherwise;
}

std::vector<bool> unfolded_down_to(const PartTree& tree, std::vector<bool> unfolded, int part) {
  for (int above = tree.parts[static_cast<std::size_t>(part)].parent; above >= 0;
       above = tree.parts[static_cast<std::size_t>(above)].parent)
    unfolded[static_cast<std::size_t>(above)] = true;
  return unfolded;
}

std::vector<int> shown_parts(const PartTree& tree, const std::vector<bool>& unfolded) {
  std::vector<int> shown(tree.parts.size());
  for (std::size_t part = 0; part < tree.parts.size(); ++part) {
    const int above = tree.parts[part].parent;
    const bool open = above < 0 || (unfolded[static_cast<std::size_t>(above)] &&
                                    shown[static_cast<std::size_t>(above)] == above);
    shown[part] = open ? static_cast<int>(part) : shown[static_cast<std::size_t>(above)];
  }
  std::vector<int> of_device;
  of_device.reserve(tree.part_of_device.size());
  for (const int part : tree.part_of_device)
    of_device.push_back(part < 0 ? 0 : shown[static_cast<std::size_t>(part)]);
  return of_device;
}

}  // namespace quintet::gui
