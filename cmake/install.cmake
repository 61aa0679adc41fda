# What `cmake --install` puts where: the program, its manual page and bash completions (which the program itself writes), the
# docs and the small model.
include(GNUInstallDirs)

set(share ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${share})
add_custom_command(OUTPUT ${share}/heed.1 ${share}/heed.bash
  COMMAND heed docs man > ${share}/heed.1
  COMMAND heed docs completions bash > ${share}/heed.bash
  DEPENDS heed VERBATIM)
add_custom_target(install_files ALL DEPENDS ${share}/heed.1 ${share}/heed.bash)

install(TARGETS heed RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${share}/heed.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${share}/heed.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME heed)
install(FILES models/pocket-en-de.safetensors DESTINATION ${CMAKE_INSTALL_DATADIR}/heed/models)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs models DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
