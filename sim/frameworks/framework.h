// Plans in the words of training frameworks, and back.
//
// What cannot be said is found, not remembered: what was written is read again, and each field in
// which that plan differs from the one that was to be said is listed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/frameworks/argument.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

// A field that the framework has no word for, or whose word means something else.
struct Unsaid {
  std::string field;  // "parallelism.clipping"
  std::string value;  // the plan's, as JSON
  std::string said;   // what the framework will do, as far as a plan's field can tell
  std::string reason;
  bool operator==(const Unsaid&) const = default;
};

struct ExportedPlan {
  std::string text;  // of the file
  std::vector<Unsaid> unsaid;
};

struct ImportedPlan {
  Plan plan;
  std::vector<NotUnderstood> not_understood;  // in the order of lines
};

// What a framework's file leaves to others.
struct ImportNeeds {
  std::optional<int> ranks;   // in all, where the file does not say
  std::optional<int> layers;  // of the model, where the file names the model only
  std::optional<int> sequence_length = {};
};

struct FrameworkRow {
  std::string_view name;  // of --to and --from
  std::string_view description;
  std::span<const ArgumentRow> arguments;
  std::string (*written)(const Plan& plan, const Model& model, const Topology& topology);
  Result<ImportedPlan> (*read)(const std::string& text, const std::string& where,
                               const ImportNeeds& needs);
  // Why a field that differs is not said.
  std::string (*reason)(const Plan& plan, std::string_view field);
  // What was written, with the list in it, in a way that its reader passes over.
  std::string (*with_remarks)(const std::string& text, const std::vector<Unsaid>& unsaid);
};

std::span<const FrameworkRow> frameworks();
const FrameworkRow* framework_of(std::string_view name);

// The plan must fit model and machine (problems() is empty).
ExportedPlan exported(const FrameworkRow& framework, const Plan& plan, const Model& model,
                      const Topology& topology);

// `where` names the text in errors, which are of "where:line".
Result<ImportedPlan> imported(const FrameworkRow& framework, const std::string& text,
                              const std::string& where, const ImportNeeds& needs);

// What quintet prints of them: a table, empty where the list is.
std::string unsaid_text(const std::vector<Unsaid>& unsaid);
std::string not_understood_text(const std::string& where, const std::vector<NotUnderstood>& list);

}  // namespace quintet
