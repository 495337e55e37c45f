"""Quintet predicts one step of distributed training.

    import quintet
    step = quintet.predict("llama-3-70b", "llama-3-70b-1024-h100-tp8-pp4", "dgx-h100-1024")
    step.step_s         # 8.76
    step.dict()         # what quintet simulate --json prints
    step.timeline().spans["end_ps"].max()

Names are of shipped files; paths and dicts do as well. Times are seconds (_s) or picoseconds (_ps),
sizes bytes. What is wrong with the input is a quintet.Error with its place.
"""

from ._quintet import (
    Comparison,
    ComparedPart,
    Costs,
    Error,
    Instruction,
    Model,
    Plan,
    Prediction,
    RefusedPlan,
    Sweep,
    SweepRow,
    Timeline,
    Topology,
    Trace,
    Track,
    __version__,
    compare,
    data_folder,
    load_costs,
    load_model,
    load_plan,
    load_topology,
    load_trace,
    predict,
    shipped_costs,
    shipped_models,
    shipped_plans,
    shipped_topologies,
    sweep,
    version_text,
)

__all__ = [name for name in dir() if not name.startswith("_")]
