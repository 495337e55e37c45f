# `cpack --config build/release/CPackConfig.cmake` makes quintet_VERSION_ARCHITECTURE.deb of what is installed.
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
 .
 This package holds the command quintet, its library for C++, its Python
 module, the window quintet-gui where it was built with Qt, and the models,
 machines, plans and cost tables that come with it.")
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
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/prerm)
# Ranks of an emulated cluster are joined by `ip` and `tc`.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "iproute2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "man-db")
if(TARGET quintet_python_module)
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" python "${QUINTET_PYTHON_VERSION}")
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", python3 (>= ${python}~), python3-numpy")
endif()
# The window's libraries are found as those of all programs are; its letters and how it shows itself to a
# Wayland desktop are not linked with. Desktops update their caches by triggers of their own packages.
if(TARGET quintet-gui)
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", fonts-dejavu-core, qt6-wayland")
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", shared-mime-info, desktop-file-utils")
endif()
include(CPack)
