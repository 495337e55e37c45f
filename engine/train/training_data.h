// What a run learns from: text or token shards, as numbered sequences.
#pragma once

#include <optional>

#include "engine/executor/rank_work.h"
#include "engine/files/data/batch_sampler.h"
#include "engine/train/training_options.h"
#include "sim/base/result.h"
#include "sim/model/model.h"
#include "sim/plan/parallelism.h"

namespace quintet::engine {

// Windows of the plan's sequence_length, or, where its samples vary, documents as it draws them.
// Refuses a vocabulary that is smaller than the tokenizer's, sequences longer than the model's
// positions, files too short for one sequence, and bins of lengths that no document has.
Result<BatchSampler> read_training_data(const TrainingOptions& options, const Model& model,
                                        const Parallelism& parallelism, const SamplerState& from);

// The sequences that are kept aside, in the order of the files: of files of their own, or the last
// ones of the training data, which then has no part in them. Refuses the same, and a share that
// leaves either without a sequence.
Result<BatchSampler> read_validation_data(const TrainingOptions& options, const Model& model,
                                          int sequence_length);

// What of the data, and of that which is kept aside, can be known before the first step: the same,
// and that no token lies outside of the model's vocabulary (of the first 2^30; others are looked at
// when they are taken).
std::optional<Error> check_data(const TrainingOptions& options, const Model& model,
                                const Parallelism& parallelism);

// A replica's micro-batches of the sampler's step, and how many targets all replicas have.
Result<StepInput> step_input(const BatchSampler& sampler, const Model& model,
                             const Parallelism& parallelism, int replica);

}  // namespace quintet::engine
