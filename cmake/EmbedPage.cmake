# Writes the page's text into a header: run with cmake -DFOLDER= -DOUTPUT= -P.
# None of the files may contain the delimiter of the raw string.
function(embed name)
  set(text "")
  foreach(file ${ARGN})
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
  set(header "${header}" PARENT_SCOPE)
endfunction()

set(header "// Written by cmake/EmbedPage.cmake.\n#pragma once\n")
string(APPEND header "#include <string_view>\n")
embed(pageHtml page.html)
embed(pageStyle page.css)
embed(pageScript data.js raster.js scene.js panel.js page.js)
file(WRITE ${OUTPUT} "${header}")
