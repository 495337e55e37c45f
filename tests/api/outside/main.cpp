// A program of somebody else's: the README's example by the installed library.
#include <quintet/quintet.h>

#include <cstdio>

namespace q = quintet::api;

int main() {
  try {
    const q::Prediction step =
        q::predict(q::load_model("llama-3-70b"), q::load_plan("llama-3-70b-1024-h100-tp8-pp4"),
                   q::load_topology("dgx-h100-1024"));
    std::printf("%.1f ms, %zu spans\n", step.numbers().step_s * 1e3, step.timeline().spans.size());
    q::plan_of(R"({ "parallelism": { "tensor": 8 } })");
  } catch (const q::Failure& failure) {
    std::printf("%s\n", failure.place().c_str());
  }
}
