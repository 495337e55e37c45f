// What a run learns from: text or token shards, as numbered sequences.
#pragma once

#include "engine/executor/rank_work.h"
#include "engine/files/data/batch_sampler.h"
#include "engine/train/training_options.h"
#include "sim/base/result.h"
#include "sim/model/model.h"
#include "sim/plan/parallelism.h"

namespace quintet::engine {

// Refuses a vocabulary that is smaller than the tokenizer's, sequences longer than the model's
// positions, and files too short for one sequence.
Result<BatchSampler> read_training_data(const TrainingOptions& options, const Model& model,
                                        int sequence_length, const SamplerState& from);

// A replica's micro-batches of the sampler's step, and how many targets all replicas have.
Result<StepInput> step_input(const BatchSampler& sampler, const Model& model,
                             const Parallelism& parallelism, int replica);

}  // namespace quintet::engine
