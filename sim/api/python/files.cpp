#include "sim/api/python/given.h"

namespace quintet::python {
namespace {

bool is_mapping(const py::object& given) {
  return py::isinstance(given, py::module_::import("collections.abc").attr("Mapping"));
}

// `load`: of a path or name; `parse`: of JSON.
template <class Value, class Load, class Parse>
Value given_value(const py::object& given, Load load, Parse parse) {
  if (py::isinstance<Value>(given)) return given.cast<Value>();
  const bool mapping = is_mapping(given);
  const std::string text = mapping ? json_text(given) : path_text(given);
  const py::gil_scoped_release others_run;
  return mapping ? parse(text) : load(text);
}

std::string setting_value(const py::handle& value, bool listed) {
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  const bool several =
      listed && py::isinstance<py::iterable>(value) && !py::isinstance<py::dict>(value);
  if (!several) return json_text(value);
  std::string text;
  for (const py::handle each : value)
    text += (text.empty() ? "" : ",") + setting_value(each, false);
  return text;
}

template <class Value>
py::class_<Value> file_class(py::module_& module, const char* name, const char* doc) {
  return py::class_<Value>(module, name, doc)
      .def_property_readonly(
          "where", [](const Value& value) { return value.file.where; },
          "Its path, or what messages call it.")
      .def(
          "dict", [](const Value& value) { return json_value(value.file.json); },
          "The file's content.")
      .def_readonly("name", &Value::name)
      .def("__eq__", [](const Value& one, const Value& other) { return one == other; })
      .def("__repr__", [name = std::string(name)](const Value& value) {
        return "<quintet." + name + " " + value.name + ">";
      });
}

}  // namespace

std::string path_text(const py::handle& path) {
  return py::module_::import("os").attr("fspath")(path).cast<std::string>();
}

std::string json_text(const py::handle& value) {
  return py::module_::import("json").attr("dumps")(value).cast<std::string>();
}

py::object json_value(const std::string& json) {
  return py::module_::import("json").attr("loads")(json);
}

api::Model given_model(const py::object& given) {
  return given_value<api::Model>(given, api::load_model,
                                 [](const std::string& json) { return api::model_of(json); });
}

api::Topology given_topology(const py::object& given, std::optional<int> hosts) {
  api::Topology machine = given_value<api::Topology>(
      given, [&](const std::string& name) { return api::load_topology(name, hosts); },
      [&](const std::string& json) { return api::topology_of(json, hosts); });
  if (hosts) machine.hosts_asked = hosts;
  return machine;
}

api::Plan given_plan(const py::object& given) {
  if (given.is_none()) return {};
  return given_value<api::Plan>(given, api::load_plan,
                                [](const std::string& json) { return api::plan_of(json); });
}

api::Costs given_costs(const py::object& given) {
  return given_value<api::Costs>(given, api::load_costs,
                                 [](const std::string& json) { return api::costs_of(json); });
}

std::vector<std::string> given_settings(const py::object& given, bool listed) {
  std::vector<std::string> settings;
  if (given.is_none()) return settings;
  if (!is_mapping(given)) return given.cast<std::vector<std::string>>();
  for (const auto& [field, value] : py::dict(given))
    settings.push_back(py::str(field).cast<std::string>() + "=" + setting_value(value, listed));
  return settings;
}

void add_files(py::module_& module) {
  file_class<api::Model>(module, "Model", "What is trained: a Hugging Face config.json.")
      .def_readonly("parameters", &api::Model::parameters)
      .def_readonly("layers", &api::Model::layers)
      .def_readonly("hidden", &api::Model::hidden, "Width of the residual stream.")
      .def_readonly("heads", &api::Model::heads)
      .def_readonly("vocabulary", &api::Model::vocabulary)
      .def_readonly("longest_sequence", &api::Model::longest_sequence, "In tokens.");
  file_class<api::Topology>(module, "Topology", "The machine that trains it.")
      .def_readonly("description", &api::Topology::description)
      .def_readonly("device", &api::Topology::device, "\"H100-SXM-80GB\", or \"CPU\".")
      .def_readonly("hosts", &api::Topology::hosts)
      .def_readonly("ranks", &api::Topology::ranks, "GPUs, or rank slots of hosts without.");
  file_class<api::Plan>(module, "Plan", "How it is trained: the five layers.")
      .def_readonly("ranks", &api::Plan::ranks);
  file_class<api::Costs>(module, "Costs", "What hardware was measured to do.")
      .def_readonly("gpu", &api::Costs::gpu, "Of which it was measured; \"any\".");
  module.def(
      "load_model", &given_model, py::arg("source"),
      "A model: the name of a shipped one, a path to a config.json or its folder, or a dict.");
  module.def("load_topology", &given_topology, py::arg("source"), py::arg("hosts") = py::none(),
             "A machine: a shipped name, a path, or a dict. hosts: instead of the file's number.");
  module.def("load_plan", &given_plan, py::arg("source"),
             "A plan: a shipped name, a path, or a dict.");
  module.def("load_costs", &given_costs, py::arg("source"),
             "A cost table: a shipped name, a path, or a dict.");
  module.def("shipped_models", &api::shipped_models);
  module.def("shipped_topologies", &api::shipped_topologies);
  module.def("shipped_plans", &api::shipped_plans);
  module.def("shipped_costs", &api::shipped_costs);
}

}  // namespace quintet::python
