#include "engine/executor/rehearsal.h"

namespace quintet::engine {

namespace {

Batch blank_batch(const Model& model, int sequences, int length) {
  Batch batch;
  batch.sequences = sequences;
  batch.length = length;
  const auto count = static_cast<std::size_t>(sequences) * static_cast<std::size_t>(length);
  batch.tokens.assign(count, 0);
  batch.targets.assign(count, 0);
  if (model.family == ModelFamily::bert) batch.types.assign(count, 0);
  for (int sequence = 0; sequence < sequences; ++sequence) {
    batch.starts.push_back(sequence * length);
    for (int place = 0; place < length; ++place) batch.positions.push_back(place);
  }
  batch.starts.push_back(sequences * length);
  return batch;
}

}  // namespace

// A rank alone would hold only its own part of what is gathered.
Ticket AloneCommunicator::start(const CollectiveCall& work) {
  if (work.kind == CollectiveKind::all_gather) place_.zero(work.buffer.data(), work.buffer.size());
  return {};
}

Ticket AloneCommunicator::send(const SendWork&) {
  return {};
}

Ticket AloneCommunicator::receive(const ReceiveWork& work) {
  place_.zero(work.message.data(), work.message.size());
  return {};
}

Result<std::vector<Completion>> AloneCommunicator::finished(std::span<const Ticket> tickets,
                                                            Patience) {
  std::vector<Completion> over;
  for (std::size_t place = 0; place < tickets.size(); ++place)
    over.push_back({place, Clock::now(), Clock::now()});
  return over;
}

StepInput rehearsal_input(const Model& model, const Parallelism& parallelism) {
  StepInput input;
  input.as_dealt = true;  // nobody else's samples come
  for (int micro = 0; micro < parallelism.micro_batches; ++micro)
    input.micro_batches.push_back(
        blank_batch(model, parallelism.micro_batch, parallelism.sequence_length));
  input.targets = static_cast<double>(global_batch(parallelism)) * parallelism.sequence_length;
  return input;
}

}  // namespace quintet::engine
