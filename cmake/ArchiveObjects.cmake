# tamc_archive_objects(<variable> <archive> WEAK pattern... MEMBERS object...)
# Copies members of a library's archive, so that they can be part of another.
# Symbols that they need and that match a pattern may be missing: the program
# never calls them.
function(tamc_archive_objects variable archive)
  cmake_parse_arguments(ARG "" "" "WEAK;MEMBERS" ${ARGN})
  get_filename_component(name ${archive} NAME_WE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${folder})
  set(objects ${ARG_MEMBERS})
  list(TRANSFORM objects PREPEND ${folder}/)
  set(weaken "")
  foreach(pattern ${ARG_WEAK})
    list(APPEND weaken --weaken-symbol=${pattern})
  endforeach()
  set(commands "")
  if(weaken)
    foreach(object ${objects})
      list(APPEND commands
           COMMAND ${CMAKE_OBJCOPY} --wildcard ${weaken} ${object})
    endforeach()
  endif()
  add_custom_command(OUTPUT ${objects}
    COMMAND ${CMAKE_AR} x ${archive} ${ARG_MEMBERS} ${commands}
    WORKING_DIRECTORY ${folder} DEPENDS ${archive} VERBATIM)
  set_source_files_properties(${objects} PROPERTIES
    EXTERNAL_OBJECT ON GENERATED ON)
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()
