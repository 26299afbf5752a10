# Included when a component is installed: writes Debian's change log, compressed,
# with the date SOURCE_DATE_EPOCH, or now.
string(TIMESTAMP TAMC_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${TAMC_CHANGELOG_FOLDER}/changelog)
configure_file(${CMAKE_CURRENT_LIST_DIR}/packages/changelog.in ${changelog} @ONLY)
find_program(TAMC_GZIP gzip REQUIRED)
execute_process(COMMAND ${TAMC_GZIP} -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
