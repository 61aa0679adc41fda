# What `cmake --install` puts where, by component, which are also the Debian packages (cmake/packages.cmake):
#   heed       the program, its manual page and completions (which it writes itself), the docs and the small model
#   library    libheed.so.0
#   develop    the headers, and how CMake and pkg-config find the library
#   python     the Python package
#   server     the units of systemd
# Everything works wherever the prefix is moved to, apart from the units.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(share ${PROJECT_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${share})
add_custom_command(OUTPUT ${share}/heed.1 ${share}/heed.bash ${share}/_heed ${share}/heed.fish
  COMMAND heed docs man > ${share}/heed.1
  COMMAND heed docs completions bash > ${share}/heed.bash
  COMMAND heed docs completions zsh > ${share}/_heed
  COMMAND heed docs completions fish > ${share}/heed.fish
  DEPENDS heed VERBATIM)
add_custom_target(install_files ALL DEPENDS ${share}/heed.1 libheed)

install(TARGETS heed RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT heed)
if(TARGET heed-mpi)
  install(TARGETS heed-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT heed OPTIONAL)
endif()
install(FILES ${share}/heed.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT heed)
install(FILES ${share}/heed.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT heed RENAME heed)
install(FILES ${share}/_heed DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT heed)
install(FILES ${share}/heed.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT heed)
install(FILES models/pocket-en-de.safetensors DESTINATION ${CMAKE_INSTALL_DATADIR}/heed/models COMPONENT heed)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT heed)
install(DIRECTORY docs models DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT heed
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")

install(TARGETS libheed EXPORT heedTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT develop)
install(DIRECTORY include/heed DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT develop FILES_MATCHING PATTERN "*.h")
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/heed)
install(EXPORT heedTargets NAMESPACE heed:: DESTINATION ${package_directory} COMPONENT develop)
configure_package_config_file(cmake/heedConfig.cmake.in ${share}/heedConfig.cmake INSTALL_DESTINATION ${package_directory}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${share}/heedConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${share}/heedConfig.cmake ${share}/heedConfigVersion.cmake DESTINATION ${package_directory} COMPONENT develop)
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/heed.pc.in ${share}/heed.pc @ONLY)
install(FILES ${share}/heed.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT develop)

install(DIRECTORY python/heed DESTINATION lib/python3/dist-packages COMPONENT python
  FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)

# The service names the program by its path, and the prefix is known only when it is installed.
install(CODE "
  set(bindir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(datadir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  set(docdir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/packaging/systemd/heed-server.service.in\" \"${share}/heed-server.service\" @ONLY)"
  COMPONENT server)
install(FILES ${share}/heed-server.service packaging/systemd/heed-server.socket DESTINATION lib/systemd/system COMPONENT server)
