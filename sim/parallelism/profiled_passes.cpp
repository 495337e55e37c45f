#include "sim/parallelism/profiled_passes.h"

namespace quintet {

void ProfiledPasses::run(const Pass& pass) {
  switch (pass.kind) {
    case PassKind::forward:
      return forward(pass);
    case PassKind::input_gradient:
      return backward(pass, Phase::input_gradient, "stage input gradient");
    case PassKind::backward:
      return backward(pass, Phase::backward, "stage backward");
    case PassKind::weight_gradient:
      return weight_gradient(pass);
  }
}

Calls ProfiledPasses::kernel(const Pass& pass, Phase phase, const char* name, Calls after) {
  BodyBuilder body(name);
  body.compute({Computation::stage_total, phase, compute_type_,
                ProfiledShape{stage_, chunk(pass).layers}, 1});
  return {script_.call(builder_.add(std::move(body).body()), std::move(after),
                       {.pass = &pass, .first_layer = chunk(pass).first_layer})};
}

void ProfiledPasses::forward(const Pass& pass) {
  Calls ready = chunk(pass).embedding ? Calls{} : messages_.receive(pass, Payload::activation);
  const Calls gathered = exchange_.chunk_gathered(pass);
  ready.insert(ready.end(), gathered.begin(), gathered.end());
  const Calls done = kernel(pass, Phase::forward, "stage forward", std::move(ready));
  forward_done(pass) = done;
  if (!chunk(pass).head) messages_.send(pass, Payload::activation, done);
}

void ProfiledPasses::backward(const Pass& pass, Phase phase, const char* name) {
  const Calls ready =
      chunk(pass).head ? forward_done(pass) : messages_.receive(pass, Payload::activation_gradient);
  const Calls done = kernel(pass, phase, name, ready);
  if (!chunk(pass).embedding) messages_.send(pass, Payload::activation_gradient, done);
  if (pass.kind == PassKind::backward) exchange(pass, done);
}

void ProfiledPasses::weight_gradient(const Pass& pass) {
  exchange(pass, kernel(pass, Phase::weight_gradient, "stage weight gradient", {}));
}

void ProfiledPasses::exchange(const Pass& pass, const Calls& done) {
  if (!exchange_.completes_gradients(pass)) return;
  const std::size_t buckets = exchange_.buckets_of(pass.chunk).size();
  for (std::size_t index = 0; index < buckets; ++index)
    exchange_.exchange_bucket(pass, done, index);
}

}  // namespace quintet
