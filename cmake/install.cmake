# What `cmake --install` puts where: the program, its manual page and bash completions (which the program itself writes), the
# docs, the small model and the units of systemd.
include(GNUInstallDirs)

set(share ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${share})
add_custom_command(OUTPUT ${share}/heed.1 ${share}/heed.bash
  COMMAND heed docs man > ${share}/heed.1
  COMMAND heed docs completions bash > ${share}/heed.bash
  DEPENDS heed VERBATIM)
add_custom_target(install_files ALL DEPENDS ${share}/heed.1 ${share}/heed.bash)

install(TARGETS heed RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET heed-mpi)
  install(TARGETS heed-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
install(FILES ${share}/heed.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${share}/heed.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME heed)
install(FILES models/pocket-en-de.safetensors DESTINATION ${CMAKE_INSTALL_DATADIR}/heed/models)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs models DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")

# The service names the program by its path, and the prefix is known only when it is installed.
install(CODE "
  set(bindir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(datadir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  set(docdir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/packaging/systemd/heed-server.service.in\" \"${share}/heed-server.service\" @ONLY)")
install(FILES ${share}/heed-server.service packaging/systemd/heed-server.socket DESTINATION lib/systemd/system)
