# LibTorch for the CPU, and for other devices that its build has:
# LibTorch::LibTorch, LibTorch_LIBRARY, LibTorch_VERSION. Its own package files
# ask for what it was built with (CUDA, protobuf, ..), which is not needed here,
# and those of PyPI mix with Debian's where both are there. CMAKE_PREFIX_PATH is
# a virtual environment, or the folder `torch` of PyPI's package, or anything
# that has include/ATen and lib/libtorch_cpu.so.
set(roots "")
foreach(prefix ${CMAKE_PREFIX_PATH})
  file(GLOB packages ${prefix}/lib/python3*/site-packages/torch)
  list(APPEND roots ${prefix} ${packages})
endforeach()
find_path(LibTorch_INCLUDE_DIR ATen/ATen.h HINTS ${roots}
          PATH_SUFFIXES include)
# The library that belongs to the headers.
get_filename_component(root "${LibTorch_INCLUDE_DIR}" DIRECTORY)
if(EXISTS "${root}/lib/libtorch_cpu.so" OR
   EXISTS "${root}/lib/libtorch_cpu.dylib")
  set(options PATHS ${root}/lib NO_DEFAULT_PATH)
else()
  set(options "")
endif()
find_library(LibTorch_LIBRARY torch_cpu ${options})
find_library(LibTorch_C10 c10 ${options})
find_library(LibTorch_XPU torch_xpu ${options})
find_library(LibTorch_C10_XPU c10_xpu ${options})
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_LIBRARY LibTorch_C10
                 LibTorch_XPU LibTorch_C10_XPU)

set(LibTorch_VERSION "")
foreach(header torch/headeronly/version.h torch/version.h
               torch/csrc/api/include/torch/version.h)
  if(NOT LibTorch_VERSION AND EXISTS "${LibTorch_INCLUDE_DIR}/${header}")
    file(STRINGS "${LibTorch_INCLUDE_DIR}/${header}" lines
         REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX REPLACE "[^0-9]+" "." LibTorch_VERSION "${lines}")
    string(REGEX MATCH "[0-9]+(\\.[0-9]+)+" LibTorch_VERSION
           "${LibTorch_VERSION}")
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
set(LibTorch_FIND_QUIETLY ON)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_LIBRARY LibTorch_C10 LibTorch_INCLUDE_DIR
                LibTorch_VERSION)
if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
    ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  target_link_libraries(LibTorch::LibTorch INTERFACE
    ${LibTorch_LIBRARY} ${LibTorch_C10})
  string(REGEX MATCH "^[0-9]+" major ${LibTorch_VERSION})
  target_compile_definitions(LibTorch::LibTorch INTERFACE
    TAMRT_TORCH_MAJOR=${major} TAMRT_TORCH_VERSION="${LibTorch_VERSION}")
  # Other devices register themselves when their library is loaded.
  if(LibTorch_XPU AND LibTorch_C10_XPU)
    target_compile_definitions(LibTorch::LibTorch INTERFACE TAMRT_TORCH_XPU)
    target_link_libraries(LibTorch::LibTorch INTERFACE
      -Wl,--no-as-needed ${LibTorch_XPU} -Wl,--as-needed ${LibTorch_C10_XPU})
  endif()
endif()
