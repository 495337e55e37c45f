// What Python hands over, as the library's values; and the other way round. JSON is made and read
// by Python's own json module.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "quintet/quintet.h"

namespace quintet::python {

namespace py = pybind11;

// Each takes a value of its class, a dict, or a path or shipped name (str or os.PathLike).
api::Model given_model(const py::object& given);
api::Topology given_topology(const py::object& given, std::optional<int> hosts);
api::Plan given_plan(const py::object& given);
api::Costs given_costs(const py::object& given);

std::string path_text(const py::handle& path);
std::string json_text(const py::handle& value);
py::object json_value(const std::string& json);

// {"parallelism.tensor": 4} or ["parallelism.tensor=4"]; None: nothing. `listed`: a list as the
// value of a field is several values, otherwise one.
std::vector<std::string> given_settings(const py::object& given, bool listed);

// Each adds its classes and functions.
void add_files(py::module_& module);
void add_timeline(py::module_& module);
void add_results(py::module_& module);

}  // namespace quintet::python
