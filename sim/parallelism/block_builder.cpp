#include "sim/parallelism/block_builder.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace quintet {
namespace {

std::string name_of(Block block) {
  switch (block) {
    case Block::none:
      return "";
    case Block::embedding:
      return "embedding";
    case Block::attention:
      return "attention";
    case Block::mlp:
      return "mlp";
    case Block::head:
      return "head";
  }
  return "";
}

bool is_column(const Operator& work) {
  return work.computation == Computation::qkv || work.computation == Computation::mlp_up ||
         work.computation == Computation::vocabulary;
}
bool is_row(const Operator& work) {
  return work.computation == Computation::attention_output ||
         work.computation == Computation::mlp_down;
}

// Into how many pieces a GEMM is cut beside its collective: Transformer Engine's default number of
// splits (num_splits of its userbuffers), no more than there are ranks.
int pieces_beside(int tensor) {
  constexpr int usual = 4;
  return std::min(usual, tensor);
}

// The `piece`-th of `pieces` shares of a GEMM's rows.
Operator piece_of(const Operator& gemm, int piece, int pieces) {
  Operator made = gemm;
  auto& shape = std::get<GemmShape>(made.shape);
  shape.m = shape.m * (piece + 1) / pieces - shape.m * piece / pieces;
  return made;
}

}  // namespace

// Under sequence parallelism a block's input is put together from the ranks' shares.
int BlockBuilder::gather(Purpose purpose, const std::string& what, std::vector<int> after,
                         DataType moved, int pieces) {
  const Bytes number = moved == work_.type ? size_of(moved) : operand_bytes(work_);
  const Bytes whole = activation_bytes(model_, work_) * (number / size_of(work_.type));
  return body_.communicate(LaneUse::tensor, "all-gather " + what,
                           Collective{CollectiveKind::all_gather, program_.group(GroupUse::tensor),
                                      whole / pieces, moved, purpose},
                           std::move(after));
}

int BlockBuilder::reduce(Purpose purpose, const std::string& what, std::vector<int> after,
                         int pieces) {
  const bool scatter = sequence_split();
  return body_.communicate(
      LaneUse::tensor, (scatter ? "reduce-scatter " : "all-reduce ") + what,
      Collective{scatter ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                 program_.group(GroupUse::tensor), activation_bytes(model_, work_) / pieces,
                 work_.type, purpose},
      std::move(after));
}

// The rank's own rows are multiplied while the first piece is under way.
void BlockBuilder::gathered_in_pieces(Purpose purpose, const std::string& what,
                                      const Operator& gemm) {
  const int pieces = pieces_beside(work_.split.tensor);
  const std::vector<int> ready = body_.last_compute();
  std::vector<int> arrived;
  for (int piece = 1; piece < pieces; ++piece)
    arrived.push_back(gather(purpose, what + " piece", ready, operand_type(), pieces - 1));
  body_.compute(piece_of(gemm, 0, pieces));
  for (int piece = 1; piece < pieces; ++piece)
    body_.compute(piece_of(gemm, piece, pieces), {arrived[static_cast<std::size_t>(piece - 1)]});
}

// A piece leaves while the next is multiplied. Returns the last one.
int BlockBuilder::reduced_in_pieces(Purpose purpose, const std::string& what,
                                    const Operator& gemm) {
  const int pieces = pieces_beside(work_.split.tensor);
  int last = -1;
  for (int piece = 0; piece < pieces; ++piece) {
    body_.compute(piece_of(gemm, piece, pieces));
    last = reduce(purpose, what + " piece", body_.last_compute(), pieces);
  }
  return last;
}

void BlockBuilder::run(const std::vector<Operator>& kernels, std::vector<int> first_after) {
  for (const Operator& kernel : kernels) body_.compute(kernel, std::exchange(first_after, {}));
}

void BlockBuilder::forward(Block place, const BlockOperators& block, Repetition repetition) {
  body_.enter(place);
  const std::string what = name_of(place) + (repetition == Repetition::again ? " again" : "");
  run(block.before_gather);
  if (in_pieces() && !block.parallel.empty()) {
    gathered_in_pieces(Purpose::gather_input, what, block.parallel.front());
    run({block.parallel.begin() + 1, block.parallel.end() - 1});
    const int last = reduced_in_pieces(Purpose::reduce_output, what, block.parallel.back());
    return run(block.after_reduce, {last});
  }
  std::vector<int> gathered;
  if (sequence_split() && !block.parallel.empty())
    gathered = {gather(Purpose::gather_input, what, body_.last_compute(), operand_type())};
  run(block.parallel, gathered);
  std::vector<int> reduced;
  if (split() && !block.parallel.empty())
    reduced = {reduce(Purpose::reduce_output, what, body_.last_compute())};
  run(block.after_reduce, reduced);
}

// Results of collectives are kept.
void BlockBuilder::repeat_alone(Block place, const BlockOperators& block) {
  body_.enter(place);
  run(block.before_gather);
  run(block.parallel);
  run(block.after_reduce);
}

void BlockBuilder::backward(Block place, const BlockOperators& input,
                            const BlockOperators& weight) {
  body_.enter(place);
  const std::string what = name_of(place);
  run(input.before_gather);
  std::vector<int> arrived, input_again;
  const bool pieces = in_pieces() && place != Block::head;
  if (sequence_split() && place != Block::head && !pieces)
    arrived = {
        gather(Purpose::gather_gradient, what + " gradient", body_.last_compute(), operand_type())};
  const DataType operand = place == Block::head ? work_.type : operand_type();
  for (const Operator& kernel : input.parallel) {
    if (is_column(kernel) && gathers_again() && !weight.parallel.empty())
      input_again = {
          gather(Purpose::gather_input_again, what + " input", body_.last_compute(), operand)};
    if (pieces && is_row(kernel))
      gathered_in_pieces(Purpose::gather_gradient, what + " gradient", kernel);
    else
      body_.compute(kernel, std::exchange(arrived, {}));
    if (is_row(kernel)) run(weight.before_gather);
  }
  const bool hidden = work_.fusion.tensor_reduction_hidden;
  if (!hidden) run(weight.parallel, input_again);
  std::vector<int> reduced;
  if (split() && !(place == Block::head && model_.headless))
    reduced = {reduce(Purpose::reduce_gradient, what + " gradient", body_.last_compute())};
  if (hidden) run(weight.parallel, input_again);
  run(input.after_reduce, reduced);
  run(weight.after_reduce);
}

void BlockBuilder::weight_gradient(Block place, const BlockOperators& weight) {
  body_.enter(place);
  const std::string what = name_of(place);
  std::vector<int> input_again;
  const DataType operand = place == Block::head ? work_.type : operand_type();
  if (gathers_again() && !weight.parallel.empty())
    input_again = {
        gather(Purpose::gather_input_again, what + " input", body_.last_compute(), operand)};
  run(weight.before_gather);
  run(weight.parallel, input_again);
  run(weight.after_reduce);
}

}  // namespace quintet
