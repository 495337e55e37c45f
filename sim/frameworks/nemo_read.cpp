#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/frameworks/megatron.h"
#include "sim/frameworks/nemo.h"

namespace quintet::nemo {
namespace {

// Fields of ConfigContainer in which a plan's decisions stand.
constexpr std::array groups{"model.", "train.",           "ddp.",         "optimizer.",
                            "dist.",  "mixed_precision.", "comm_overlap."};

struct Preset {
  std::string_view name;
  bool bf16 = true;
  bool whole_gradients = true;   // reduced in fp32
  std::string_view recipe = {};  // of fp8, hybrid; empty: none
  bool delayed_by_many = false;  // the largest of 1024 steps
  bool ends_in_bf16 = false;     // first and last layer without fp8
};
// mixed_precision.py's functions, of those that a plan can say.
constexpr std::array presets{
    Preset{"bf16_mixed"},
    Preset{"fp16_mixed", false, false},
    Preset{"bf16_with_fp8_delayed_scaling_mixed", true, true, "delayed", true},
    Preset{"fp16_with_fp8_delayed_scaling_mixed", false, false, "delayed", true},
    Preset{"bf16_with_fp8_current_scaling_mixed", true, true, "tensorwise", false, true},
    Preset{"fp16_with_fp8_current_scaling_mixed", false, false, "tensorwise", false, true},
    Preset{"bf16_with_fp8_subchannel_scaling_mixed", true, true, "blockwise"},
    Preset{"fp16_with_fp8_subchannel_scaling_mixed", false, false, "blockwise"}};

// CommOverlapConfig's own where several ranks share data: 128 x 2^20 parameters.
constexpr const char* overlap_bucket = "134217728";

// The last assignment of a field counts; one of a whole object forgets its fields.
std::vector<Assignment> that_hold(const std::vector<Assignment>& all) {
  std::vector<Assignment> hold;
  for (const Assignment& each : all) {
    const auto covered = [&](const Assignment& earlier) {
      return earlier.path == each.path || earlier.path.starts_with(each.path + ".");
    };
    hold.erase(std::remove_if(hold.begin(), hold.end(), covered), hold.end());
    hold.push_back(each);
  }
  return hold;
}

class PythonReader {
 public:
  PythonReader(const PythonText& python, const std::string& where, const ImportNeeds& needs,
               ImportedPlan& into)
      : where_(where), into_(into), needs_(needs), fields_(that_hold(python.assignments)) {
    if (!needs_.ranks && python.ranks > 0) needs_.ranks = python.ranks;
  }

  Result<std::vector<GivenArgument>> read() {
    for (const Assignment& each : fields_)
      if (auto error = take(each)) return *error;
    if (!needs_.ranks)
      return Error{where_, "does not say how many ranks there are (RANKS = 16); give --ranks"};
    if (!arguments_.contains("--seq-length") && needs_.sequence_length)
      give("--seq-length", std::to_string(*needs_.sequence_length), 0);
    number_types();
    overlap();
    forget_pieces();
    if (arguments_.contains("--use-megatron-fsdp")) {
      if (arguments_.contains("--use-tp-pp-dp-mapping"))
        return Error{place(arguments_["--use-tp-pp-dp-mapping"].line),
                     "dist.use_tp_pp_dp_mapping excludes ddp.use_megatron_fsdp"};
      // Nothing is checked here where no checkpoints are kept.
      if (!arguments_.contains("--ckpt-format")) give("--ckpt-format", "fsdp_dtensor", 0);
    }
    std::vector<GivenArgument> all;
    for (const auto& [name, argument] : arguments_) all.push_back(argument);
    return all;
  }

  const ImportNeeds& needs() const { return needs_; }

 private:
  std::string place(int line) const { return fmt::format("{}:{}", where_, line); }
  void give(const std::string& name, const std::string& value, int line) {
    arguments_[name] = {name, value, line};
  }
  void leave_out(const Assignment& field, std::string why) {
    into_.not_understood.push_back(
        {field.line, shown(field.path + " = " + field.value, 80), std::move(why)});
  }
  const Assignment* field(std::string_view path) const {
    const auto found = std::find_if(fields_.begin(), fields_.end(),
                                    [&](const Assignment& each) { return each.path == path; });
    return found == fields_.end() || found->value == "None" ? nullptr : &*found;
  }
  bool is_true(std::string_view path, bool usual) const {
    const Assignment* const found = field(path);
    return found == nullptr ? usual : found->value == "True";
  }
  std::string text(std::string_view path, std::string_view usual) const {
    const Assignment* const found = field(path);
    return found == nullptr ? std::string(usual) : found->value;
  }
  int whole(const std::string& name) const {
    const auto found = arguments_.find(name);
    return found == arguments_.end()
               ? 1
               : Arguments("", {found->second}).integer(found->second.name, 1);
  }

