# Writes a file's text into a C++ header: run with cmake -DINPUT= -DNAME=
# -DOUTPUT= -P. The file may not contain the delimiter of the raw string.
file(READ ${INPUT} text)
string(FIND "${text}" ")tamcfile\"" at)
if(NOT at EQUAL -1)
  message(FATAL_ERROR "${INPUT} holds the end of a raw string")
endif()
file(WRITE ${OUTPUT}
     "// Written by cmake/EmbedFile.cmake.\n#pragma once\n"
     "#include <string_view>\n"
     "inline constexpr std::string_view ${NAME} =\n"
     "    R\"tamcfile(${text})tamcfile\";\n")
