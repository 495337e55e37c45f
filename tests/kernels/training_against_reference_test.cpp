// Attention, activations, what works element by element, losses, optimizers.
#include "tests/kernels/against_reference.h"

namespace quintet::kernels::against_reference {
namespace {

struct AttentionCase {
  AttentionMask mask;
  Index query_heads, key_heads, head_size;
  Integers starts;
};

SequenceLengths lengths_of(const Integers& starts) {
  for (std::size_t i = 1; i < starts.size(); ++i)
    if (starts[i] - starts[i - 1] != starts[1] - starts[0]) return SequenceLengths::any;
  return SequenceLengths::equal;
}

// Packed sequences, one empty, one of one token; heads that the tensor cores take and one they do
// not; sequences of one length, which a library may take.
TEST_P(AgainstReference, Attention) {
  const Integers packed{0, 301, 301, 302, 690};
  for (const AttentionCase& c : {AttentionCase{AttentionMask::causal, 4, 2, 128, packed},
                                 {AttentionMask::none, 3, 3, 64, packed},
                                 {AttentionMask::causal, 2, 1, 80, {0, 517}},
                                 {AttentionMask::causal, 2, 2, 33, {0, 129}},
                                 {AttentionMask::causal, 4, 2, 128, {0, 200, 400}},
                                 {AttentionMask::none, 2, 2, 64, {0, 77, 154, 231}}})
    compare([&c](Kernels& kernels, Stream& stream, auto* kind) {
      using Element = ElementOf<decltype(kind)>;
      const Index all = c.starts.back();
      const Index query_size = all * c.query_heads * c.head_size;
      const Index key_size = all * c.key_heads * c.head_size;
      const auto query = random_elements<Element>(query_size, 1);
      const auto key = random_elements<Element>(key_size, 2);
      const auto value = random_elements<Element>(key_size, 3);
      const auto upstream = random_elements<Element>(query_size, 4);
      AttentionLayout shape;
      shape.sequences = static_cast<Index>(c.starts.size()) - 1;
      shape.query_starts = shape.key_starts = c.starts.data();
      shape.query_heads = c.query_heads;
      shape.key_heads = c.key_heads;
      shape.head_size = c.head_size;
      shape.mask = c.mask;
      shape.lengths = lengths_of(c.starts);
      shape.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(c.head_size)));
      auto output = unwritten<Element>(query_size), dq = output;
      auto dk = unwritten<Element>(key_size), dv = dk;
      Floats sums = poisoned(all * c.query_heads);
      Floats workspace = poisoned(attention_backward_workspace(shape));
      kernels.attention_forward(
          {shape, query.data(), key.data(), value.data(), output.data(), sums.data()}, stream);
      kernels.attention_backward(
          {shape, query.data(), key.data(), value.data(), output.data(), upstream.data(),
           sums.data(), dq.data(), dk.data(), dv.data(), workspace.data()},
          stream);
      return Outputs{{"output", wide(output)},
                     {"log_sum_exp", sums},
                     {"dq", wide(dq)},
                     {"dk", wide(dk)},
                     {"dv", wide(dv)}};
    });
}

TEST_P(AgainstReference, Activations) {
  compare([](Kernels& kernels, Stream& stream, auto* kind) {
    using Element = ElementOf<decltype(kind)>;
    const auto input = random_elements<Element>(count, 1),
               other = random_elements<Element>(count, 2);
    const auto upstream = random_elements<Element>(count, 3);
    Outputs made;
    for (const auto& [name, form] :
         {std::pair<std::string, GeluForm>{"erf", GeluForm::error_function},
          {"tanh", GeluForm::hyperbolic}}) {
      auto output = unwritten<Element>(count), gradient = output;
      kernels.gelu_forward({form, count, input.data(), output.data()}, stream);
      kernels.gelu_backward({form, count, input.data(), upstream.data(), gradient.data()}, stream);
      made[name] = wide(output);
      made[name + " gradient"] = wide(gradient);
    }
    const Index width = 1027, height = count / width;
    auto output = unwritten<Element>(height * width), gate = output, up = output;
    kernels.swiglu_forward({height, width, 0, input.data(), other.data(), output.data()}, stream);
    kernels.swiglu_backward(
        {height, width, 0, input.data(), other.data(), upstream.data(), gate.data(), up.data()},
        stream);
    made["swiglu"] = wide(output);
    made["gate"] = wide(gate);
    made["up"] = wide(up);
    return made;
  });
}

