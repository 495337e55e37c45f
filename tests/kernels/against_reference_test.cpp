// Every operator against the CPU reference at sizes that fill many blocks and divide by nothing:
// what the small worlds of the other tests cannot show. Outputs are poisoned before.
#include <algorithm>
#include <map>
#include <type_traits>

#include "tests/kernels/support.h"

namespace quintet::kernels {
namespace {

using Outputs = std::map<std::string, Floats>;
using Integers = std::vector<std::int32_t>;

template <class Element>
constexpr double tolerance = std::is_same_v<Element, float> ? 1e-5 : 1e-2;

Floats wide(const std::vector<Bfloat16>& values) {
  Floats made;
  for (const Bfloat16 value : values)
    made.push_back(__builtin_bit_cast(float, static_cast<std::uint32_t>(value.bits) << 16));
  return made;
}
Floats wide(const Floats& values) {
  return values;
}
Floats wide_sums(const Doubles& values) {
  return {values.begin(), values.end()};
}

template <class Element>
std::vector<Element> random_elements(Index count, unsigned seed, float deviation = 1.0F) {
  const Floats values = random_floats(count, seed, deviation);
  if constexpr (std::is_same_v<Element, float>)
    return values;
  else
    return narrow(*reference_kernels(), values);
}

template <class Element>
std::vector<Element> unwritten(Index count) {
  if constexpr (std::is_same_v<Element, float>)
    return poisoned(count);
  else
    return poisoned_bf16(count);
}

Integers random_integers(Index count, std::int32_t end, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> uniform(0, end - 1);
  Integers made(size_of(count));
  for (std::int32_t& value : made) value = uniform(random);
  return made;
}

class AgainstReference : public Operators {
 protected:
  // work(kernels, stream, static_cast<Element*>(nullptr)) gives its outputs by name.
  template <class Element, class Work>
  void compare_in(const Work& work) {
    Element* const kind = nullptr;
    const auto reference = reference_kernels();
    const Outputs expected = work(*reference, stream_, kind),
                  found = work(*kernels_, stream_, kind);
    for (const auto& [name, values] : expected)
      EXPECT_LT(relative_error(found.at(name), values), tolerance<Element>)
          << name << (std::is_same_v<Element, float> ? " in fp32" : " in bf16");
  }
  template <class Work>
  void compare(const Work& work) {
    compare_in<float>(work);
    compare_in<Bfloat16>(work);
  }
};
QUINTET_ON_EVERY_IMPLEMENTATION(AgainstReference);

template <class Kind>
using ElementOf = std::remove_pointer_t<Kind>;

constexpr Index rows = 37;
constexpr Index widths[] = {7, 519, 1600, 8192};
constexpr Index count = 131077;

TEST_P(AgainstReference, Embedding) {
  compare([](Kernels& kernels, Stream& stream, auto* kind) {
    using Element = ElementOf<decltype(kind)>;
    const Index width = 519, vocabulary = 301, positions = 40;
    const auto tokens = random_integers(rows, 401, 1), places = random_integers(rows, 40, 2);
    const auto token_table = random_elements<Element>(vocabulary * width, 3);
    const auto position_table = random_elements<Element>(positions * width, 4);
    auto output = unwritten<Element>(rows * width);
    const VocabularyShard shard{50, vocabulary};
    kernels.embedding_forward({rows,
                               width,
                               shard,
                               tokens.data(),
                               places.data(),
                               nullptr,
                               token_table.data(),
                               position_table.data(),
                               {},
                               output.data()},
                              stream);
    Floats of_tokens = random_floats(vocabulary * width, 5);
    Floats of_positions = random_floats(positions * width, 6);
    kernels.embedding_gradient({rows, width, shard, tokens.data(), places.data(), nullptr,
                                token_table.data(), of_tokens.data(), of_positions.data(), nullptr},
                               stream);
    return Outputs{{"output", wide(output)}, {"token", of_tokens}, {"position", of_positions}};
  });
}

TEST_P(AgainstReference, LayerNorm) {
  for (const Index width : widths)
    compare([width](Kernels& kernels, Stream& stream, auto* kind) {
      using Element = ElementOf<decltype(kind)>;
      const auto input = random_elements<Element>(rows * width, 1);
      const auto residual = random_elements<Element>(rows * width, 2);
      const auto weight = random_elements<Element>(width, 3),
                 bias = random_elements<Element>(width, 4);
      const auto upstream = random_elements<Element>(rows * width, 5);
      auto sum = unwritten<Element>(rows * width), output = sum, gradient = sum;
      Floats mean = poisoned(rows), inverse = mean;
      kernels.layer_norm_forward(
          {rows, width, 1e-5F, input.data(), residual.data(), sum.data(), weight.data(),
           bias.data(), output.data(), mean.data(), inverse.data()},
          stream);
      kernels.layer_norm_input_gradient(
          {rows, width, upstream.data(), residual.data(), sum.data(), weight.data(), mean.data(),
           inverse.data(), gradient.data()},
          stream);
      Floats of_weight = poisoned(width), of_bias = of_weight;
      kernels.layer_norm_weight_gradient(
          {rows, width, upstream.data(), sum.data(), mean.data(), inverse.data(), of_weight.data(),
           of_bias.data(), GradientWrite::overwrite},
          stream);
      return Outputs{{"sum", wide(sum)},     {"output", wide(output)}, {"inverse", inverse},
                     {"dx", wide(gradient)}, {"dw", of_weight},        {"db", of_bias}};
    });
}

TEST_P(AgainstReference, RmsNorm) {
  for (const Index width : widths)
    compare([width](Kernels& kernels, Stream& stream, auto* kind) {
      using Element = ElementOf<decltype(kind)>;
      const auto input = random_elements<Element>(rows * width, 1);
      const auto residual = random_elements<Element>(rows * width, 2);
      const auto weight = random_elements<Element>(width, 3);
      const auto upstream = random_elements<Element>(rows * width, 5);
      auto sum = unwritten<Element>(rows * width), output = sum, gradient = sum;
      Floats inverse = poisoned(rows);
      kernels.rms_norm_forward({rows, width, 1e-5F, input.data(), residual.data(), sum.data(),
                                weight.data(), output.data(), inverse.data()},
                               stream);
      kernels.rms_norm_input_gradient({rows, width, upstream.data(), residual.data(), sum.data(),
                                       weight.data(), inverse.data(), gradient.data()},
                                      stream);
      Floats of_weight = random_floats(width, 6);
      kernels.rms_norm_weight_gradient({rows, width, upstream.data(), sum.data(), inverse.data(),
                                        of_weight.data(), GradientWrite::accumulate},
                                       stream);
      return Outputs{{"sum", wide(sum)},
                     {"output", wide(output)},
                     {"inverse", inverse},
                     {"dx", wide(gradient)},
                     {"dw", of_weight}};
    });
}

// Odd rows and columns; a depth and strides that tensor cores take, and ones that they do not.
TEST_P(AgainstReference, Gemm) {
  for (const GemmForm form : {GemmForm::a_b, GemmForm::a_b_transposed, GemmForm::a_transposed_b})
    for (const auto& [m, n, k] : {std::array<Index, 3>{136, 264, 520}, {131, 257, 519}})
      compare([form, m = m, n = n, k = k](Kernels& kernels, Stream& stream, auto* kind) {
        using Element = ElementOf<decltype(kind)>;
        const auto a = random_elements<Element>(m * k, 1), b = random_elements<Element>(n * k, 2);
        const auto bias = random_elements<Element>(n, 3);
        auto product = unwritten<Element>(m * n);
        Floats sum = random_floats(m * n, 4);
        Gemm g{form, m, n, k, a.data(), b.data(), product.data()};
        g.bias = bias.data();
        kernels.gemm(g, stream);
        Gemm added{form, m, n, k, a.data(), b.data(), sum.data()};
        added.write = GradientWrite::accumulate;
        kernels.gemm(added, stream);
        return Outputs{{"product", wide(product)}, {"sum", sum}};
      });
}

TEST_P(AgainstReference, Bias) {
  compare([](Kernels& kernels, Stream& stream, auto* kind) {
    using Element = ElementOf<decltype(kind)>;
    const Index height = 1031, columns = 519;
    auto values = random_elements<Element>(height * columns, 1);
    const auto bias = random_elements<Element>(columns, 2);
    kernels.bias_add({height, columns, values.data(), bias.data()}, stream);
    Floats gradient = poisoned(columns);
    BiasGradient of_bias;
    of_bias.rows = height;
    of_bias.columns = columns;
    of_bias.output_gradient = values.data();
    of_bias.bias_gradient = gradient.data();
    of_bias.write = GradientWrite::overwrite;
    kernels.bias_gradient(of_bias, stream);
    return Outputs{{"values", wide(values)}, {"gradient", gradient}};
  });
}

TEST_P(AgainstReference, Rotary) {
  compare([](Kernels& kernels, Stream& stream, auto* kind) {
    using Element = ElementOf<decltype(kind)>;
    const Index heads = 9, head_size = 66, positions = 1031;
    Doubles frequencies(size_of(head_size / 2));
    Floats cosines = poisoned(positions * head_size / 2), sines = cosines;
    rotary_frequencies(10000.0, frequencies);
    rotary_tables(frequencies, cosines, sines);
    const auto places = random_integers(rows, positions, 1);
    const auto input = random_elements<Element>(rows * heads * head_size, 2);
    auto output = unwritten<Element>(rows * heads * head_size);
    kernels.rotary({RotaryDirection::forward, rows, heads, head_size, places.data(), cosines.data(),
                    sines.data(), input.data(), output.data()},
                   stream);
    return Outputs{{"output", wide(output)}};
  });
}

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
      AttentionShape shape;
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
    const AdamConstants constants{0.9F, 0.95F, 1e-8F, 3};
    Trained adam, lamb, sgd;
    kernels.adamw({list_of_one(stretch(adam)), &factor, constants, 0.01F}, stream);
    const auto lamb_list = list_of_one(LambStretch{stretch(lamb), lamb.direction.data(),
                                                   &lamb.parameter_norm, &lamb.direction_norm});
    kernels.lamb_direction({lamb_list, &factor, constants}, stream);
    kernels.lamb_step({lamb_list, 0.01F}, stream);
    kernels.sgd({list_of_one(stretch(sgd)), &factor, SgdMomentum::nesterov, 0.9F, 0.01F}, stream);
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
}  // namespace quintet::kernels
