// import quintet: the library (sim/api/quintet) for Python.
#include "sim/api/python/given.h"

namespace quintet::python {
namespace {

// quintet.Error with `place` and `reason`.
void raise(const py::object& type, const api::Failure& failure) {
  const py::object error = type(failure.what());
  error.attr("place") = failure.place();
  error.attr("reason") = failure.reason();
  PyErr_SetObject(type.ptr(), error.ptr());
}

// The interpreter keeps the class as long as the module, which it never unloads.
void add_error(py::module_& module) {
  static PyObject* type = nullptr;
  type = PyErr_NewExceptionWithDoc(
      "quintet.Error",
      "What was given is wrong.\n\nplace: where, as \"plan.json: parallelism.tensor\"\n"
      "reason: what was found, and what would be accepted",
      PyExc_ValueError, nullptr);
  if (type == nullptr) throw py::error_already_set();
  module.attr("Error") = py::handle(type);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const api::Failure& failure) {
      raise(py::reinterpret_borrow<py::object>(type), failure);
    }
  });
}

}  // namespace
}  // namespace quintet::python

PYBIND11_MODULE(_quintet, module) {
  using namespace quintet;
  module.doc() = "Predicts distributed training steps.";
  python::add_error(module);
  python::add_files(module);
  python::add_timeline(module);
  python::add_results(module);
  module.attr("__version__") = api::version();
  module.def("version_text", &api::version_text, "As quintet --version prints it.");
  module.def("data_folder", &api::data_folder, "Where the shipped files lie.");
}
