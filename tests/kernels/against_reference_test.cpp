// Rows, norms, products.
#include "tests/kernels/against_reference.h"

namespace quintet::kernels::against_reference {

QUINTET_ON_EVERY_IMPLEMENTATION(AgainstReference);

namespace {

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
    Floats workspace = poisoned(embedding_gradient_workspace(rows, width));
    kernels.embedding_gradient(
        {rows, width, shard, tokens.data(), places.data(), nullptr, token_table.data(),
         of_tokens.data(), of_positions.data(), nullptr, workspace.data()},
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

}  // namespace
}  // namespace quintet::kernels::against_reference
