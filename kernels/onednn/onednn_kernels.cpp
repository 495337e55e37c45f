// oneDNN 2.6's matmul primitive, made once per shape (making one compiles machine code:
// milliseconds). It has bf16 on CPUs with AVX-512 only; elsewhere our own product computes it.
#include <omp.h>

#include <compare>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/cpu/targets.h"

namespace quintet::kernels {
namespace {

using dnnl::memory;

struct ProductKey {
  GemmForm form;
  GradientWrite write;
  ElementType type, output, bias;
  bool has_bias;
  Index rows, columns, depth;
  Index a_stride, b_stride, c_stride;
  auto operator<=>(const ProductKey&) const = default;
};

struct Layouts {
  memory::desc a, b, c, bias;
};

memory::data_type data_type_of(ElementType type) {
  switch (type) {
    case ElementType::fp32:
      return memory::data_type::f32;
    case ElementType::bf16:
      return memory::data_type::bf16;
    case ElementType::fp16:
      return memory::data_type::f16;
  }
  return memory::data_type::undef;
}

// A row-major matrix as it is, or read as its transpose [columns, rows].
enum class Reading { straight, transposed };

memory::desc layout(Index rows, Index columns, Index stride, ElementType type, Reading reading) {
  if (reading == Reading::straight)
    return {{rows, columns}, data_type_of(type), memory::dims{stride, 1}};
  return {{columns, rows}, data_type_of(type), memory::dims{1, stride}};
}

ProductKey key_of(const Gemm& g) {
  const bool a_turned = g.form == GemmForm::a_transposed_b;
  const bool b_turned = g.form == GemmForm::a_b_transposed;
  return {g.form,
          g.write,
          g.a.type,
          g.c.type,
          g.bias.type,
          g.bias.data != nullptr,
          g.rows,
          g.columns,
          g.depth,
          g.a_stride != 0 ? g.a_stride : (a_turned ? g.rows : g.depth),
          g.b_stride != 0 ? g.b_stride : (b_turned ? g.depth : g.columns),
          g.c_stride != 0 ? g.c_stride : g.columns};
}

Layouts layouts_of(const ProductKey& k) {
  Layouts layouts;
  layouts.a = k.form == GemmForm::a_transposed_b
                  ? layout(k.depth, k.rows, k.a_stride, k.type, Reading::transposed)
                  : layout(k.rows, k.depth, k.a_stride, k.type, Reading::straight);
  layouts.b = k.form == GemmForm::a_b_transposed
                  ? layout(k.columns, k.depth, k.b_stride, k.type, Reading::transposed)
                  : layout(k.depth, k.columns, k.b_stride, k.type, Reading::straight);
  layouts.c = layout(k.rows, k.columns, k.c_stride, k.output, Reading::straight);
  if (k.has_bias) layouts.bias = layout(1, k.columns, k.columns, k.bias, Reading::straight);
  return layouts;
}

void* writable(const ConstTensor& tensor) {
  return const_cast<void*>(tensor.data);
}

// With its memories, whose pointers are exchanged at every call: cheaper than making new ones.
struct Product {
  dnnl::matmul run;
  memory a, b, c, bias, scratch;
};

dnnl::cpu_isa instruction_set_of(CpuLimit limit) {
  switch (limit) {
    case CpuLimit::portable:
      return dnnl::cpu_isa::sse41;
    case CpuLimit::avx2:
      return dnnl::cpu_isa::avx2;
    case CpuLimit::avx512:
      return dnnl::cpu_isa::avx512_core;
    case CpuLimit::avx512_bf16:
      return dnnl::cpu_isa::avx512_core_bf16;
    case CpuLimit::amx:
      return dnnl::cpu_isa::avx512_core_amx;
  }
  return dnnl::cpu_isa::all;
}

// Refused, and already so, after oneDNN was used once.
void restrict_onednn() {
  if (const auto limit = cpu_limit())
    dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(instruction_set_of(*limit)));
}

enum class Products { all, of_bf16 };

class OnednnProduct : public CpuMatrixProduct {
 public:
  // One thread, if not told otherwise: two that share a busy core wait for each other.
  OnednnProduct(Products products, int threads)
      : products_of_(products), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    omp_set_num_threads(threads);
  }

  bool multiply(const Gemm& g) override {
    if (products_of_ == Products::of_bf16 && g.a.type != ElementType::bf16) return false;
    if (g.rows == 0 || g.columns == 0) return true;
    std::optional<Product>& found = product_for(key_of(g));
    if (!found) return false;
    Product& product = *found;
    product.a.set_data_handle(writable(g.a));
    product.b.set_data_handle(writable(g.b));
    product.c.set_data_handle(g.c.data);
    std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, product.a},
                                              {DNNL_ARG_WEIGHTS, product.b},
                                              {DNNL_ARG_DST, product.c},
                                              {DNNL_ARG_SCRATCHPAD, product.scratch}};
    if (g.bias.data != nullptr) {
      product.bias.set_data_handle(writable(g.bias));
      arguments.emplace(DNNL_ARG_BIAS, product.bias);
    }
    product.run.execute(stream_, arguments);
    stream_.wait();
    return true;
  }

 private:
  std::optional<Product>& product_for(const ProductKey& key) {
    const auto found = products_.find(key);
    return found != products_.end() ? found->second
                                    : products_.emplace(key, make_product(key)).first->second;
  }

  std::optional<Product> make_product(const ProductKey& key) {
    const Layouts layouts = layouts_of(key);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (key.write == GradientWrite::accumulate) {
      dnnl::post_ops add;
      add.append_sum(1.0F);
      attributes.set_post_ops(add);
    }
    const auto description = key.has_bias
                                 ? dnnl::matmul::desc(layouts.a, layouts.b, layouts.bias, layouts.c)
                                 : dnnl::matmul::desc(layouts.a, layouts.b, layouts.c);
    constexpr bool may_be_missing = true;
    const dnnl::matmul::primitive_desc made(description, attributes, engine_, may_be_missing);
    if (!made) return std::nullopt;
    Product product;
    product.run = dnnl::matmul(made);
    product.a = memory(layouts.a, engine_, nullptr);
    product.b = memory(layouts.b, engine_, nullptr);
    product.c = memory(layouts.c, engine_, nullptr);
    if (key.has_bias) product.bias = memory(layouts.bias, engine_, nullptr);
    product.scratch = memory(made.scratchpad_desc(), engine_);
    return product;
  }

  Products products_of_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::map<ProductKey, std::optional<Product>> products_;
};

}  // namespace

std::unique_ptr<Kernels> onednn_kernels(int threads) {
  restrict_onednn();
  return cpu_kernels(fastest_target(), std::make_unique<OnednnProduct>(Products::all, threads));
}

std::unique_ptr<CpuMatrixProduct> bf16_product() {
  restrict_onednn();
  const dnnl::cpu_isa isa = dnnl::get_effective_cpu_isa();
  if (isa != dnnl::cpu_isa::avx512_core_bf16 && isa != dnnl::cpu_isa::avx512_core_amx)
    return nullptr;
  return std::make_unique<OnednnProduct>(Products::of_bf16, 1);
}

}  // namespace quintet::kernels
