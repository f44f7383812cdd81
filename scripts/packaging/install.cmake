# What `cmake --install` puts where, and the Debian package (cpack -G DEB).

# One archive for users of the library; the folders' own archives are not installed.
add_library(podsku_library STATIC
  $<TARGET_OBJECTS:podsku_base> $<TARGET_OBJECTS:podsku_catalog>
  $<TARGET_OBJECTS:podsku_rules> $<TARGET_OBJECTS:podsku_client>)
set_target_properties(podsku_library PROPERTIES OUTPUT_NAME podsku)
target_link_libraries(podsku_library PUBLIC podsku_flags)

install(TARGETS podsku RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS podsku_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The public headers; the others are private to their folder.
foreach(header
    base/buf.h base/clock.h base/error.h base/json.h base/money.h
    catalog/catalog.h catalog/check.h catalog/facts.h
    rules/requirement.h rules/requirement_fields.h rules/rules.h rules/verify.h
    client/api.h client/client.h client/deploy.h client/gone.h client/journal.h client/reconcile.h)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/podsku/${folder})
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/scripts/packaging/podsku.pc.in ${CMAKE_BINARY_DIR}/podsku.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/podsku.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME podsku)
set(CPACK_PACKAGE_CONTACT "podsku maintainers <maintainers@podsku.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when they are needed, so that no tool sees the dependency.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4t64 | libcurl4, libssl3t64 | libssl3, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_STRIP_FILES ON)
include(CPack)
