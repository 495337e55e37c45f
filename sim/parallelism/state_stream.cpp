#include "sim/parallelism/state_stream.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "sim/parallelism/stage_layers.h"

namespace quintet {

namespace {

constexpr double most_pieces = 32'767;  // a span's bucket is 16 bits wide

}  // namespace

StateTypes state_types(const Parallelism& parallelism) {
  return {tensor_type(parallelism.compute_type), parallelism.gradient_type,
          parallelism.master_weights, update_rule(parallelism.optimizer), parallelism.moment_type};
}

StatePieces state_pieces(const Parallelism& parallelism, std::int64_t owned) {
  StatePieces cut;
  const Offload& offload = parallelism.offload;
  cut.streamed = std::llround(offload.optimizer * static_cast<double>(owned));
  cut.resident = owned - cut.streamed;
  if (cut.streamed == 0) return cut;
  const auto elements = static_cast<double>(cut.streamed);
  const Bytes bytes = elements * streamed_bytes_per_parameter(state_types(parallelism));
  const double most = std::min(elements, most_pieces);
  cut.pieces = static_cast<int>(std::clamp(std::ceil(bytes / offload.piece), 1.0, most));
  return cut;
}

int StateStream::copy(int piece, CopyPurpose purpose, Calls after) {
  const bool fetches = purpose == CopyPurpose::fetch_state;
  const std::string name = fetches ? "fetch state" : "store state";
  const Bytes size = static_cast<double>(elements(piece)) *
                     streamed_bytes_per_parameter(state_types(parallelism_));
  BodyBuilder body(name);
  body.copy(
      name,
      {fetches ? CopyDirection::host_to_device : CopyDirection::device_to_host, size, purpose}, {});
  return script_.call(builder_.add(std::move(body).body()), std::move(after), {.bucket = piece});
}

Calls StateStream::update(std::int64_t owned, std::int64_t tensors, const Calls& ready,
                          const Calls& early) {
  cut_ = state_pieces(parallelism_, owned);
  Calls updated;
  std::vector<int> fetched;
  for (int piece = 0; piece < cut_.slots(); ++piece)
    fetched.push_back(copy(piece, CopyPurpose::fetch_state, early));
  if (cut_.resident > 0 || cut_.pieces == 0)
    updated = {script_.call(bodies_.update(cut_.resident, tensors), ready)};
  for (int piece = 0; piece < cut_.pieces; ++piece) {
    Calls after = ready;
    after.push_back(fetched[static_cast<std::size_t>(piece)]);
    updated = {script_.call(bodies_.update(elements(piece), tensors), after, {.bucket = piece})};
    const int stored = copy(piece, CopyPurpose::store_state, updated);
    if (piece + cut_.slots() < cut_.pieces)
      fetched.push_back(copy(piece + cut_.slots(), CopyPurpose::fetch_state, {stored}));
  }
  return updated;
}

}  // namespace quintet