  std::optional<Error> take(const Assignment& each) {
    const ArgumentRow* const row = row_of(arguments(), each.path);
    if (row == nullptr) {
      const bool counts = std::any_of(groups.begin(), groups.end(), [&](const char* group) {
        return each.path.starts_with(group);
      });
      if (counts) leave_out(each, "is not known here");
      return std::nullopt;
    }
    if (each.computed) {
      leave_out(each, "has a value that is computed");
      return std::nullopt;
    }
    if (each.value == "None") return std::nullopt;
    const bool is_flag = row->type == ArgumentType::flag;
    if (is_flag && each.value != "True" && each.value != "False")
      return Error{place(each.line), fmt::format("{}: expected True or False, found {}", each.path,
                                                 in_quotes(each.value))};
    if (const auto wrong = quintet::refusal(*row, is_flag ? "" : each.value))
      return Error{place(each.line), *wrong};
    for (const FieldRow& known : fields()) {
      if (known.path != each.path) continue;
      const char* const given = known.literal == Literal::negated ? "False" : "True";
      if (!is_flag)
        give(std::string(known.argument), each.value, each.line);
      else if (each.value == given)
        give(std::string(known.argument), "", each.line);
    }
    return std::nullopt;
  }

  // Beside a layout the number of its pieces may stand, where Megatron-LM's arguments exclude it.
  void forget_pieces() {
    const auto layout = arguments_.find("--pipeline-model-parallel-layout");
    if (layout == arguments_.end()) return;
    const Result<std::vector<int>> layers = megatron::layers_of_layout(layout->second.value);
    const int pieces = whole("--num-virtual-stages-per-pipeline-rank");
    if (layers &&
        static_cast<int>(layers->size()) == pieces * whole("--pipeline-model-parallel-size"))
      arguments_.erase("--num-virtual-stages-per-pipeline-rank");
  }

  // What mixed_precision is set to by name, if that is known; fields are set beside it.
  Preset preset() {
    const Assignment* const found = field("mixed_precision");
    Preset own{"MixedPrecisionConfig", is_true("mixed_precision.bf16", false)};
    if (found == nullptr) {
      const auto any = [](const Assignment& each) {
        return each.path.starts_with("mixed_precision.");
      };
      if (std::none_of(fields_.begin(), fields_.end(), any))
        into_.not_understood.push_back(
            {0, "mixed_precision = of the recipe", "bf16_mixed is taken"});
      own.bf16 = is_true("mixed_precision.bf16", true);
      return own;
    }
    std::string name = found->value.substr(0, found->value.find('('));
    std::replace(name.begin(), name.end(), '-', '_');
    if (name == "MixedPrecisionConfig") return own;
    for (const Preset& each : presets)
      if (each.name == name) {
        if (each.ends_in_bf16) leave_out(*found, "a plan has fp8 in the first and last layer too");
        return each;
      }
    leave_out(*found, "a plan has no such numbers; bf16_mixed is taken");
    return presets.front();
  }

