# tamc_plugin_library(<option> <kind> <library> <hint> <package> argument...)
# The start of the file of a plug-in that needs a library: its option, and
# find_package(<package> argument...). Returns from the file, after a message that
# says why, if the plug-in is not to be built. <kind> is what the plug-in is,
# <hint> where the library can be had.
macro(tamc_plugin_library option kind library hint package)
  option(${option} "Build the ${kind} for ${library} if ${library} is found" ON)
  if(NOT ${option})
    message(STATUS "No ${kind} for ${library}: ${option} is off")
    return()
  elseif(TAMC_SANITIZE)
    message(STATUS "No ${kind} for ${library}: the build has sanitizers, and "
                   "${library} has none")
    return()
  endif()
  find_package(${package} ${ARGN})
  if(NOT ${package}_FOUND)
    message(STATUS "No ${kind} for ${library}: ${library} was not found "
                   "(${hint})")
    return()
  endif()
endmacro()