TEST_P(AgainstReference, ElementByElement) {
  compare([](Kernels& kernels, Stream& stream, auto* kind) {
    using Element = ElementOf<decltype(kind)>;
    const auto left = random_elements<Element>(count, 1),
               right = random_elements<Element>(count, 2);
    auto sum = unwritten<Element>(count), kept = sum, scaled = left;
    kernels.residual_add({count, left.data(), right.data(), sum.data()}, stream);
    const float factor = 0.37F;
    kernels.scale({count, scaled.data(), &factor}, stream);
    Floats total = random_floats(count, 3);
    kernels.accumulate({count, left.data(), total.data()}, stream);
    kernels.dropout({0.2F, 77, 5, 1, count, 0, 0, 0, left.data(), kept.data()}, stream);
    std::int32_t found = 0;
    kernels.find_non_finite({count, left.data(), &found}, stream);
    EXPECT_EQ(found, 0);
    return Outputs{
        {"sum", wide(sum)}, {"scaled", wide(scaled)}, {"total", total}, {"kept", wide(kept)}};
  });
}

TEST_P(AgainstReference, CrossEntropy) {
  compare([](Kernels& kernels, Stream& stream, auto* kind) {
    using Element = ElementOf<decltype(kind)>;
    const Index vocabulary = 50257, stride = 50304;
    auto logits = random_elements<Element>(rows * stride, 1), half = logits;
    Integers targets = random_integers(rows, static_cast<std::int32_t>(vocabulary), 2);
    targets[5] = -100;
    Floats loss = poisoned(rows);
    kernels.cross_entropy(
        {{rows, vocabulary, stride, 0, targets.data(), logits.data()}, 0.125F, loss.data()},
        stream);
    const CrossEntropyRows shard{rows, 20011, stride, 30246, targets.data(), half.data()};
    Floats maximum = poisoned(rows), target = maximum;
    Doubles sum(size_of(rows));
    kernels.cross_entropy_maximum({shard, maximum.data()}, stream);
    kernels.cross_entropy_sum({shard, maximum.data(), sum.data(), target.data()}, stream);
    return Outputs{{"logits", wide(logits)},
                   {"loss", loss},
                   {"maximum", maximum},
                   {"sum", wide_sums(sum)},
                   {"target", target}};
  });
}

struct Trained {
  Floats parameter = random_floats(count, 1), first = random_floats(count, 2, 0.1F);
  Floats second = Floats(size_of(count), 0.5F), direction = poisoned(count);
  std::vector<Bfloat16> copy = poisoned_bf16(count);
  float parameter_norm = 0.0F, direction_norm = 0.0F;

  Outputs outputs() const {
    return {{"parameter", parameter}, {"first", first}, {"second", second}, {"copy", wide(copy)}};
  }
};

TEST_P(AgainstReference, Optimizers) {
  compare([](Kernels& kernels, Stream& stream, auto* kind) {
    using Element = ElementOf<decltype(kind)>;
    const auto gradient = random_elements<Element>(count, 5);
    const float factor = 0.5F;
    const auto stretch = [&](Trained& t) {
      return ParameterStretch{count,          t.parameter.data(), gradient.data(),
                              t.first.data(), t.second.data(),    0.1F,
                              t.copy.data()};
    };
    const AdamConstants constants{0.9F, 0.95F, 1e-8F};
    const auto now = update_numbers(kernels, stream, 3, 0.01F, 0.9F, 0.95F);
    Trained adam, lamb, sgd;
    kernels.adamw({list_of_one(stretch(adam)), &factor, constants, now.get()}, stream);
    const auto lamb_list = list_of_one(LambStretch{stretch(lamb), lamb.direction.data(),
                                                   &lamb.parameter_norm, &lamb.direction_norm});
    kernels.lamb_direction({lamb_list, &factor, constants, now.get()}, stream);
    kernels.lamb_step({lamb_list, now.get()}, stream);
    kernels.sgd({list_of_one(stretch(sgd)), &factor, SgdMomentum::nesterov, 0.9F, now.get()},
                stream);
    double norm = -1.0;
    float rounded = -1.0F, clip = -1.0F;
    kernels.squared_norm({list_of_one(ConstStretch{count, gradient.data()}), &norm,
                          GradientWrite::overwrite, &rounded},
                         stream);
    kernels.clip_factor({&rounded, 1.0F, 0.5F, &clip}, stream);
    Outputs made{{"clip", {clip}}, {"norm", {static_cast<float>(norm)}}};
    for (const auto& [name, trained] :
         {std::pair<std::string, Trained*>{"adamw ", &adam}, {"lamb ", &lamb}, {"sgd ", &sgd}})
      for (const auto& [output, values] : trained->outputs()) made[name + output] = values;
    return made;
  });
}

}  // namespace
}  // namespace quintet::kernels::against_reference