  void number_types() {
    const Preset known = preset();
    const Assignment* const object = field("mixed_precision");
    const int line = object == nullptr ? 0 : object->line;
    const bool is_own = known.name == "MixedPrecisionConfig";
    const bool bf16 = is_true("mixed_precision.bf16", known.bf16);
    const bool fp16 = is_true("mixed_precision.fp16", !is_own && !known.bf16);
    if (bf16) give("--bf16", "", line);
    if (fp16) give("--fp16", "", line);
    const bool whole_gradients =
        is_true("mixed_precision.grad_reduce_in_fp32", known.whole_gradients);
    if (bf16 && !whole_gradients) give("--grad-reduce-in-bf16", "", line);
    if (fp16 && whole_gradients) give("--accumulate-allreduce-grads-in-fp32", "", line);
    if (const Assignment* const scale = field("mixed_precision.loss_scale"))
      give("--loss-scale", scale->value, scale->line);
    const std::string format = text("mixed_precision.fp8", known.recipe.empty() ? "" : "hybrid");
    if (format.empty()) return;
    give("--fp8-format", format, line);
    const std::string_view usual = known.recipe.empty() ? "tensorwise" : known.recipe;
    give("--fp8-recipe", text("mixed_precision.fp8_recipe", usual), line);
    const bool many = known.delayed_by_many;
    give("--fp8-amax-history-len",
         text("mixed_precision.fp8_amax_history_len", many ? "1024" : "1"), line);
    give("--fp8-amax-compute-algo",
         text("mixed_precision.fp8_amax_compute_algo", many ? "max" : "most_recent"), line);
    give("--fp8-margin", text("mixed_precision.fp8_margin", "0"), line);
  }

  // CommOverlapConfig.setup, which writes over model and ddp.
  void overlap() {
    const Assignment* const object = field("comm_overlap");
    if (object == nullptr || !object->value.ends_with("()")) return;
    const auto set = [&](const char* name, bool is_so) {
      arguments_.erase(name);
      if (is_so) give(name, "", object->line);
    };
    const bool tensor = is_true("comm_overlap.tp_comm_overlap", false);
    const bool can =
        whole("--tensor-model-parallel-size") > 1 && arguments_.contains("--sequence-parallel");
    if (tensor && !can) leave_out(*object, "tp_comm_overlap is switched off without both");
    set("--tp-comm-overlap", tensor && can);
    const std::int64_t others = std::int64_t{whole("--tensor-model-parallel-size")} *
                                whole("--pipeline-model-parallel-size") *
                                whole("--context-parallel-size");
    if (!arguments_.contains("--use-distributed-optimizer")) return;
    const bool several = *needs_.ranks > others;
    set("--overlap-grad-reduce", is_true("comm_overlap.overlap_grad_reduce", several));
    set("--overlap-param-gather", is_true("comm_overlap.overlap_param_gather", several));
    arguments_.erase("--ddp-bucket-size");
    const std::string bucket = text("comm_overlap.bucket_size", several ? overlap_bucket : "");
    if (!bucket.empty()) give("--ddp-bucket-size", bucket, object->line);
  }

  const std::string& where_;
  ImportedPlan& into_;
  ImportNeeds needs_;
  std::vector<Assignment> fields_;
  std::map<std::string, GivenArgument> arguments_;
};

std::optional<Error> take_environment(const PythonText& python, const std::string& where,
                                      ImportedPlan& into) {
  for (const EnvironmentVariable& each : python.environment) {
    if (!each.name.starts_with("NCCL_")) continue;
    const Result<bool> taken = take_nccl_variable(each, into.plan);
    if (!taken) return Error{where, taken.error().what};
    if (!*taken)
      into.not_understood.push_back(
          {0, shown(each.name + "=" + each.value, 80), "a plan has no field for it"});
  }
  return std::nullopt;
}

std::string connections_of(const PythonText& python) {
  for (const EnvironmentVariable& each : python.environment)
    if (each.name == "CUDA_DEVICE_MAX_CONNECTIONS") return each.value;
  return "";
}

Error in_fields_too(const Error& error) {
  return {error.where, in_fields(error.what)};
}

}  // namespace

Result<ImportedPlan> read(const std::string& text, const std::string& where,
                          const ImportNeeds& needs) {
  const Result<PythonText> python = read_python(text, where);
  if (!python) return python.error();
  ImportedPlan imported;
  PythonReader reader(*python, where, needs, imported);
  Result<std::vector<GivenArgument>> arguments = reader.read();
  if (!arguments) return arguments.error();
  const Arguments given(where, std::move(*arguments));
  if (auto error = megatron::refusal(given, connections_of(*python))) return in_fields_too(*error);
  if (auto error = megatron::understand(given, reader.needs(), imported))
    return in_fields_too(*error);
  if (auto error = take_environment(*python, where, imported)) return *error;
  for (NotUnderstood& each : imported.not_understood) each.what = in_fields(each.what);
  std::stable_sort(imported.not_understood.begin(), imported.not_understood.end(),
                   [](const auto& one, const auto& other) { return one.line < other.line; });
  return imported;
}

}  // namespace quintet::nemo
