#include <pybind11/numpy.h>

#include "sim/api/python/given.h"

namespace quintet::python {
namespace {

// A view of the timeline's own memory, which `self` keeps; nobody writes through it.
py::array spans_of(const py::object& self) {
  const auto& spans = self.cast<const api::Timeline&>().spans;
  py::array_t<api::Span> array(static_cast<py::ssize_t>(spans.size()), spans.data(), self);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

void add_parts(py::module_& module) {
  py::class_<api::Instruction>(module, "Instruction", "What all spans of one instruction share.")
      .def_readonly("name", &api::Instruction::name)
      .def_readonly("kind", &api::Instruction::kind,
                    "compute, collective, send, receive, copy or host.")
      .def_readonly("work", &api::Instruction::work,
                    "Of compute the operator, of communication the axis.")
      .def_readonly("lane", &api::Instruction::lane)
      .def_readonly("bytes", &api::Instruction::bytes, "Of communication and copies.")
      .def_readonly("detail", &api::Instruction::detail);
  py::class_<api::Track>(module, "Track", "A rank, or several that do the same at the same time.")
      .def_readonly("rank", &api::Track::rank, "The one shown.")
      .def_readonly("ranks", &api::Track::ranks, "How many it stands for.")
      .def_readonly("stage", &api::Track::stage)
      .def_readonly("role", &api::Track::role)
      .def_readonly("host", &api::Track::host, "Empty where it is not known.");
}

}  // namespace

void add_timeline(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(api::Span, instruction, track, start_ps, moving_ps, end_ps, layer,
                       micro_batch, chunk, bucket, flow);
  add_parts(module);
  py::class_<api::Timeline>(module, "Timeline", "What ranks do when, in picoseconds of the step.")
      .def_readonly("name", &api::Timeline::name)
      .def_readonly("step_ps", &api::Timeline::step_ps, "The step, in picoseconds.")
      .def_readonly("measured", &api::Timeline::measured, "False: predicted.")
      .def_readonly("instructions", &api::Timeline::instructions)
      .def_readonly("tracks", &api::Timeline::tracks)
      .def_property_readonly(
          "spans", &spans_of,
          "A structured numpy array, by track and start: instruction, track (indices into the "
          "lists), start_ps, moving_ps (communication: when all peers were there), end_ps "
          "(picoseconds), layer, micro_batch, chunk, bucket, flow (-1: none). Read-only.");
  py::class_<api::Trace>(module, "Trace", "A trace file, as compare() takes it.")
      .def("timeline", &api::Trace::timeline, py::call_guard<py::gil_scoped_release>(),
           "What it shows.");
  module.def(
      "load_trace",
      [](const py::object& path) {
        const std::string file = path_text(path);
        const py::gil_scoped_release others_run;
        return api::load_trace(file);
      },
      py::arg("path"), "A trace of quintet simulate --trace or quintet run --timeline.");
}

}  // namespace quintet::python
