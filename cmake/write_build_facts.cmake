# cmake -P: writes the header OUT where it would say something else than it does. A copy of the
# sources without git, as that of an archive, has no commit.
set(commit "")
string(TIMESTAMP date "%Y-%m-%d" UTC)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty=+ --exclude=*
                  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%cs
                  OUTPUT_VARIABLE date ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
string(CONCAT text "#pragma once\n"
  "#define QUINTET_VERSION \"${VERSION}\"\n"
  "#define QUINTET_COMMIT \"${commit}\"\n"
  "#define QUINTET_DATE \"${date}\"\n"
  "#define QUINTET_BUILD_TYPE \"${BUILD_TYPE}\"\n"
  "#define QUINTET_PARTS ${PARTS}\n")
file(CONFIGURE OUTPUT ${OUT} CONTENT "${text}" @ONLY)
