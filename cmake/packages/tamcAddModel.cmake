# tamc_add_model(<target> <spec.yaml> [EXECUTABLE] [PREFIX <name>]
#                [PROFILE <train.csv>] [WEIGHTS <W.safetensors>]
#                [OPTIONS <option>...] [DEPENDS <file>...])
#
# Compiles a spec when the project is built, and again when the spec, a file of
# DEPENDS or the compiler has changed.
#
# Without EXECUTABLE <target> is a static library. A program that links it may
# include "<name>.h"; the functions' names begin with <name>_. <name> is the
# target's unless PREFIX gives another. With EXECUTABLE <target> is an executable
# of that name in CMAKE_CURRENT_BINARY_DIR, built with the target `all`.
#
# WEIGHTS become part of a library, whose <name>_forecast predicts with them.
# PROFILE and OPTIONS go to tamc; PROFILE and WEIGHTS are also files to depend on.
# Projects that are compiled for another machine get models for that machine.
function(tamc_add_model target spec)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "EXECUTABLE"
                        "PREFIX;PROFILE;WEIGHTS" "OPTIONS;DEPENDS")
  if(ARG_UNPARSED_ARGUMENTS OR ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "tamc_add_model(${target}): unexpected arguments or "
      "missing values: ${ARG_UNPARSED_ARGUMENTS} ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  if(ARG_EXECUTABLE AND (ARG_PREFIX OR ARG_WEIGHTS))
    message(FATAL_ERROR "tamc_add_model(${target}): expected PREFIX and WEIGHTS "
      "without EXECUTABLE")
  endif()
  get_filename_component(spec "${spec}" ABSOLUTE)
  set(arguments "${spec}" ${ARG_OPTIONS})
  set(inputs "${spec}")
  foreach(file IN LISTS ARG_DEPENDS)
    get_filename_component(file "${file}" ABSOLUTE)
    list(APPEND inputs "${file}")
  endforeach()
  foreach(pair PROFILE:--profile WEIGHTS:--bake)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 name)
    list(GET pair 1 option)
    if(ARG_${name})
      get_filename_component(file "${ARG_${name}}" ABSOLUTE)
      list(APPEND arguments ${option} "${file}")
      list(APPEND inputs "${file}")
    endif()
  endforeach()
  if(CMAKE_CROSSCOMPILING)
    list(APPEND arguments --triple=${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
  endif()

  if(ARG_EXECUTABLE)
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}")
    # A stamp: CMake would take a rule that depends on the executable as one that
    # depends on the target, which depends on that rule.
    set(outputs "${output}.stamp")
    set(stamp COMMAND "${CMAKE_COMMAND}" -E touch "${outputs}"
              BYPRODUCTS "${output}")
    add_executable(${target} IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${output}")
    set(all ALL)
  else()
    set(prefix "${target}")
    if(ARG_PREFIX)
      set(prefix "${ARG_PREFIX}")
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.tamc")
    # An include directory must exist when the project is configured.
    file(MAKE_DIRECTORY "${folder}")
    set(output "${folder}/lib${prefix}.a")
    set(outputs "${output}" "${folder}/${prefix}.h")
    list(APPEND arguments --emit=lib --prefix=${prefix})
    add_library(${target} STATIC IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION "${output}"
      INTERFACE_INCLUDE_DIRECTORIES "${folder}"
      INTERFACE_LINK_LIBRARIES m)
    set(all "")
    set(stamp "")
  endif()
  add_custom_command(OUTPUT ${outputs}
    COMMAND tamc::tamc ${arguments} -o "${output}" ${stamp}
    DEPENDS ${inputs} "${TAMC_EXECUTABLE}"
    COMMENT "Compiling the model ${target}"
    VERBATIM)
  add_custom_target(${target}-model ${all} DEPENDS ${outputs})
  add_dependencies(${target} ${target}-model)
endfunction()
