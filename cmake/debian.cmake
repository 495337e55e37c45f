# `cpack --config build/release/CPackConfig.cmake` makes quintet_VERSION_ARCHITECTURE.deb of what is installed, and
# quintet-gui_VERSION_ARCHITECTURE.deb of the window, so that the command is installed without Qt.
# Dependencies are those that dpkg-shlibdeps finds programs to be linked with.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quintet)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Quintet authors <quintet@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predicts, executes and explains steps of distributed training")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Quintet predicts one step of distributed training, executes the same plan
on CPU cores or NVIDIA GPUs, and says where prediction and reality differ
and why. It is for people who size and tune training clusters.

This package holds the command quintet, its library for C++, its Python
module, and the models, machines, plans and cost tables that come with it.")
set(CPACK_PACKAGE_INSTALL_DIRECTORY quintet)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Ranks of an emulated cluster are joined by `ip` and `tc`.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "iproute2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "man-db")
if(TARGET quintet_python_module)
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" python "${QUINTET_PYTHON_VERSION}")
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", python3 (>= ${python}~), python3-numpy")
endif()
set(CPACK_COMPONENTS_ALL quintet)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_QUINTET_PACKAGE_NAME quintet)
set(CPACK_DEBIAN_QUINTET_DESCRIPTION ${CPACK_DEBIAN_PACKAGE_DESCRIPTION})
set(CPACK_DEBIAN_QUINTET_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/prerm)
# Fonts are not linked with, nor is what a Wayland desktop shows windows by. Desktops notice new entries by
# triggers of their own packages.
if(TARGET quintet-gui)
  list(APPEND CPACK_COMPONENTS_ALL window)
  set(CPACK_DEBIAN_WINDOW_PACKAGE_NAME quintet-gui)
  set(CPACK_DEBIAN_WINDOW_PACKAGE_DEPENDS "quintet (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_WINDOW_PACKAGE_RECOMMENDS "fonts-dejavu-core, qt6-wayland")
  set(CPACK_DEBIAN_WINDOW_PACKAGE_SUGGESTS "shared-mime-info, desktop-file-utils")
  set(CPACK_DEBIAN_WINDOW_DESCRIPTION
"The window of Quintet, which predicts steps of distributed training: it
draws the cluster, edits the plan, breaks links, and shows what happens to
the step and why.")
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", quintet-gui")
endif()
include(CPack)
