# What most files include is parsed once per library. Each file still includes what it uses:
# -DQUINTET_PRECOMPILE=OFF builds without, and preset `debug` does.
option(QUINTET_PRECOMPILE "Parse the standard headers that most files use once" ON)

function(quintet_precompile target)
  if(QUINTET_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cassert> <cmath> <cstdint>
      <filesystem> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
      <utility> <variant> <vector>)
  endif()
endfunction()
