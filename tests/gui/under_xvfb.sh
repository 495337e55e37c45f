#!/usr/bin/env bash
# Runs the suites given once in windows of an X server without a screen. 77: there is no Xvfb.
#   under_xvfb.sh SUITE...
set -u
if ! command -v xvfb-run >/dev/null || ! command -v xauth >/dev/null; then
  printf 'under_xvfb.sh: Skipped\nXvfb is not installed (Debian: xvfb xauth)\n'
  exit 77
fi
export QT_QPA_PLATFORM=xcb
exec xvfb-run --auto-servernum --server-args='-screen 0 1920x1200x24 -nolisten tcp' \
  bash -c 'failed=0; for suite in "$@"; do "$suite" || failed=1; done; exit $failed' suites "$@"
