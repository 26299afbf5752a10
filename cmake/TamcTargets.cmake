# Settings and functions for all targets of the project.

find_program(TAMC_CCACHE ccache)
if(TAMC_CCACHE)
  # Without this ccache never finds sources that use a precompiled header. What
  # only sets the compiler's use of memory (below) does not change an object.
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_IGNOREOPTIONS=--param=ggc-* ${TAMC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
option(TAMC_PRECOMPILE_HEADERS "Compile MLIR's headers once" ON)
find_program(TAMC_LLD ld.lld PATHS /usr/lib/llvm-22/bin NO_DEFAULT_PATH)

add_compile_options(-Wall -Wextra -Wno-unused-parameter
                    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Wno-restrict)
  # GCC looks for what it can free whenever its heap has doubled, which takes a
  # sixth of its time; with these it takes a quarter more memory.
  add_compile_options(--param=ggc-min-expand=200
                      --param=ggc-min-heapsize=1048576)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # Vectors that functions take and return stay within one file, so that their
  # ABI does not matter. std::stable_sort of libstdc++ 12 calls a function that
  # the library deprecates.
  add_compile_options(-Wno-psabi -Wno-deprecated-declarations)
endif()
include_directories(${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
# Seconds that a test may take: ctest's limit.
set(TAMC_UNIT_TIMEOUT 900)
set(TAMC_PROGRAM_TIMEOUT 1800)
if(TAMC_SANITIZE)
  # Tests with many runs take up to twelve times as long.
  set(TAMC_UNIT_TIMEOUT 3600)
  set(TAMC_PROGRAM_TIMEOUT 7200)
  add_compile_options(-fsanitize=${TAMC_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TAMC_SANITIZE})
endif()

# LLVM and MLIR, as shared libraries; imported once, used by compiler and tools.
macro(tamc_find_mlir)
  find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddMLIR)
  if(TAMC_STATIC_MLIR)
    # The linker takes what it needs of all archives, which need each other.
    file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a
         ${LLVM_LIBRARY_DIR}/libLLVM*.a)
    set(TAMC_MLIR -Wl,--start-group ${archives} -Wl,--end-group)
    set(TAMC_LLVM ${TAMC_MLIR})
  else()
    set(TAMC_MLIR MLIR LLVM)
    set(TAMC_LLVM LLVM)
  endif()
endmacro()

# tamc_compile_together(<target>)
# With TAMC_UNITY_BUILD compiles up to eight files of a folder as one: what they
# include is parsed once. So the files of a folder name things differently even
# where they are static or in a namespace without a name.
function(tamc_compile_together target)
  if(NOT TAMC_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "\\$<")
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    list(APPEND folder_${folder} ${source})
    list(LENGTH folder_${folder} number)
    math(EXPR number "(${number} - 1) / 8")
    set_source_files_properties(${source} PROPERTIES
      UNITY_GROUP "${folder}${number}")
  endforeach()
  # A file's own names are its own also where CMake includes it.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# tamc_precompiled_mlir(<target>)
# Compiles a target with the precompiled MLIR headers of compiler/CMakeLists.txt.
function(tamc_precompiled_mlir target)
  if(TAMC_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM tamcMlirHeaders)
    # ccache needs this to find the header.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    # A program's -fPIE would not match the header, which is for libraries.
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      set_target_properties(${target} PROPERTIES
        POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
  endif()
endfunction()

# tamc_add_library(<name> SOURCES... [LIBS libs...] [MLIR] [LLVM])
# Adds a static library of the compiler. The options MLIR and LLVM link the shared
# libraries.
function(tamc_add_library name)
  cmake_parse_arguments(ARG "MLIR;LLVM" "" "SOURCES;LIBS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  tamc_compile_together(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(ARG_MLIR OR ARG_LLVM)
    target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
    target_compile_definitions(${name} PUBLIC ${LLVM_DEFINITIONS_LIST})
  endif()
  if(ARG_MLIR)
    target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS})
    target_link_libraries(${name} PUBLIC ${TAMC_MLIR})
    tamc_precompiled_mlir(${name})
  elseif(ARG_LLVM)
    target_link_libraries(${name} PUBLIC ${TAMC_LLVM})
  endif()
endfunction()

# tamc_add_unit_test(<name> SOURCES... [LIBS libs...])
# Adds a GoogleTest program and a ctest that runs it, with label `unit`. Compiling
# most tests takes longer than running them: they are optimised little.
function(tamc_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  tamc_compile_together(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/bin)
  target_compile_definitions(${name} PRIVATE
    TAMC_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TAMC_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/test)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest_main)
  add_test(NAME unit.${name} COMMAND ${name})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit
    TIMEOUT ${TAMC_UNIT_TIMEOUT} ENVIRONMENT "${TAMC_TEST_ENVIRONMENT}")
endfunction()
