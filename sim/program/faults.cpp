#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/program/groups.h"
#include "sim/program/program.h"

namespace quintet {

namespace {

// What a Send and its Receive have in common; the offset is the sender's.
struct Tag {
  int receiving_stage = 0;
  Axis axis = Axis::pipeline;
  int offset = 1;
  Payload payload = Payload::activation;
  int micro_batch = -1;
  int chunk = 0;
  auto operator<=>(const Tag&) const = default;
};

// The two sides of one tag.
struct Sides {
  int sends = 0, receives = 0;
  std::set<double> sizes;
};

class Inspector {
 public:
  explicit Inspector(const Program& program) : program_(program) {}

  std::vector<std::string> inspect() {
    for (const Communicator& communicator : program_.communicators)
      inspect_communicator(communicator);
    for (const Body& body : program_.bodies) inspect_body(body);
    const auto dealt = program_.dealt.of_rank.size();
    if (dealt > 0 && dealt != static_cast<std::size_t>(size_of(program_.grid, Axis::data)))
      complain(fmt::format("samples are dealt to {} replicas", dealt));
    if (program_.roles.size() != static_cast<std::size_t>(stages()))
      complain(fmt::format("there are {} roles for {} pipeline stages", program_.roles.size(),
                           stages()));
    if (faults_.empty())
      for (const Role& role : program_.roles) inspect_script(role);
    if (!faults_.empty()) return faults_;  // what follows looks inside bodies
    for (const auto& [tag, sides] : messages_) inspect_message(tag, sides);
    for (std::size_t index = 0; index < program_.communicators.size(); ++index)
      compare_uses(id_at<CommunicatorId>(index));
    return faults_;
  }

 private:
  int stages() const { return size_of(program_.grid, Axis::pipeline); }
  void complain(std::string fault) { faults_.push_back(std::move(fault)); }

  // Parts that do not divide their axis would leave ranks in groups that overlap.
  void inspect_communicator(const Communicator& communicator) {
    const std::string place = "communicator \"" + communicator.name + "\": ";
    if (communicator.parts.empty()) complain(place + "it has no part");
    for (const AxisPart& part : communicator.parts) {
      const int size = size_of(program_.grid, part.axis);
      if (part.stride < 1 || part.size < 0 || size % (part.stride * std::max(part.size, 1)) != 0)
        complain(place + "its part does not divide the " + std::string(name_of(part.axis)) +
                 " axis");
    }
    for (const int stage : communicator.stages)
      if (stage < 0 || stage >= stages())
        complain(fmt::format("{}stage {} does not exist", place, stage));
    if (!stands_beside_its_other_level(communicator))
      complain(place + "its other level is no communicator of the other level");
  }

  bool stands_beside_its_other_level(const Communicator& communicator) const {
    const CommunicatorId beside = communicator.other_level;
    if (communicator.level == HostLevel::whole) return !beside.valid();
    if (beside.index() >= program_.communicators.size()) return false;
    const HostLevel other = program_.communicators[beside.index()].level;
    return other != HostLevel::whole && other != communicator.level;
  }

  void inspect_body(const Body& body) {
    if (body.instructions.empty()) complain("body \"" + body.name + "\" has no instruction");
    for (std::size_t index = 0; index < body.instructions.size(); ++index) {
      const Instruction& instruction = body.instructions[index];
      const std::string place = fmt::format("body \"{}\" instruction {}: ", body.name, index);
      if (instruction.lane.index() >= program_.lanes.size())
        complain(place + "its lane does not exist");
      inspect_after(place, instruction.after, index, "instruction");
      if (const auto* collective = std::get_if<Collective>(&instruction.action);
          collective && collective->communicator.index() >= program_.communicators.size())
        complain(place + "its communicator does not exist");
    }
  }

  void inspect_after(const std::string& place, const std::vector<int>& after, std::size_t index,
                     const char* what) {
    for (const int earlier : after)
      if (earlier < 0 || earlier >= static_cast<int>(index))
        complain(fmt::format("{}`after` {} is not an earlier {}", place, earlier, what));
  }

