#!/bin/bash
# GPT-2 124M, 4 x 64 tokens, one core: the executor's step beside PyTorch's, in turns, so that a
# slow minute of the machine hits both. Prints the median of each program's rounds.
#
#   tests/benchmark/training_step.sh BUILD_DIRECTORY [ROUNDS [fp32|bf16]]
#
# ISA: avx2 or avx512, the instructions that all of them may use (default: what each finds here); at
# the end come the shares of our step, operator by operator, with how many times its limit each takes:
# products as they run alone, functions their multiply-adds, the rest a copy of the same bytes that is as warm
# or cold as the step's (machine_limits.h).
# CLOCK: thread counts only the time that each program ran, for a machine that others use too.
# STEPS: of each program and round (default 12 of ours, 8 of PyTorch's).
# PEER: another program to take its turn; its last line must be "NAME MILLISECONDS ms/step".
# CORE: the core that all run on (default: the last). PyTorch is left out where it is not installed;
# Debian's needs libopenblas0 (with its generic BLAS a step takes 36 s), and OpenBLAS must be told of
# AVX-512 where it does not know the CPU.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
program=${1:?expected the build directory}/tests/benchmark/training_step_benchmark
rounds=${2:-5}
type=${3:-fp32}
core=${CORE:-$(($(nproc) - 1))}
isa=${ISA:-}
blas=Haswell
! grep -q -m 1 avx512f /proc/cpuinfo || blas=SkylakeX
case $isa in
  "") ;;
  avx2)
    blas=Haswell
    export QUINTET_CPU_ISA=avx2 ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2
    ;;
  avx512)
    grep -q -m 1 avx512f /proc/cpuinfo || { echo "ISA=avx512: this CPU has no AVX-512" >&2; exit 2; }
    export QUINTET_CPU_ISA=avx512 ONEDNN_MAX_CPU_ISA=AVX512_CORE ATEN_CPU_CAPABILITY=avx512
    ;;
  *) echo "ISA is \"$isa\": avx2 or avx512" >&2; exit 2 ;;
esac
model=$here/../../traces/models/gpt2/config.json
[ -x "$program" ] || { echo "no $program: build the target training_step_benchmark first" >&2; exit 2; }

clock=${CLOCK:-wall}
ours="$program $model type=$type clock=$clock steps=${STEPS:-12}"
commands=("$ours kernels=onednn" "$ours kernels=fast")
if /usr/bin/python3 -c "import torch" 2>/dev/null; then
  commands+=("/usr/bin/python3 $here/training_step_torch.py 4 64 ${STEPS:-8} 1 $type $clock")
else
  echo "PyTorch is not installed (Debian: python3-torch): left out" >&2
fi
[ -z "${PEER:-}" ] || commands+=("$PEER")

results=$(mktemp)
trap 'rm -f "$results"' EXIT
for ((round = 0; round < rounds; ++round)); do
  for command in "${commands[@]}"; do
    OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=${OPENBLAS_CORETYPE:-$blas} taskset -c "$core" $command 2>/dev/null | tail -n 1 | tee -a "$results" >&2
  done
done

echo "$(grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2-), core $core, ${isa:-all instructions}, $(date -u +%F)"
echo "program                       median ms   least ms   tokens/s"
for name in $(awk '{print $1}' "$results" | sort -u); do
  awk -v name="$name" '$1 == name {print $2}' "$results" | sort -n | awk -v name="$name" \
    '{each[NR] = $1} END {middle = each[int((NR + 1) / 2)];
      printf "%-28s %10.1f %10.1f %10.0f\n", name, middle, each[1], 256000 / middle}'
done
[ "$type" != fp32 ] || taskset -c "$core" "$program" "$model" kernels=fast steps=3 operators=yes
