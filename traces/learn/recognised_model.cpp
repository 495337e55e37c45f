#include "traces/learn/recognised_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace quintet {

namespace {

constexpr std::array<std::string_view, 4> norms{"aten::native_layer_norm", "aten::rms_norm",
                                                "aten::_fused_rms_norm", "aten::layer_norm"};
constexpr std::array<std::string_view, 3> heads_second{
    "aten::_scaled_dot_product_flash_attention", "aten::_scaled_dot_product_cudnn_attention",
    "aten::_scaled_dot_product_efficient_attention"};

using Counts = std::map<ProductShape, std::int64_t>;

class RecognisingModel {
 public:
  explicit RecognisingModel(std::span<const ShapedOperation> operations) : operations_(operations) {
    products_ = products({"aten::mm", "aten::addmm", "aten::_scaled_mm"});
    if (products_.empty()) products_ = products({"aten::linear", "aten::matmul"});
  }

  RecognisedModel model() && {
    width();
    vocabulary();
    feed_forward_and_layers();
    heads();
    return std::move(made_);
  }

 private:
  Counts products(std::vector<std::string_view> names) const {
    Counts counts;
    for (const ShapedOperation& each : operations_)
      if (!each.backward && std::find(names.begin(), names.end(), each.name) != names.end())
        if (const auto shape = product_of(each.name, each.shapes)) ++counts[*shape];
    return counts;
  }

  // Of the norm of which there are most; inner ones are in outer ones, and counted by themselves.
  void width() {
    std::map<std::pair<std::string_view, std::int64_t>, std::int64_t> counts;
    for (const ShapedOperation& each : operations_)
      if (!each.backward && std::find(norms.begin(), norms.end(), each.name) != norms.end() &&
          !each.shapes.empty() && each.shapes[0].size() >= 2)
        ++counts[{each.name, each.shapes[0].back()}];
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != counts.end() && most->second >= 2 &&
        repeated_products_taking(most->first.second) >= 2) {
      made_.width = {most->first.second, fmt::format("last extent of what {} {} take", most->second,
                                                     most->first.first)};
      return;
    }
    width_of_embedding();
  }

  void width_of_embedding() {
    const ShapedOperation* largest = nullptr;
    for (const ShapedOperation& each : operations_)
      if (is_embedding(each) && (largest == nullptr || each.shapes[0][0] > largest->shapes[0][0]))
        largest = &each;
    // An embedding alone is no transformer's: its products must repeat, and take it.
    if (largest == nullptr) return;
    const std::int64_t width = largest->shapes[0][1];
    if (repeated_products_taking(width) >= 2)
      made_.width = {width, fmt::format("second extent of a table of {} x {} that aten::embedding "
                                        "looks up",
                                        largest->shapes[0][0], width)};
  }

  int repeated_products_taking(std::int64_t width) const {
    return static_cast<int>(
        std::count_if(products_.begin(), products_.end(), [&](const auto& each) {
          return each.second >= 2 && (each.first.k == width || each.first.n == width);
        }));
  }

  static bool is_embedding(const ShapedOperation& operation) {
    return operation.name == "aten::embedding" && operation.shapes.size() >= 2 &&
           operation.shapes[0].size() == 2 && !operation.shapes[1].empty();
  }

  // The largest table; each micro-batch looks it up once.
  void vocabulary() {
    if (!made_.width) return;
    std::map<std::int64_t, std::int64_t> lookups;  // per entries of a table as wide as the model
    for (const ShapedOperation& each : operations_)
      if (is_embedding(each) && !each.backward && each.shapes[0][1] == made_.width->value)
        ++lookups[each.shapes[0][0]];
    if (!lookups.empty()) {
      const auto& [entries, count] = *lookups.rbegin();
      made_.vocabulary = {entries, fmt::format("entries of the largest table that aten::embedding "
                                               "looks up, {} times",
                                               count)};
      made_.micro_batches = {count, fmt::format("look-ups in that table: one each")};
    }
  }

  // The product back to the model's width that comes most often from the widest: of what the
  // products to that width, or to twice it (gate and value at once), made.
  void feed_forward_and_layers() {
    if (!made_.width) return;
    const std::int64_t width = made_.width->value;
    const std::pair<const ProductShape, std::int64_t>* down = nullptr;
    for (const auto& each : products_)
      if (each.first.n == width && each.first.k != width && each.second >= 2 &&
          (down == nullptr || each.first.k > down->first.k) && has_up(each, width))
        down = &each;
    if (down == nullptr) return;
    const auto& [shape, count] = *down;
    made_.feed_forward = {shape.k, fmt::format("{} forward products of {} x {} x {} lead back to "
                                               "the width",
                                               count, shape.m, shape.k, shape.n)};
    made_.tokens = {shape.m, "rows of those products"};
    const std::int64_t passes = made_.micro_batches ? made_.micro_batches->value : 1;
    if (count % passes != 0) {
      made_.micro_batches.reset();
      return;
    }
    if (!made_.micro_batches) return layers_of_one_pass(count);
    made_.layers = {count / passes,
                    passes == 1
                        ? "as many of those products"
                        : fmt::format("{} of those products, {} micro-batches", count, passes)};
  }

  void layers_of_one_pass(std::int64_t count) {
    made_.layers = {count,
                    "as many of those products, if the step is one micro-batch: nothing tells how "
                    "many it is"};
  }

  bool has_up(const std::pair<const ProductShape, std::int64_t>& down, std::int64_t width) const {
    return std::any_of(products_.begin(), products_.end(), [&](const auto& each) {
      const ProductShape& up = each.first;
      return up.k == width && up.m == down.first.m && each.second >= down.second &&
             (up.n == down.first.k || up.n == 2 * down.first.k);
    });
  }

  void heads() {
    for (const ShapedOperation& each : operations_) {
      if (each.backward || each.shapes.size() < 2) continue;
      const bool fused =
          std::find(heads_second.begin(), heads_second.end(), each.name) != heads_second.end();
      const InputShape& query = each.shapes[0];
      const InputShape& key = each.shapes[1];
      if (query.size() != 4 || key.size() != 4) continue;
      // Unfused: queries times transposed keys.
      const bool unfused = each.name == "aten::matmul" && query[1] == key[1] &&
                           query[2] == key[3] && query[3] == key[2] && query[2] != query[3];
      if (!fused && !unfused) continue;
      const std::string evidence = fmt::format("queries of {} x {} x {} x {} of {}", query[0],
                                               query[1], query[2], query[3], each.name);
      made_.heads = {query[1], evidence};
      made_.length = {query[2], evidence};
      made_.head_dim = {query[3], evidence};
      return;
    }
  }

  std::span<const ShapedOperation> operations_;
  Counts products_;
  RecognisedModel made_;
};

}  // namespace

RecognisedModel recognised_model(std::span<const ShapedOperation> operations) {
  return RecognisingModel(operations).model();
}

}  // namespace quintet
