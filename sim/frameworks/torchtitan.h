// torchtitan's job configuration, a TOML file.
//
// Keys, types, choices and defaults: github.com/pytorch/torchtitan, torchtitan/config/job_config.py
// at commit 6404b932421f5ce382e7dac5ad381b2c17b1373c; how layers are dealt to stages where the file
// does not say (generate_llm_fqn_per_model_part): torchtitan/distributed/pipeline_parallel.py.
//
// NCCL's environment variables are no part of the file: what they would say is listed with them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/frameworks/argument.h"
#include "sim/frameworks/framework.h"

namespace quintet::torchtitan {

std::span<const ArgumentRow> arguments();

// Of a TOML text; lists of module names stand apart.
struct TomlValues {
  std::vector<GivenArgument> given;
  std::vector<std::vector<std::string>> model_parts;  // module_fqns_per_model_part
  int model_parts_line = 0;
  std::vector<NotUnderstood> not_understood;
};

// Fails with "where:line" at what is no TOML and at a value of another type or choice.
Result<TomlValues> read_toml(const std::string& text, const std::string& where);

std::string written(const Plan& plan, const Model& model, const Topology& topology);
Result<ImportedPlan> read(const std::string& text, const std::string& where,
                          const ImportNeeds& needs);
std::string reason(const Plan& plan, std::string_view field);

// Layers of each piece by torchtitan's rule: the first has `first_less` fewer, the last
// `last_less`; what does not divide goes to the first pieces. Empty: they cannot be dealt so.
std::vector<int> dealt_layers(int pieces, int layers, int first_less, int last_less);

}  // namespace quintet::torchtitan
