// Model + Plan -> Program: who computes what, in which order, and what must be exchanged (layer 1,
// consequences). Pure: equal inputs give an equal Program. Collectives are flat here; intra_inter
// cuts them into phases afterwards.
//
// What is built, and after whom:
//   layer bodies     Megatron-LM (arXiv 1909.08053, 2205.05198): tensor-axis collectives around the
//   two blocks; in
//                    backward the reduction of an input gradient runs under the weight-gradient
//                    GEMM, and sequence parallelism gathers the GEMM's input again under the
//                    input-gradient GEMM
//   stage order      pipeline_order.h
//   gradients        buckets of whole layers from the last layer on, sent as soon as the pass that
//   completes them ends
//                    (ccl.overlap_gradients), or all after the last backward
//   sharding         optimizer, gradients: reduce-scatter, update of a share, all-gather of weights
//   (under the next
//                    step's first forward when ccl.overlap_parameters: then it stands at the start
//                    of the step); parameters: weights of a layer gathered before its forward and
//                    its backward, gradients scattered after, per micro-batch (FSDP)
//   update           norms of sequence-parallel ranks and tied embeddings summed, global norm,
//   clip, optimizer
//   samples          of unequal length, presorted (arXiv 2402.02447): before the first forward
//   every rank gathers those of its
//                    group and takes its own: sim/plan/sample_format.h
//   offload          of the optimizer's state: state_stream.h. Of activations: a recomputed layer's
//   input is copied to
//                    the host's memory under the rest of its forward, before the next layer begins;
//                    each layer's backward fetches the input of the one that comes after it, and
//                    the first of a pass is fetched as soon as the copies before it are done, under
//                    what the pass waits for
#pragma once

#include "sim/model/layer_operators.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"

namespace quintet {

// Compute from operators, or from the profiled times of whole stages (CostTable::stages).
enum class WorkSource { operators, stage_profiles };

struct CompileOptions {
  WorkSource work = WorkSource::operators;
  Fusion fusion;  // what the software stack fuses
  // After a message between stages the CPU waits until its GPU has caught up (Megatron-LM's
  // torch.cuda.synchronize), so that it never launches a pass ahead.
  bool synchronises_after_receive = false;
  // Nothing more computes before a message to another stage has left (torch.distributed.send: the
  // current stream waits for it).
  bool waits_for_sends = false;
  // Sharded weights the way of DeepSpeed before 0.6 (_allgather_param, _reduce_scatter_gradient
  // with PyTorch's lists of tensors): every large tensor in a collective of its own, into a buffer
  // that is zeroed first, and copied from or to one tensor per rank, a kernel each; nothing of the
  // next layer is fetched meanwhile, and a recomputed layer is fetched again for its backward.
  bool list_collectives = false;
  // Sharded optimizer state, but every rank gets the sum of all gradients: a bucket is put
  // together, cast to fp32, summed, cast back and copied to where the gradients are (Aleph Alpha's
  // scaling/core/optimizer/allreduce.py, after DeepSpeed's allreduce_no_retain).
  bool sums_whole_gradients = false;
  int ranks_per_host = 1;       // neighbours that presort their samples in the host
  int vocabulary_multiple = 1;  // padding of the vocabulary per tensor rank (Megatron-LM: 128)
};

// Needs a plan without problems().
Program compile(const Model& model, const Plan& plan, const CompileOptions& options = {});

}  // namespace quintet