  void inspect_script(const Role& role) {
    for (std::size_t index = 0; index < role.script.calls.size(); ++index) {
      const Call& call = role.script.calls[index];
      const std::string place = fmt::format("{} call {}: ", role.name, index);
      if (call.body.index() >= program_.bodies.size()) {
        complain(place + "its body does not exist");
        continue;
      }
      if (call.layers < 1) complain(place + "it runs its body less than once");
      if (call.every < 1) complain(place + "is in no step");
      inspect_elements(place, call);
      inspect_after(place, call.after, index, "call");
      for (const Instruction& instruction : program_.bodies[call.body.index()].instructions)
        count_message(role, call, instruction.action);
    }
  }

  void inspect_elements(const std::string& place, const Call& call) {
    std::int64_t after = 0;
    for (const ElementRange& range : call.elements) {
      if (range.begin < after || range.end < range.begin)
        complain(place + "its elements do not ascend");
      after = range.end;
      if (call.layers > 1 && (call.elements.size() > 1 || range.count() % call.layers != 0))
        complain(place + "its iterations do not get equal parts of its elements");
    }
  }

  void count_message(const Role& role, const Call& call, const Action& action) {
    if (const auto* send = std::get_if<Send>(&action)) {
      const int moved = send->axis == Axis::pipeline ? send->offset : 0;
      const int receiver = ((role.stage + moved) % stages() + stages()) % stages();
      Sides& sides = messages_[{receiver, send->axis, send->offset, send->payload, call.micro_batch,
                                send->chunk}];
      sides.sends += call.layers;
      sides.sizes.insert(send->size.value);
    } else if (const auto* receive = std::get_if<Receive>(&action)) {
      Sides& sides = messages_[{role.stage, receive->axis, -receive->offset, receive->payload,
                                call.micro_batch, receive->chunk}];
      sides.receives += call.layers;
      sides.sizes.insert(receive->size.value);
    }
  }

  void inspect_message(const Tag& tag, const Sides& sides) {
    const std::string place =
        fmt::format("stage {} micro-batch {}: ", tag.receiving_stage, tag.micro_batch);
    if (sides.sends > sides.receives) complain(place + "a send that no receive matches");
    if (sides.sends < sides.receives) complain(place + "a receive that no send matches");
    if (sides.sends == sides.receives && sides.sends > 1)
      complain(fmt::format("{}one message is sent {} times", place, sides.sends));
    if (sides.sizes.size() > 1) complain(place + "a receive of another size than its send");
  }

  // The collectives of one communicator in the order in which a role uses them.
  std::vector<Collective> uses(const Role& role, CommunicatorId communicator) const {
    std::vector<Collective> found;
    for (const Call& call : role.script.calls) {
      std::vector<Collective> once;
      for (const Instruction& instruction : program_.bodies[call.body.index()].instructions)
        if (const auto* collective = std::get_if<Collective>(&instruction.action);
            collective && collective->communicator == communicator)
          once.push_back(*collective);
      for (int iteration = 0; iteration < call.layers && !once.empty(); ++iteration)
        found.insert(found.end(), once.begin(), once.end());
    }
    return found;
  }

  // Stages that share a group must use it alike; stages outside must not use it.
  void compare_uses(CommunicatorId id) {
    const Communicator& communicator = program_.communicators[id.index()];
    const auto spans_stages = [](const AxisPart& part) { return part.axis == Axis::pipeline; };
    if (std::none_of(communicator.parts.begin(), communicator.parts.end(), spans_stages)) return;
    const std::string place = "communicator \"" + communicator.name + "\": ";
    std::vector<std::vector<Collective>> used;
    for (const Role& role : program_.roles) used.push_back(uses(role, id));
    const Rank origin{0};
    for (int stage = 0; stage < stages(); ++stage) {
      const Rank rank = neighbour(program_.grid, origin, Axis::pipeline, stage);
      const std::vector<Rank> group = group_of(program_.grid, communicator, rank);
      const auto& own = used[static_cast<std::size_t>(stage)];
      const std::string name = fmt::format("stage {}", stage);
      if (group.empty()) {
        if (!own.empty()) complain(place + name + " uses it but takes no part");
        continue;
      }
      if (own != used[role_of(program_.grid, group.front()).index()])
        complain(place + name + " uses it otherwise than the first stage of its group");
    }
  }

  const Program& program_;
  std::vector<std::string> faults_;
  std::map<Tag, Sides> messages_;
};

}  // namespace

std::vector<std::string> faults(const Program& program) {
  return Inspector(program).inspect();
}

}  // namespace quintet
