#include "sim/confidence/residuals.h"

#include <limits>
#include <utility>

#include "sim/base/text_file.h"
#include "sim/json/field_list.h"

namespace quintet {

namespace {

constexpr Between counts{0, std::numeric_limits<int>::max()};
constexpr Between factors{1.0, 1e3};

}  // namespace

template <class File>
void fields(File& file, StepResiduals& residuals) {
  file.unusual("stack", residuals.stack, "");
  file.unusual("gpu", residuals.gpu, "");
  file.required("rows", residuals.rows, counts);
  file.required("p05", residuals.p05, Between{-10.0, 10.0});
  file.required("p50", residuals.p50, Between{-10.0, 10.0});
  file.required("p95", residuals.p95, Between{-10.0, 10.0});
  if (residuals.p50 < residuals.p05 || residuals.p95 < residuals.p50)
    file.refuse("p50", "expected a number from p05 to p95");
}

template <class File>
void fields(File& file, Widening& widening) {
  file.required("other_gpu", widening.other_gpu, factors);
  file.required("other_stack", widening.other_stack, factors);
  file.required("both_other", widening.both_other, factors);
  file.required("left_out", widening.left_out, counts);
}

template <class File>
void fields(File& file, MemoryBand& band) {
  file.required("verdicts", band.verdicts, counts);
  file.required("wrong", band.wrong, counts);
  file.required("from", band.from, Between{0.0, 1.0});
  file.required("to", band.to, Between{1.0, 1e3});
  file.required("within", band.within, counts);
  file.required("wrong_within", band.wrong_within, counts);
}

template <class File>
void fields(File& file, PublishedResiduals& residuals) {
  file.required("source", residuals.source);
  file.field("step_time", residuals.step_time);
  file.required("widening", residuals.widening);
  file.required("memory", residuals.memory);
}

Result<PublishedResiduals> parse_residuals(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  PublishedResiduals residuals;
  FieldReader reader(root);
  fields(reader, residuals);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return residuals;
}

Result<PublishedResiduals> read_residuals(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_residuals(*text, file.string());
}

std::string text_of(const PublishedResiduals& residuals) {
  PublishedResiduals copy = residuals;
  return FieldWriter(Digits::exact).written(copy).dump(2) + "\n";
}

}  // namespace quintet
