# What `cmake --install` copies and a Debian package holds. Nothing in it knows the prefix: programs, the
# library and the Python module find the shipped data from where they lie (sim/usage/shipped.h).
include(CMakePackageConfigHelpers)
set(data ${CMAKE_INSTALL_DATADIR}/quintet)
set(docs ${CMAKE_INSTALL_DATADIR}/doc/quintet)

# Two packages: `window` is what needs Qt, `quintet` all else (cmake/debian.cmake).
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME quintet)

# Programs. Those that were left out are not there; modules lie where programs look for them.
set(programs quintet)
foreach(program quintet-run quintet-calibrate quintet-fit quintet-replay)
  if(TARGET ${program})
    list(APPEND programs ${program})
  endif()
endforeach()
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(modules "")
foreach(module quintet_cuda quintet_nccl_tuner quintet_nccl_profiler)
  if(TARGET ${module})
    list(APPEND modules ${module})
  endif()
endforeach()
if(modules)
  install(TARGETS ${modules} LIBRARY DESTINATION lib/quintet)
endif()
# Built programs look for libraries beside tests/gpu/pack's; installed ones have the system's.
set_target_properties(${programs} ${modules} quintet_api PROPERTIES INSTALL_RPATH "")

# The library for C++: find_package(quintet), target quintet::quintet.
install(TARGETS quintet_api EXPORT quintet LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sim/api/quintet/*.h)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quintet)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/quintet)
install(EXPORT quintet NAMESPACE quintet:: FILE quintetConfig.cmake DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/quintetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/quintetConfigVersion.cmake DESTINATION ${package})

# The Python module, where Debian's Python looks for packages below its prefix.
if(TARGET quintet_python_module)
  set(python lib/python3/dist-packages/quintet)
  install(TARGETS quintet_python_module LIBRARY DESTINATION ${python})
  foreach(file __init__.py __init__.pyi py.typed)
    install(FILES ${CMAKE_SOURCE_DIR}/sim/api/python/quintet/${file} DESTINATION ${python})
  endforeach()
endif()

# Shipped data, file by file: no folder that would be empty. Pages beside them go to the documents.
file(GLOB_RECURSE shipped CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
  topologies/*.json traces/*.json traces/text/*.txt traces/lengths/*.csv)
list(FILTER shipped EXCLUDE REGEX "^traces/recorded/")
foreach(file ${shipped})
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/${file} DESTINATION ${data}/${folder})
endforeach()

# The window among a desktop's programs.
if(TARGET quintet-gui)
  set(desktop ${CMAKE_SOURCE_DIR}/gui/desktop)
  install(TARGETS quintet-gui RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT window)
  set_target_properties(quintet-gui PROPERTIES INSTALL_RPATH "")
  foreach(file_and_place quintet.desktop:applications quintet.svg:icons/hicolor/scalable/apps
          quintet.xml:mime/packages quintet.metainfo.xml:metainfo)
    string(REPLACE ":" ";" file_and_place ${file_and_place})
    list(GET file_and_place 0 file)
    list(GET file_and_place 1 place)
    install(FILES ${desktop}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${place} COMPONENT window)
  endforeach()
endif()

# Documents keep their places, so that their links hold.
file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
  docs/*.md docs/schema/*.json sim/*.md engine/*.md calibrate/*.md kernels/*.md topologies/*.md
  traces/*.md gui/*.md gui/screenshots/*.png)
foreach(file README.md tests/README.md ${pages})
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/${file} DESTINATION ${docs}/${folder})
endforeach()
install(FILES LICENSE DESTINATION ${docs} RENAME copyright)

# What the programs say of themselves: manual pages of the option lists, completions, schemas.
set(pages ${CMAKE_BINARY_DIR}/pages)
find_program(QUINTET_GZIP gzip)
add_custom_command(OUTPUT ${pages}/written
  COMMAND ${CMAKE_COMMAND} -DQUINTET=$<TARGET_FILE:quintet> -DGZIP=${QUINTET_GZIP} -DOUT=${pages}
          -P ${CMAKE_SOURCE_DIR}/cmake/write_pages.cmake
  DEPENDS ${programs} $<TARGET_NAME_IF_EXISTS:quintet-gui> ${CMAKE_SOURCE_DIR}/cmake/write_pages.cmake)
add_custom_target(quintet_pages ALL DEPENDS ${pages}/written)
install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${pages}/schema DESTINATION ${data})
install(FILES ${pages}/quintet DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/_quintet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${pages}/quintet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
