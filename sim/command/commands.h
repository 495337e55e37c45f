// The verbs of `quintet`.
#pragma once

#include <memory>

#include "sim/usage/verb.h"

namespace quintet {

// Each with its options and help; run_verb (sim/usage) runs one.
std::unique_ptr<Verb> simulate_verb();
std::unique_ptr<Verb> search_verb();
std::unique_ptr<Verb> jobs_verb();
std::unique_ptr<Verb> compare_verb();
std::unique_ptr<Verb> sweep_verb();
std::unique_ptr<Verb> plan_verb();
std::unique_ptr<Verb> schema_verb();
std::unique_ptr<Verb> topology_verb();
std::unique_ptr<Verb> validate_verb();
std::unique_ptr<Verb> list_verb();
std::unique_ptr<Verb> completion_verb();
// The program's own; it outlives the verb.
std::unique_ptr<Verb> help_verb(const CommandLine& program);

}  // namespace quintet
