# The runtime for other machines, below lib/tamrt/<triple>, with which
# tamc --triple=<triple> links models for them: one for each of TAMC_TRIPLES whose
# cross compiler is found. TAMC_CROSS_RUNTIMES has their triples.
set(TAMC_TRIPLES aarch64-linux-gnu CACHE STRING
    "Other machines that models can be compiled for")
set(TAMC_CROSS_RUNTIMES "")
if(TAMC_SANITIZE)
  return()
endif()

# The libraries that the runtime includes, none of which has objects. The cross
# compiler must not see the folder they are in: it has the headers of this
# machine's libc.
set(headers ${CMAKE_BINARY_DIR}/cross/include)
file(MAKE_DIRECTORY ${headers})
foreach(header fmt/format.h CLI/CLI.hpp nlohmann/json.hpp
               fast_float/fast_float.h)
  get_filename_component(library ${header} DIRECTORY)
  find_path(TAMC_INCLUDE_${library} ${header} REQUIRED)
  mark_as_advanced(TAMC_INCLUDE_${library})
  file(CREATE_LINK ${TAMC_INCLUDE_${library}}/${library} ${headers}/${library}
       SYMBOLIC)
endforeach()

include(ExternalProject)
foreach(triple ${TAMC_TRIPLES})
  find_program(TAMC_CROSS_${triple} ${triple}-g++)
  mark_as_advanced(TAMC_CROSS_${triple})
  if(NOT TAMC_CROSS_${triple})
    message(STATUS "No runtime for ${triple}: found no ${triple}-g++")
    continue()
  endif()
  list(APPEND TAMC_CROSS_RUNTIMES ${triple})
  set(folder ${CMAKE_BINARY_DIR}/cross/${triple})
  set(archives ${TAMRT_ARCHIVES}/${triple})
  ExternalProject_Add(tamrt-${triple}
    SOURCE_DIR ${CMAKE_SOURCE_DIR}
    PREFIX ${folder}
    BINARY_DIR ${folder}/build
    CMAKE_ARGS -G ${CMAKE_GENERATOR}
      -DCMAKE_TOOLCHAIN_FILE=${CMAKE_SOURCE_DIR}/cmake/Cross.cmake
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${CMAKE_INSTALL_PREFIX}
      -DTAMC_TRIPLE=${triple} -DTAMC_RUNTIME_ONLY=ON -DTAMC_BUILD_TESTS=OFF
      -DTAMRT_ARCHIVES=${archives} -DTAMRT_HEADERS=${headers}
    BUILD_ALWAYS ON
    BUILD_BYPRODUCTS ${archives}/libtamrt.a ${archives}/libtamrt-embed.a
    INSTALL_COMMAND "")
  install(FILES ${archives}/libtamrt.a ${archives}/libtamrt-embed.a
    DESTINATION ${TAMRT_ARCHIVE_DIRECTORY}/${triple} COMPONENT libtamrt)
endforeach()
