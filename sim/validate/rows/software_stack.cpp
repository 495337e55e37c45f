#include "sim/validate/rows/software_stack.h"

#include <algorithm>
#include <utility>

#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"

namespace quintet {

namespace {

void need_source(JsonObject& fields) {
  if (fields.text("source").empty() && !fields.failed())
    fields.fail("source", "must say where the numbers come from");
}

void finish(JsonObject& child, JsonObject& parent) {
  if (!child.failed()) child.refuse_unknown_keys();
  parent.adopt(child);
}

double share(JsonObject& fields, const char* key, double fallback, double most) {
  const double value = fields.number_or(key, fallback);
  if (!fields.failed() && (value < 0 || value > most))
    fields.fail(key, "expected a number from 0 to " + dumped(most) + ", found " + dumped(value));
  return value;
}

std::vector<std::string> read_texts(JsonObject& fields, const char* key) {
  std::vector<std::string> texts;
  const nlohmann::json* const json = fields.raw(key);
  if (json && json->is_array())
    for (const nlohmann::json& element : *json)
      if (element.is_string()) texts.push_back(element.get<std::string>());
  const bool whole = json && json->is_array() && texts.size() == json->size() && !texts.empty();
  if (!whole && !fields.failed())
    fields.fail(key, "expected an array of at least one text, such as [\"Megatron-LM\"]");
  return texts;
}

void read_kernels(JsonObject& root, CompileOptions& into) {
  JsonObject fields = root.object("kernels");
  if (root.failed()) return;
  const Fusion usual;
  Fusion& fusion = into.fusion;
  fusion.norm = fields.boolean_or("fused_norm", usual.norm);
  fusion.norm_residual = fields.boolean_or("fused_norm_residual", usual.norm_residual);
  fusion.bias_dropout_residual =
      fields.boolean_or("fused_bias_dropout_residual", usual.bias_dropout_residual);
  fusion.bias_activation = fields.boolean_or("fused_bias_activation", usual.bias_activation);
  fusion.rotary = fields.boolean_or("fused_rotary", usual.rotary);
  fusion.masked_softmax = fields.boolean_or("fused_softmax", usual.masked_softmax);
  fusion.cross_entropy = fields.boolean_or("fused_cross_entropy", usual.cross_entropy);
  fusion.gradient_accumulation =
      fields.boolean_or("fused_gradient_accumulation", usual.gradient_accumulation);
  fusion.mask_in_place = fields.boolean_or("mask_in_place", usual.mask_in_place);
  fusion.whole_logits = fields.boolean_or("whole_logits", usual.whole_logits);
  fusion.gathered_inputs_kept =
      fields.boolean_or("gathered_inputs_kept", usual.gathered_inputs_kept);
  fusion.norm_weight_in_fp32 = fields.boolean_or("norm_weight_in_fp32", usual.norm_weight_in_fp32);
  fusion.tensor_reduction_hidden =
      fields.boolean_or("tensor_reduction_hidden", usual.tensor_reduction_hidden);
  fusion.dummy_weight_gradients =
      fields.boolean_or("dummy_weight_gradients", usual.dummy_weight_gradients);
  into.list_collectives = fields.boolean_or("list_collectives", false);
  into.sums_whole_gradients = fields.boolean_or("sums_whole_gradients", false);
  into.synchronises_after_receive = fields.boolean_or("synchronises_after_receive", false);
  into.waits_for_sends = fields.boolean_or("waits_for_sends", false);
  into.vocabulary_multiple = fields.integer_or("vocabulary_multiple", 1, 1, 65'536);
  need_source(fields);
  finish(fields, root);
}

void read_model(JsonObject& root, SoftwareStack& stack) {
  JsonObject fields = root.object("model");
  if (root.failed()) return;
  stack.dropout = share(fields, "dropout", 0, 0.99);
  stack.attention_dropout = share(fields, "attention_dropout", 0, 0.99);
  stack.dropout_at_zero_rate = fields.boolean_or("dropout_at_zero_rate", false);
  stack.tied_embeddings = fields.boolean("tied_embeddings");
  if (fields.has("headless")) stack.headless = read_texts(fields, "headless");
  need_source(fields);
  finish(fields, root);
}

void read_plan(JsonObject& root, SoftwareStack& stack) {
  JsonObject fields = root.object("plan");
  if (root.failed()) return;
  stack.sharding = fields.one_of<Sharding>("sharding", {{"none", Sharding::none},
                                                        {"optimizer", Sharding::optimizer},
                                                        {"gradients", Sharding::gradients},
                                                        {"parameters", Sharding::parameters}});
  stack.recompute = fields.one_of<Recompute>(
      "recompute",
      {{"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}});
  stack.selective = fields.one_of_or<SelectiveRecompute>(
      "selective", SelectiveRecompute::attention_core,
      {{"attention_core", SelectiveRecompute::attention_core},
       {"alternate_products", SelectiveRecompute::alternate_products},
       {"layers", SelectiveRecompute::layers}});
  stack.compile.fusion.alternate_products_kept =
      stack.selective == SelectiveRecompute::alternate_products;
  stack.attention = fields.one_of<AttentionChoice>(
      "attention", {{"unfused", AttentionChoice::unfused}, {"flash", AttentionChoice::flash}});
  stack.stage_cut = fields.one_of_or<StageCut>("stage_cut", StageCut::layers,
                                               {{"layers", StageCut::layers},
                                                {"modules", StageCut::modules},
                                                {"parameters", StageCut::parameters}});
  if (fields.has("compute_type")) stack.compute_type = fields.data_type("compute_type");
  stack.whole_batch_without_pipeline = fields.boolean_or("whole_batch_without_pipeline", false);
  if (fields.has("micro_batch_parameters"))
    stack.micro_batch_parameters = fields.number("micro_batch_parameters");
  stack.gradient_type = fields.data_type("gradient_type");
  stack.master_weights = fields.boolean_or("master_weights", true);
  stack.clipping = fields.one_of_or<Clipping>("clipping", Clipping::after_reduction,
                                              {{"none", Clipping::none},
                                               {"after_reduction", Clipping::after_reduction},
                                               {"before_reduction", Clipping::before_reduction},
                                               {"per_bucket", Clipping::per_bucket}});
  stack.overlap_gradients = fields.boolean("overlap_gradients");
  stack.overlap_parameters = fields.boolean("overlap_parameters");
  stack.overlap_tensor = fields.boolean("overlap_tensor");
  stack.bucket = fields.bytes_or("bucket", Bytes{0});
  need_source(fields);
  finish(fields, root);
}

void read_costs(JsonObject& root, StackCosts& into) {
  JsonObject fields = root.object_or_empty("costs");
  if (root.failed() || !root.has("costs")) return;
  if (fields.has("eager")) into.eager = fields.seconds("eager");
  if (fields.has("collective")) into.collective = fields.seconds("collective");
  if (fields.has("step")) into.step = fields.seconds("step");
  if (fields.has("framework_memory")) into.framework_memory = fields.bytes("framework_memory");
  if (fields.has("communicator_memory"))
    into.communicator_memory = fields.bytes("communicator_memory");
  if (fields.has("fragmentation")) into.fragmentation = share(fields, "fragmentation", 0, 1);
  if (fields.has("attention_rate")) into.attention_rate = share(fields, "attention_rate", 1, 2);
  if (fields.has("norm_factor")) into.norm_factor = share(fields, "norm_factor", 1, 10);
  need_source(fields);
  finish(fields, root);
}

}  // namespace

Result<SoftwareStack> parse_stack(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  SoftwareStack stack;
  stack.name = root.text("name");
  stack.frameworks = read_texts(root, "frameworks");
  stack.source = root.text("source");
  root.raw("free");  // tunable_shelf.h reads it
  read_kernels(root, stack.compile);
  read_model(root, stack);
  read_plan(root, stack);
  read_costs(root, stack.costs);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return stack;
}

Result<SoftwareStack> read_stack(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_stack(*text, file.string());
}

Result<std::vector<std::filesystem::path>> stack_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error) return Error{directory.string(), error.message()};
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<SoftwareStack>> read_stacks(const std::filesystem::path& directory) {
  const auto files = stack_files(directory);
  if (!files) return files.error();
  std::vector<SoftwareStack> stacks;
  for (const std::filesystem::path& file : *files) {
    Result<SoftwareStack> stack = read_stack(file);
    if (!stack) return stack.error();
    stacks.push_back(std::move(*stack));
  }
  return stacks;
}

const SoftwareStack* stack_of(const std::vector<SoftwareStack>& stacks,
                              const std::string& framework) {
  const SoftwareStack* best = nullptr;
  std::size_t longest = 0;
  for (const SoftwareStack& stack : stacks)
    for (const std::string& text : stack.frameworks)
      if (text.size() > longest && framework.find(text) != std::string::npos)
        best = &stack, longest = text.size();
  return best;
}

CostTable with_stack(CostTable costs, const StackCosts& stack) {
  costs.launch.eager = stack.eager.value_or(costs.launch.eager);
  costs.launch.collective = stack.collective.value_or(costs.launch.collective);
  costs.launch.step = stack.step.value_or(costs.launch.step);
  costs.framework_memory = stack.framework_memory.value_or(costs.framework_memory);
  costs.communicator_memory = stack.communicator_memory.value_or(costs.communicator_memory);
  costs.fragmentation = stack.fragmentation.value_or(costs.fragmentation);
  for (AttentionCosts& attention : costs.attention) {
    attention.forward_efficiency *= stack.attention_rate.value_or(1.0);
    attention.backward_efficiency *= stack.attention_rate.value_or(1.0);
  }
  for (MemoryCosts& memory : costs.memory) {
    if (memory.operation != MemoryOperation::norm) continue;
    memory.bandwidth = memory.bandwidth / stack.norm_factor.value_or(1.0);
    memory.cached = memory.cached / stack.norm_factor.value_or(1.0);
    memory.wave_start = memory.wave_start * stack.norm_factor.value_or(1.0);
  }
  return costs;
}

}  // namespace quintet
