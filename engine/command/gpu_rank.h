// One rank of a job, as a process with a GPU.
#pragma once

#include "engine/launch/rank_identity.h"
#include "engine/network/transport/transport.h"
#include "engine/train/training.h"

namespace quintet::engine {

// Opens the rank's GPU and what carries its data, trains, and takes leave of the others. Whatever
// fails has ended the job.
Result<TrainingEnd> train_on_gpu(const TrainingInputs& inputs, const TrainingOptions& options,
                                 const RankIdentity& identity, Transport& transport,
                                 const TrainingHooks& hooks);

}  // namespace quintet::engine
