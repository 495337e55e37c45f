// A step that a rank goes through alone before the first: it asks its device for everything that a
// step asks for, but nothing of other ranks. So products are tuned, modules loaded and memory is
// taken while nothing on the device waits for another rank; in a step any of these would wait
// behind it.
#pragma once

#include "engine/executor/rank_work.h"

namespace quintet::engine {

// What communication leaves where nobody communicates: numbers, not what lay there.
class AloneCommunicator final : public CommunicationBackend {
 public:
  explicit AloneCommunicator(Workplace& place) : place_(place) {}

  Ticket start(const CollectiveCall& work) override;
  Ticket send(const SendWork& work) override;
  Ticket receive(const ReceiveWork& work) override;
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                           Patience patience) override;
  bool queues_all() const override { return true; }
  void abort(const Error&) override {}

 private:
  Workplace& place_;
};

// Steps of the plan's sizes: each sequence is one document, which needs the most room. The first
// has full ones; where samples are of unequal length others follow, with micro-batches of each of
// the counts of tokens that there are (engine/operators/sized_batches.h).
std::vector<StepInput> rehearsal_inputs(const Model& model, const Parallelism& parallelism);

}  // namespace quintet::engine
