# The Debian packages tamc, libtamrt and, with Debian's LibTorch,
# libtamrt-torch, and the CMake package that both an installation and the package
# tamc have. tools/build-packages builds them.
include(CMakePackageConfigHelpers)
set(sources ${CMAKE_SOURCE_DIR}/cmake/packages)
set(folder ${CMAKE_BINARY_DIR}/packages)
set(package ${CMAKE_INSTALL_DATADIR}/cmake/tamc)
configure_package_config_file(${sources}/tamcConfig.cmake.in
  ${folder}/tamcConfig.cmake INSTALL_DESTINATION ${package}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${folder}/tamcConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${folder}/tamcConfig.cmake ${folder}/tamcConfigVersion.cmake
        ${sources}/tamcAddModel.cmake DESTINATION ${package} COMPONENT tamc)

set(CPACK_GENERATOR DEB)
set(CPACK_PROJECT_CONFIG_FILE ${sources}/PackOptions.cmake)
set(CPACK_PACKAGE_CONTACT "The maintainers of tamc <maintainers@tamc.dev>")
set(CPACK_PACKAGE_VENDOR tamc)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/dist)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL tamc libtamrt)
# The backend of LibTorch would make all that LibTorch needs a dependency of
# tamc, so it is a package of its own. One for PyPI's torch needs its folder.
if(TARGET tamrtBackendTorch)
  get_target_property(TAMC_TORCH tamrtBackendTorch TAMC_LIBRARY)
  if(TAMC_TORCH MATCHES "^/usr/lib/")
    list(APPEND CPACK_COMPONENTS_ALL libtamrt-torch)
  endif()
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TAMC_PACKAGE_NAME tamc)
set(CPACK_DEBIAN_TAMC_PACKAGE_SECTION devel)
# tamc links models by a compiler driver. dpkg-shlibdeps does not see libLLVM: the
# loader finds it by a link of llvm-22-dev first.
set(CPACK_DEBIAN_TAMC_PACKAGE_DEPENDS
    "libtamrt (= ${PROJECT_VERSION}), libllvm${LLVM_VERSION_MAJOR}, g++ | clang")
set(CPACK_DEBIAN_TAMC_PACKAGE_SUGGESTS "cmake, g++-aarch64-linux-gnu")
set(CPACK_COMPONENT_TAMC_DESCRIPTION
"compiler for additive models
tamc compiles the spec of an additive model (a formula of linear, cubic,
periodic and other terms) into a self-contained executable or a library with a
header for C. The executable fits the model, predicts, and explains its
predictions. All working memory is planned by the compiler.

The package has the compiler tamc, the memory planner tam-plan, tools for the
compiler's intermediate modules, C headers, the planner as a library for C, and
a CMake package with the function tamc_add_model and the planner.")
set(CPACK_DEBIAN_LIBTAMRT_PACKAGE_NAME libtamrt)
set(CPACK_DEBIAN_LIBTAMRT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_LIBTAMRT_DESCRIPTION
"runtime of compiled additive models
The archives that tamc links compiled models with: reading data, fits,
predictions, and the command line of a model's executable. There is one for
each machine that models can be compiled for.")
set(CPACK_DEBIAN_LIBTAMRT_PACKAGE_SUGGESTS libtamrt-torch)
set(CPACK_DEBIAN_LIBTAMRT-TORCH_PACKAGE_NAME libtamrt-torch)
set(CPACK_DEBIAN_LIBTAMRT-TORCH_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBTAMRT-TORCH_PACKAGE_ENHANCES libtamrt)
set(CPACK_COMPONENT_LIBTAMRT-TORCH_DESCRIPTION
"devices of LibTorch for compiled additive models
A backend that compiled models load when a device of LibTorch is named, such as
torch:cpu. Other devices, and models that name none, do not need it.")

# Files that Debian's policy asks for. The date of the entry of the change log is
# that of the sources.
foreach(name ${CPACK_COMPONENTS_ALL})
  install(FILES ${sources}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name}
          COMPONENT ${name})
  install(CODE "
    set(TAMC_DEBIAN_PACKAGE ${name})
    set(PROJECT_VERSION ${PROJECT_VERSION})
    set(CPACK_PACKAGE_CONTACT \"${CPACK_PACKAGE_CONTACT}\")
    set(TAMC_CHANGELOG_FOLDER ${CMAKE_INSTALL_DATADIR}/doc/${name})
    include(${CMAKE_SOURCE_DIR}/cmake/InstallChangelog.cmake)"
    COMPONENT ${name})
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tamc COMPONENT tamc)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tamc COMPONENT tamc)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/airpassengers
                  ${CMAKE_SOURCE_DIR}/examples/cmake
                  ${CMAKE_SOURCE_DIR}/examples/planning
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tamc/examples COMPONENT tamc)
foreach(name ${CPACK_COMPONENTS_ALL})
  if(EXISTS ${sources}/lintian-${name})
    install(FILES ${sources}/lintian-${name}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
            RENAME ${name} COMPONENT ${name})
  endif()
endforeach()
include(CPack)
