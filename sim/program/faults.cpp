#include <algorithm>
#include <map>
#include <tuple>

#include "sim/program/groups.h"
#include "sim/program/program.h"

namespace quintet {

namespace {

// A message as both sides must see it: receiving stage, payload, micro-batch, chunk, bytes.
using Message = std::tuple<int, Payload, int, int, double>;

class Inspector {
 public:
  explicit Inspector(const Program& program) : program_(program) {}

  std::vector<std::string> inspect() {
    for (const Body& body : program_.bodies) inspect_body(body);
    if (program_.roles.size() != static_cast<std::size_t>(stages()))
      complain("there are " + std::to_string(program_.roles.size()) + " roles for " +
               std::to_string(stages()) + " pipeline stages");
    if (faults_.empty())
      for (const Role& role : program_.roles) inspect_script(role);
    for (const auto& [message, balance] : messages_)
      if (balance != 0)
        complain(
            "stage " + std::to_string(std::get<0>(message)) + " micro-batch " +
            std::to_string(std::get<2>(message)) + ": " +
            (balance > 0 ? "a send that no receive matches" : "a receive that no send matches"));
    return faults_;
  }

 private:
  int stages() const { return size_of(program_.grid, Axis::pipeline); }
  void complain(std::string fault) { faults_.push_back(std::move(fault)); }

  void inspect_body(const Body& body) {
    if (body.instructions.empty()) complain("body \"" + body.name + "\" has no instruction");
    for (std::size_t index = 0; index < body.instructions.size(); ++index) {
      const Instruction& instruction = body.instructions[index];
      const std::string place =
          "body \"" + body.name + "\" instruction " + std::to_string(index) + ": ";
      if (instruction.lane.index() >= program_.lanes.size())
        complain(place + "its lane does not exist");
      for (const int earlier : instruction.after)
        if (earlier < 0 || earlier >= static_cast<int>(index))
          complain(place + "`after` " + std::to_string(earlier) + " is not an earlier instruction");
      if (const auto* collective = std::get_if<Collective>(&instruction.action);
          collective && collective->communicator.index() >= program_.communicators.size())
        complain(place + "its communicator does not exist");
    }
  }

  void inspect_script(const Role& role) {
    for (std::size_t index = 0; index < role.script.calls.size(); ++index) {
      const Call& call = role.script.calls[index];
      const std::string place = role.name + " call " + std::to_string(index) + ": ";
      if (call.body.index() >= program_.bodies.size()) {
        complain(place + "its body does not exist");
        continue;
      }
      if (call.layers < 1) complain(place + "it runs its body less than once");
      for (const int earlier : call.after)
        if (earlier < 0 || earlier >= static_cast<int>(index))
          complain(place + "`after` " + std::to_string(earlier) + " is not an earlier call");
      for (const Instruction& instruction : program_.bodies[call.body.index()].instructions)
        count_message(role, call, instruction.action);
    }
  }

  void count_message(const Role& role, const Call& call, const Action& action) {
    if (const auto* send = std::get_if<Send>(&action)) {
      const int receiver = ((role.stage + send->offset) % stages() + stages()) % stages();
      messages_[{receiver, send->payload, call.micro_batch, send->chunk, send->size.value}] +=
          call.layers;
    } else if (const auto* receive = std::get_if<Receive>(&action)) {
      messages_[{role.stage, receive->payload, call.micro_batch, receive->chunk,
                 receive->size.value}] -= call.layers;
    }
  }

  const Program& program_;
  std::vector<std::string> faults_;
  std::map<Message, int> messages_;
};

}  // namespace

std::vector<std::string> faults(const Program& program) {
  return Inspector(program).inspect();
}

}  // namespace quintet
