#include "engine/executor/rehearsal.h"

#include <algorithm>

#include "engine/operators/sized_batches.h"

namespace quintet::engine {

namespace {

// Tokens in documents as equal as they can be.
Batch blank_batch(const Model& model, const Parallelism& parallelism, int tokens, int documents) {
  Batch batch;
  batch.sequences = parallelism.micro_batch;
  batch.length = parallelism.sequence_length;
  const auto count = static_cast<std::size_t>(tokens);
  batch.tokens.assign(count, 0);
  batch.targets.assign(count, 0);
  if (model.family == ModelFamily::bert) batch.types.assign(count, 0);
  for (int document = 0; document < documents; ++document) {
    const int begin = tokens * document / documents, end = tokens * (document + 1) / documents;
    batch.starts.push_back(begin);
    for (int place = 0; place < end - begin; ++place) batch.positions.push_back(place);
  }
  batch.starts.push_back(tokens);
  return batch;
}

// Of one sequence some micro-batches are rounded up, which are two documents then.
std::vector<Batch> batches_of_all_counts(const Model& model, const Parallelism& parallelism) {
  const int sequences = parallelism.micro_batch;
  std::vector<Batch> all;
  for (const int count : counts_of_tokens(sequences, parallelism.sequence_length))
    all.push_back(blank_batch(model, parallelism, count, sequences));
  if (sequences == 1)
    all.push_back(blank_batch(model, parallelism, parallelism.sequence_length, 2));
  return all;
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

std::vector<StepInput> rehearsal_inputs(const Model& model, const Parallelism& parallelism) {
  const auto in_step = static_cast<std::size_t>(parallelism.micro_batches);
  const int full = parallelism.micro_batch * parallelism.sequence_length;
  StepInput input;
  input.as_dealt = true;  // nobody else's samples come
  input.targets = static_cast<double>(global_batch(parallelism)) * parallelism.sequence_length;
  input.micro_batches.assign(in_step,
                             blank_batch(model, parallelism, full, parallelism.micro_batch));
  std::vector<StepInput> inputs{input};
  if (!parallelism.samples.vary()) return inputs;
  const std::vector<Batch> all = batches_of_all_counts(model, parallelism);
  for (std::size_t next = 0; next < all.size(); next += in_step) {
    for (std::size_t micro = 0; micro < in_step; ++micro)
      input.micro_batches[micro] = all[std::min(next + micro, all.size() - 1)];
    inputs.push_back(input);
  }
  return inputs;
}

}  // namespace quintet::engine
