#include "gui/pages/topology/part_facts.h"

#include <algorithm>

#include "gui/models/link_table.h"
#include "sim/topology/describe/readable.h"

namespace quintet::gui {

namespace {

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

QString percent(double share) {
  return QString("%1 %").arg(share * 100, 0, 'f', 2);
}

const char* const utilisation_meaning =
    "carried / (rate that is left x time shown); carried counts payload";

std::vector<Fact> facts_of_device(const FabricPicture& picture, DeviceId id) {
  const Topology& built = picture.machine->built;
  const Device& device = built.device(id);
  std::vector<Fact> facts{{"Kind", QString::fromUtf8(name_of(device.kind).data()), {}},
                          {"Part", text_of(built.parts[device.part.index()].name),
                           text_of(built.parts[device.part.index()].source)}};
  LinkId busiest;
  int cables = 0;
  for (const LinkId link : built.outgoing[id.index()]) {
    ++cables;
    for (const LinkId way : {link, LinkId{link.value ^ 1}})
      if (!busiest.valid() ||
          picture.states[way.index()].utilisation > picture.states[busiest.index()].utilisation)
        busiest = way;
  }
  facts.push_back({"Links", QString::number(cables), "cables and buses that end here"});
  if (!busiest.valid() || !picture.loaded) return facts;
  const LinkState& state = picture.states[busiest.index()];
  facts.push_back({"Busiest link", percent(state.utilisation), utilisation_meaning});
  facts.push_back({"", text_of(cable_name(built, busiest)), {}});
  return facts;
}

// Of all parallel cables that way: the busiest, and what they carry together.
Fact fact_of_direction(const FabricPicture& picture, const NamedPlace& place, DeviceId end) {
  const Topology& built = picture.machine->built;
  double worst = 0;
  Bytes bytes;
  for (const LinkId way : place.cables) {
    if (built.link(way).to != end) continue;
    worst = std::max(worst, picture.states[way.index()].utilisation);
    bytes += Bytes{picture.states[way.index()].bytes};
  }
  return {"To " + text_of(built.device(end).name), percent(worst) + ", " + text_of(readable(bytes)),
          utilisation_meaning};
}

void add_users(std::vector<Fact>& facts, const FabricPicture& picture, LinkId link,
               const Outcome& outcome, const TimeRange& range) {
  const std::vector<LinkId> left = links_left(picture.machine->built, outcome.topology());
  if (!left[link.index()].valid()) return;
  const Prediction& prediction = outcome.prediction();
  const std::int32_t load = prediction.load_of_link[left[link.index()].index()];
  if (load < 0) return;
  for (const AxisBytes& user : bytes_by_axis(prediction.traffic, load, range.from, range.to)) {
    const std::string_view axis = user.axis ? name_of(*user.axis) : "copies to hosts";
    facts.push_back({"Used by",
                     QString::fromUtf8(axis.data(), static_cast<int>(axis.size())) + ": " +
                         text_of(readable(Bytes{user.bytes})),
                     "communication of this axis of the plan, in the busier direction"});
  }
}

}  // namespace

std::vector<Fact> facts_of_box(const FabricPicture& picture, int number) {
  const Box& box = picture.layout.boxes[static_cast<std::size_t>(number)];
  const Part& part = picture.machine->tree.parts[static_cast<std::size_t>(box.part)];
  std::vector<Fact> facts;
  if (!part.count.empty()) facts.push_back({"Holds", text_of(part.count), {}});
  if (part.device.valid()) {
    const std::vector<Fact> own = facts_of_device(picture, part.device);
    facts.insert(facts.end(), own.begin(), own.end());
    return facts;
  }
  const LoadSum& sum = picture.sums.boxes[static_cast<std::size_t>(number)];
  if (box.open || sum.links == 0 || !picture.loaded) return facts;
  facts.push_back({"Links inside", QString::number(sum.links), "each direction counted"});
  facts.push_back({"Busiest", percent(sum.worst), utilisation_meaning});
  facts.push_back({"Mean", percent(sum.mean), "over all links inside"});
  facts.push_back({"", text_of(cable_name(picture.machine->built, sum.busiest)), {}});
  return facts;
}

std::vector<Fact> facts_of_cable(const FabricPicture& picture, const NamedPlace& place,
                                 const Outcome* outcome, const std::optional<TimeRange>& range) {
  const Topology& built = picture.machine->built;
  const LinkId busiest =
      *std::max_element(place.cables.begin(), place.cables.end(), [&](LinkId one, LinkId other) {
        return picture.states[one.index()].utilisation < picture.states[other.index()].utilisation;
      });
  const Link& link = built.link(busiest);
  const LinkState& state = picture.states[busiest.index()];
  std::vector<Fact> facts{{"Joins", tier_text(built, busiest), {}},
                          {"Part", text_of(built.parts[link.part.index()].name),
                           text_of(built.parts[link.part.index()].source)}};
  const int cables = static_cast<int>(place.cables.size()) / 2;
  if (cables > 1) facts.push_back({"Cables", QString("%1 in parallel").arg(cables), {}});
  QString rate = text_of(readable(state.rate));
  if (state.rate != link.bandwidth) rate += " of " + text_of(readable(link.bandwidth));
  facts.push_back({"Rate", rate, "of the wire and one direction"});
  facts.push_back({"Latency", text_of(readable(state.latency)), "one way"});
  if (state.trouble == LinkTrouble::failed) facts.push_back({"State", "failed", {}});
  if (!picture.loaded) return facts;
  for (const DeviceId end : {link.from, link.to})
    facts.push_back(fact_of_direction(picture, place, end));
  if (outcome != nullptr && outcome->predicted())
    add_users(facts, picture, busiest, *outcome,
              range.value_or(TimeRange{{}, outcome->prediction().timeline.end}));
  return facts;
}

}  // namespace quintet::gui
