// What a command line says of fields of files: "--set parallelism.tensor=4,8 --set
// host.nic.bandwidth=400Gbps", and the flags that are short for it.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/json/field_change.h"
#include "sim/usage/verb.h"

namespace quintet {

enum class AskedFile { plan, topology, costs, prices };

// A field, in one of the files, and the values that it is to have, one after the other.
struct AskedField {
  AskedFile file = AskedFile::plan;
  std::string path;                 // in the file
  std::vector<std::string> values;  // one or more
  std::string option;               // what stands before a value in messages: "--tensor "
  bool operator==(const AskedField&) const = default;
};
using AskedFields = std::vector<AskedField>;

// "LAYER.FIELD=VALUE[,VALUE]". Layers: parallelism, ccl, intra_inter, host_net, network (of the
// plan or of the machine, as the field is), run, host, topology (any field of its file), costs,
// prices; plan.FIELD is any field of the plan's file. Short names of fields are ours
// ("parallelism.tp"). The error says which layers there are, or in which one the field is.
Result<AskedField> asked_field(const std::string& given);
// Fails too where a field is set twice.
Result<AskedFields> asked_fields(const std::vector<std::string>& given);

// Changes of each file.
struct AskedChanges {
  FieldChanges plan, topology, costs, prices;
  // What differs from other combinations: "tensor 4, pipeline 2"; empty where nothing does.
  std::string varied;
};

// One of each setting's values: all combinations, the last setting's values varying first. One,
// without changes, where there are no settings. Fails above a hundred thousand.
Result<std::vector<AskedChanges>> combinations(const AskedFields& settings);

// "--set", to be repeated.
Option set_option(std::vector<std::string>& into);

// For verbs that read one combination only: no list of values, and no file that they do not read
// (`why` says why: "training takes the time it takes").
Result<AskedChanges> one_combination(const std::vector<std::string>& given,
                                     const std::vector<AskedFile>& read, const std::string& why);

}  // namespace quintet
