// RankWork's part in communication: which buffer a collective, a message or a copy to the host's
// memory works on, and what becomes of it afterwards.
#include "engine/executor/rank_work.h"
#include "engine/operators/offloaded_input.h"

namespace quintet::engine {

Buffer& RankWork::partial_outputs(Block block, const Situation& at) {
  return block == Block::embedding ? embedding(at).state.sum : block_state(block, at).product;
}

namespace {

BlockName layer_block(Block block) {
  return block == Block::attention ? BlockName::attention : BlockName::mlp;
}

}  // namespace

// On a device they leave from its memory.
Buffer& RankWork::packed_samples() {
  Buffer& packed = dealing_->pack(input_->micro_batches);
  if (!place_.on_device()) return packed;
  if (samples_.count() != packed.count()) samples_ = place_.make(packed.count(), packed.type());
  place_.send_soon(samples_.bytes().data(), packed.bytes().data(), packed.bytes().size());
  return samples_;
}

Buffer& RankWork::buffer_of(const Collective& collective, Block block, const Situation& at) {
  switch (collective.purpose) {
    case Purpose::gather_input:
    case Purpose::gather_input_again:
      if (collective.type == DataType::fp8) layers_.pack_input(layer(at), layer_block(block));
      return blocks_.gather_input(block_state(block, at));
    case Purpose::reduce_output:
      return partial_outputs(block, at);
    case Purpose::gather_gradient:
      if (collective.type == DataType::fp8) layers_.pack_gradient(layer(at), layer_block(block));
      return block == Block::embedding
                 ? embeddings_.gather_gradient(embedding(at))
                 : blocks_.gather_gradient(block_state(block, at), residual_stream(at));
    case Purpose::reduce_gradient:
      return block_state(block, at).input_gradient;
    case Purpose::loss_maximum:
      return head(at).state.maximum;
    case Purpose::loss_sum:
      return head(at).state.exponential_sum;
    case Purpose::loss_target:
      return head(at).state.target_logit;
    case Purpose::sum_gradients:
    case Purpose::sum_between_shards:
      return exchange_.outgoing(at.at);
    case Purpose::gather_weights:
      return exchange_.begin_gather(at.at);
    case Purpose::sum_norm_gradients:
      return exchange_.collect(replicated_);
    case Purpose::sum_tied_embedding:
      return exchange_.collect(tied_);
    case Purpose::sum_tensor_norms:
      return state_.tensor_norms();
    case Purpose::exchange_samples:
      return packed_samples();
    case Purpose::exchange_replicas:
      return replication_.exchanged(exchange_.unit(at.at));
    case Purpose::sum_gradient_norm:
    case Purpose::exchange:
      return squared_norm_;
  }
  return squared_norm_;
}

Buffer& RankWork::worked_on(const Collective& collective, Block block, const Situation& at) {
  const PhaseBuffers::Key key{at.at, collective.purpose, block};
  if (!begins(program_, collective)) return phases_.of(key);
  Buffer& whole = buffer_of(collective, block, at);
  if (level_of(program_, collective) == HostLevel::whole) return whole;
  return phases_.take_up(key, collective, whole);
}

CollectiveCall RankWork::begin(const Collective& collective, Block block, const Situation& at) {
  turn_to(at);
  Buffer& buffer = worked_on(collective, block, at);
  const bool maximum = collective.purpose == Purpose::loss_maximum;
  return {collective.kind,
          collective.communicator,
          0,
          phases_.worked_on(collective, buffer.bytes()),
          buffer.type(),
          maximum ? Reduction::maximum : Reduction::sum};
}

void RankWork::end(const Collective& collective, Block block, const Situation& at) {
  if (!ends(program_, collective)) return;
  turn_to(at);
  if (level_of(program_, collective) != HostLevel::whole)
    phases_.put_down({at.at, collective.purpose, block});
  switch (collective.purpose) {
    case Purpose::reduce_output:
      return blocks_.keep_share(partial_outputs(block, at));
    case Purpose::reduce_gradient:
      return blocks_.keep_share(block_state(block, at).input_gradient);
    case Purpose::sum_gradients:
      if (collective.kind == CollectiveKind::reduce_scatter) exchange_.keep_own_part(at.at);
      return;
    case Purpose::gather_weights:
      if (at.layer >= 0) exchange_.count_use(at.at);
      return exchange_.finish_gather(at.at);
    case Purpose::sum_norm_gradients:
      return exchange_.distribute(replicated_);
    case Purpose::sum_tied_embedding:
      return exchange_.distribute(tied_);
    case Purpose::gather_input:
    case Purpose::gather_input_again:
    case Purpose::gather_gradient:
    case Purpose::loss_maximum:
    case Purpose::loss_sum:
    case Purpose::loss_target:
    case Purpose::sum_between_shards:
    case Purpose::sum_gradient_norm:
    case Purpose::sum_tensor_norms:
    case Purpose::exchange_samples:
    case Purpose::exchange_replicas:
    case Purpose::exchange:
      return;
  }
}

void RankWork::copy(const Copy& copy, const Situation& at) {
  const int bucket = call(at).bucket;
  switch (copy.purpose) {
    case CopyPurpose::keep_input:
      return copy_out(place_, layers_.input(layer(at)), layer(at).state);
    case CopyPurpose::fetch_input:
      return copy_in(place_, layer_states_.at({at.micro_batch, at.layer}));
    case CopyPurpose::fetch_next_input:
      return copy_in(place_, layer_states_.at({at.micro_batch, at.layer - 1}));
    case CopyPurpose::fetch_state:
      return state_.fetch(bucket);
    case CopyPurpose::store_state:
      return state_.store(bucket);
    case CopyPurpose::message:
      return;  // refused (support.h)
  }
}

Buffer RankWork::outgoing(const Send& send, const Situation& at) {
  ResidualStream& here = residual_stream(at);
  return std::move(send.payload == Payload::activation ? here.hidden : here.gradient);
}

void RankWork::arrived(const Receive& receive, Buffer message, const Situation& at) {
  ResidualStream& here = residual_stream(at);
  (receive.payload == Payload::activation ? here.hidden : here.gradient) = std::move(message);
}

}  // namespace quintet::engine
