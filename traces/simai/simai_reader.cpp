#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "sim/packing/byte_source.h"
#include "traces/simai/aicb_table.h"
#include "traces/simai/layer_rows.h"
#include "traces/simai/schedule.h"
#include "traces/simai/simai.h"

namespace quintet {

namespace {

using simai::Header;
using simai::Policy;
using simai::StageShape;

bool has_tensor_groups(Policy policy) {
  return policy == Policy::hybrid_transformer || policy == Policy::hybrid_transformer_recomputing ||
         policy == Policy::hybrid_data_model || policy == Policy::hybrid_customized;
}

Result<StageShape> shape_of(const Header& header, int gpus, const std::string& where) {
  StageShape shape;
  constexpr int most = 1 << 20;
  if (gpus > most) return Error{where, fmt::format("{} GPUs; expected at most {}", gpus, most)};
  if (has_tensor_groups(header.policy)) shape.tensor = header.tensor;
  const std::int64_t all = header.all_gpus > 0 ? header.all_gpus : gpus > 0 ? gpus : shape.tensor;
  if (all < 2)
    return Error{where + ": line 1",
                 "does not say of how many GPUs the job is; add \"all_gpus: N\" to it, or tell the "
                 "number"};
  const std::int64_t one_stage = std::int64_t{shape.tensor} * header.pipeline;
  if (all % one_stage != 0)
    return Error{where + ": line 1", fmt::format("all_gpus is {}; expected a multiple of "
                                                 "model_parallel_NPU_group times pp, {}",
                                                 all, one_stage)};
  shape.ranks = static_cast<int>(all / header.pipeline);
  if (shape.ranks / shape.tensor % header.expert != 0)
    return Error{where + ": line 1",
                 fmt::format("ep is {}; expected what divides the {} data ranks", header.expert,
                             shape.ranks / shape.tensor)};
  shape.expert = header.expert;
  return shape;
}

void tell(Workload& workload, const Header& header, bool says_gpus) {
  if (!says_gpus)
    workload.remarks.push_back(
        {fmt::format("the file does not say of how many GPUs the job is: it is taken to be one "
                     "tensor group, {} GPUs",
                     workload.world_size)});
  if (header.pipeline < 2) return;
  workload.remarks.push_back({fmt::format(
      "the rows are one pipeline stage's of {}: it is of {} ranks, which are the job here; the "
      "messages between stages ({:.0f} bytes each) and the bubble (vpp {}, ga {}) are not in the "
      "file",
      header.pipeline, workload.world_size, header.pipeline_message.value, header.virtual_pipeline,
      header.accumulation)});
}

Result<Workload> parse_layer_text(std::string_view text, const std::string& where, int gpus) {
  const Result<simai::LayerText> layers = simai::parse_layers(text, where);
  if (!layers) return layers.error();
  const Header& header = layers->header;
  const Result<StageShape> shape = shape_of(header, gpus, where);
  if (!shape) return shape.error();
  Result<simai::Schedule> schedule = simai::schedule_of(*layers, *shape, where);
  if (!schedule) return schedule.error();
  Result<Workload> workload = simai::for_ranks(*schedule, *shape, where);
  if (!workload) return workload;
  for (WorkloadRank& rank : workload->ranks)
    rank.role = header.pipeline > 1 ? fmt::format("a stage of {}", header.pipeline) : "";
  tell(*workload, header, header.all_gpus > 0 || gpus > 0);
  return workload;
}

bool is_layer_text(std::string_view beginning) {
  const std::size_t begin = std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size());
  beginning.remove_prefix(begin);
  const std::size_t end = std::min(beginning.find_first_of(" \t\r\n"), beginning.size());
  return simai::policy_of(beginning.substr(0, end)).has_value();
}

// Files that lie beside workloads and are none.
std::string what_else(std::string_view text) {
  if (text.starts_with("train_iter"))
    return "is AICB's list of what operators took, of which it makes workloads; give the workload "
           "that it wrote with it";
  if (text.starts_with("id\tName"))
    return "is AICB's list of models, of which it makes workloads; give one of these";
  return "is no workload; expected a first line with a policy (" + simai::policy_words() +
         "), or AICB's columns comm_type,comm_group,...";
}

}  // namespace

bool is_simai(std::string_view beginning) {
  return is_layer_text(beginning) || simai::is_aicb_table(beginning);
}

Result<Workload> parse_simai(std::string_view text, const std::string& where, int gpus) {
  if (simai::is_aicb_table(text)) return simai::parse_aicb_table(text, where);
  if (!is_layer_text(text)) return Error{where, what_else(text)};
  return parse_layer_text(text, where, gpus);
}

Result<Workload> read_simai(const std::filesystem::path& file, int gpus,
                            const ReadingProgress& progress) {
  constexpr std::size_t block = std::size_t{1} << 18, most = std::size_t{1} << 28;
  Result<ByteSource> source = ByteSource::open(file);
  if (!source) return source.error();
  std::string text;
  for (std::size_t count = block; count > 0;) {
    const std::size_t had = text.size();
    text.resize(had + block);
    const Result<std::size_t> got = source->read(std::span(text).subspan(had));
    if (!got) return got.error();
    count = *got;
    text.resize(had + count);
    if (text.size() > most)
      return Error{file.string(), "is of more than 256 MB; expected a workload's rows"};
    if (progress) progress(source->taken(), source->size());
  }
  Result<Workload> workload = parse_simai(text, file.string(), gpus);
  if (workload) workload->name = file.stem().string();
  return workload;
}

}  // namespace quintet
