# Writes the texts of a page into a header: run with cmake -DFOLDER= -DOUTPUT=
# -DPIECES= -P, and perhaps -DNAMESPACE=. PIECES is a list of name:file,file,..:
# the constants and the files of FOLDER that they consist of. None of the files
# may contain the delimiter of the raw string.
set(header "// Written by cmake/EmbedPage.cmake.\n#pragma once\n")
string(APPEND header "#include <string_view>\n")
if(NAMESPACE)
  string(APPEND header "namespace ${NAMESPACE} {\n")
endif()
foreach(piece ${PIECES})
  string(REGEX REPLACE ":.*" "" name "${piece}")
  string(REGEX REPLACE ".*:" "" files "${piece}")
  string(REPLACE "," ";" files "${files}")
  set(text "")
  foreach(file ${files})
    file(READ ${FOLDER}/${file} part)
    string(APPEND text "${part}")
  endforeach()
  string(FIND "${text}" ")tamcpage\"" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "the page holds the end of a raw string")
  endif()
  string(APPEND header
         "inline constexpr std::string_view ${name} =\n"
         "    R\"tamcpage(${text})tamcpage\";\n")
endforeach()
if(NAMESPACE)
  string(APPEND header "} // namespace ${NAMESPACE}\n")
endif()
file(WRITE ${OUTPUT} "${header}")
