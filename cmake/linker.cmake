# The first of these that the compiler finds links each of the programs in a fraction of the time of
# the usual one, and the tests are many programs.
include(CheckLinkerFlag)
foreach(linker mold lld gold)
  check_linker_flag(CXX -fuse-ld=${linker} QUINTET_LINKS_BY_${linker})
  if(QUINTET_LINKS_BY_${linker})
    add_link_options($<$<LINK_LANGUAGE:CXX>:-fuse-ld=${linker}>)
    break()
  endif()
endforeach()
