#include <utility>

#include "sim/api/python/given.h"

namespace quintet::python {
namespace {

using ReleasesGil = py::call_guard<py::gil_scoped_release>;

const char* fit_text(api::Fit fit) {
  switch (fit) {
    case api::Fit::not_known:
      return "not known";
    case api::Fit::fits:
      return "fits";
    case api::Fit::too_close:
      return "too close to tell";
    case api::Fit::does_not_fit:
      return "does not fit";
  }
  return "";
}

// The numbers of `Class`, which `numbers_of` gives.
template <class Class, class NumbersOf>
void add_numbers(py::class_<Class>& to, NumbersOf numbers_of) {
  const auto add = [&](const char* name, auto member, const char* doc) {
    to.def_property_readonly(
        name, [=](const Class& self) { return numbers_of(self).*member; }, doc);
  };
  using api::Numbers;
  add("step_s", &Numbers::step_s, "The step, in seconds.");
  add("low_s", &Numbers::low_s, "Nine of ten such steps take longer, in seconds; None: not known.");
  add("high_s", &Numbers::high_s, "Nine of ten such steps are done by then, in seconds; or None.");
  add("mfu", &Numbers::mfu, "Model FLOPs utilisation, a share from 0 to 1.");
  add("hfu", &Numbers::hfu, "Hardware FLOPs utilisation, recomputation included, 0 to 1.");
  add("tokens_per_s", &Numbers::tokens_per_s, "Tokens per second, all GPUs together.");
  add("tokens_per_s_per_gpu", &Numbers::tokens_per_s_per_gpu, "Tokens per second and GPU.");
  add("memory_bytes", &Numbers::memory_bytes, "Of the fullest GPU, in bytes.");
  add("capacity_bytes", &Numbers::capacity_bytes, "Of one GPU, in bytes; 0: not known.");
  to.def_property_readonly(
      "fit", [=](const Class& self) { return fit_text(numbers_of(self).fit); },
      "\"fits\", \"too close to tell\", \"does not fit\" or \"not known\".");
}

// Ctrl-C ends a prediction, and so does what `progress` raises.
std::function<void(double)> progress_of(const py::object& progress) {
  // A bare pointer: the function is copied by threads that do not hold the interpreter's lock.
  PyObject* const told = progress.is_none() ? nullptr : progress.ptr();
  return [told](double share) {
    const py::gil_scoped_acquire interpreter;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (told != nullptr) py::reinterpret_borrow<py::object>(told)(share);
  };
}

api::PredictOptions options_of(const py::object& costs, const py::object& stack) {
  api::PredictOptions options;
  if (!costs.is_none()) options.costs = given_costs(costs);
  if (!stack.is_none()) options.stack = path_text(stack);
  return options;
}

api::Prediction predict(const py::object& model, const py::object& plan, const py::object& topology,
                        const py::object& costs, const py::object& stack, const py::object& set,
                        std::optional<int> hosts, std::optional<double> tokens, bool assumptions,
                        bool unfolded, bool full_attention, const py::object& progress) {
  const api::Model trained = given_model(model);
  const api::Plan by = given_plan(plan);
  const api::Topology on = given_topology(topology, hosts);
  api::PredictOptions options = options_of(costs, stack);
  options.set = given_settings(set, false);
  options.tokens = tokens;
  options.assumptions = assumptions;
  options.unfolded = unfolded;
  options.full_attention = full_attention;
  options.progress = progress_of(progress);
  const py::gil_scoped_release others_run;
  return api::predict(trained, by, on, options);
}

std::vector<api::Plan> given_plans(const py::object& plans) {
  if (plans.is_none()) return {};
  if (!py::isinstance<py::list>(plans) && !py::isinstance<py::tuple>(plans))
    return {given_plan(plans)};
  std::vector<api::Plan> all;
  for (const py::handle each : plans)
    all.push_back(given_plan(py::reinterpret_borrow<py::object>(each)));
  return all;
}

api::Sweep sweep(const py::object& model, const py::object& plans, const py::object& topology,
                 const py::object& set, const py::object& costs, const py::object& stack,
                 std::optional<int> hosts, bool unfolded, bool full_attention, int threads) {
  const api::Model trained = given_model(model);
  const std::vector<api::Plan> by = given_plans(plans);
  const api::Topology on = given_topology(topology, hosts);
  api::PredictOptions options = options_of(costs, stack);
  options.set = given_settings(set, true);
  options.unfolded = unfolded;
  options.full_attention = full_attention;
  const py::gil_scoped_release others_run;
  return api::sweep(trained, by, on, options, threads);
}

api::Comparison compare(const py::object& predicted, const py::object& measured) {
  const auto trace_of = [](const py::object& given) {
    return py::isinstance<api::Trace>(given)
               ? given
               : py::module_::import("quintet._quintet").attr("load_trace")(given);
  };
  const py::object right = trace_of(measured);
  const auto& of_right = right.cast<const api::Trace&>();
  const bool is_prediction = py::isinstance<api::Prediction>(predicted);
  const py::object left = is_prediction ? predicted : trace_of(predicted);
  const auto* const trace = is_prediction ? nullptr : &left.cast<const api::Trace&>();
  const auto* const prediction = is_prediction ? &left.cast<const api::Prediction&>() : nullptr;
  const py::gil_scoped_release others_run;
  return trace != nullptr ? api::compare(*trace, of_right) : api::compare(*prediction, of_right);
}

void add_prediction(py::module_& module) {
  py::class_<api::Prediction> prediction(module, "Prediction", "A predicted, explained step.");
  add_numbers(prediction, [](const api::Prediction& self) { return self.numbers(); });
  prediction.def_property_readonly("name", &api::Prediction::name, "Of the plan.")
      .def("json", &api::Prediction::json, ReleasesGil(),
           "As quintet simulate --json prints it; docs/schema/simulate.json has the units.")
      .def(
          "dict", [](const api::Prediction& self) { return json_value(self.json()); },
          "json() as Python's values.")
      .def("text", &api::Prediction::text, ReleasesGil(), "As quintet simulate prints it.")
      .def(
          "plan", [](const api::Prediction& self) { return json_value(self.plan_json()); },
          "The plan that was predicted, with its defaults.")
      .def(
          "timeline",
          [](const api::Prediction& self, const std::optional<std::vector<int>>& ranks) {
            return ranks ? self.timeline(*ranks) : self.timeline();
          },
          py::arg("ranks") = py::none(), ReleasesGil(),
          "A track for each kind of ranks, or for each of `ranks`.")
      .def(
          "write_trace",
          [](const api::Prediction& self, const py::object& path) {
            const std::string file = path_text(path);
            const py::gil_scoped_release others_run;
            self.write_trace(file);
          },
          py::arg("path"), "For ui.perfetto.dev; packed where it ends in .gz or .zst.");
  module.def("predict", &predict, py::arg("model"), py::arg("plan"), py::arg("topology"),
             py::kw_only(), py::arg("costs") = py::none(), py::arg("stack") = py::none(),
             py::arg("set") = py::none(), py::arg("hosts") = py::none(),
             py::arg("tokens") = py::none(), py::arg("assumptions") = false,
             py::arg("unfolded") = false, py::arg("full_attention") = false,
             py::arg("progress") = py::none(),
             "Predicts a step, as quintet simulate does. model, plan, topology, costs: loaded, or "
             "shipped names, paths, dicts; plan None: what `set` says. set: "
             "{\"parallelism.tensor\": 4}. tokens: of a whole run. progress: called with the share "
             "done, 0 to 1. Other Python threads run meanwhile. Raises quintet.Error.");
}

void add_sweep(py::module_& module) {
  py::class_<api::SweepRow> row(module, "SweepRow", "A plan of many.");
  add_numbers(row, [](const api::SweepRow& self) { return self.numbers; });
  row.def_readonly("name", &api::SweepRow::name)
      .def_readonly("topology", &api::SweepRow::topology, "What its machine is called.")
      .def_readonly("plan", &api::SweepRow::plan, "To be predicted in detail.");
  py::class_<api::RefusedPlan>(module, "RefusedPlan", "A plan that cannot be predicted.")
      .def_readonly("name", &api::RefusedPlan::name)
      .def_readonly("reason", &api::RefusedPlan::reason);
  py::class_<api::Sweep>(module, "Sweep", "Rows, the fastest first; those that do not fit last.")
      .def_readonly("refused", &api::Sweep::refused)
      .def(
          "json", [](const api::Sweep& self) { return self.json; },
          "As quintet simulate --json prints lists.")
      .def("dict", [](const api::Sweep& self) { return json_value(self.json); })
      .def("__len__", [](const api::Sweep& self) { return self.rows.size(); })
      .def(
          "__iter__",
          [](const api::Sweep& self) {
            return py::make_iterator(self.rows.begin(), self.rows.end());
          },
          py::keep_alive<0, 1>())
      .def(
          "__getitem__",
          [](const api::Sweep& self, py::ssize_t at) {
            const auto size = static_cast<py::ssize_t>(self.rows.size());
            if (at < -size || at >= size) throw py::index_error("a row that is not there");
            return self.rows[static_cast<std::size_t>(at < 0 ? at + size : at)];
          },
          py::arg("at"));
  module.def("sweep", &sweep, py::arg("model"), py::arg("plans"), py::arg("topology"),
             py::kw_only(), py::arg("set") = py::none(), py::arg("costs") = py::none(),
             py::arg("stack") = py::none(), py::arg("hosts") = py::none(),
             py::arg("unfolded") = false, py::arg("full_attention") = false, py::arg("threads") = 0,
             "Predicts all combinations of the lists of `set` with each plan: "
             "{\"parallelism.tensor\": [1, 2, 4]}. plans: one, several in a list, or None. "
             "threads: 0 is one per core. Raises quintet.Error.");
}

void add_comparison(py::module_& module) {
  py::class_<api::ComparedPart>(module, "ComparedPart", "A time on both sides, in picoseconds.")
      .def_readonly("name", &api::ComparedPart::name)
      .def_readonly("predicted_ps", &api::ComparedPart::predicted_ps)
      .def_readonly("measured_ps", &api::ComparedPart::measured_ps);
  py::class_<api::Comparison>(module, "Comparison",
                              "Where two steps differ; the parts of each list sum to the step.")
      .def_readonly("step", &api::Comparison::step)
      .def_readonly("causes", &api::Comparison::causes, "The largest difference first.")
      .def_readonly("stack", &api::Comparison::stack, "By layer of the stack.")
      .def_readonly("layers", &api::Comparison::layers, "By layer of the model.")
      .def_readonly("axes", &api::Comparison::axes, "By work and axis.")
      .def(
          "json", [](const api::Comparison& self) { return self.json; },
          "As quintet compare --json prints it.")
      .def("dict", [](const api::Comparison& self) { return json_value(self.json); })
      .def("text", [](const api::Comparison& self) { return self.text; })
      .def(
          "html", [](const api::Comparison& self) { return self.html; }, "A page for a browser.");
  module.def("compare", &compare, py::arg("predicted"), py::arg("measured"),
             "Where a measured step differs from the predicted one. predicted: a Prediction, a "
             "Trace or a path; measured: a Trace or a path. Raises quintet.Error.");
}

}  // namespace

void add_results(py::module_& module) {
  add_prediction(module);
  add_sweep(module);
  add_comparison(module);
}

}  // namespace quintet::python
