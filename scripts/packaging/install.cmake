# What `cmake --install` puts where, and the Debian packages (scripts/package): podsku holds the
# program, libpodsku-dev the library and its headers.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# One archive for users of the library; the folders' own archives are not installed.
add_library(podsku_library STATIC
  $<TARGET_OBJECTS:podsku_base> $<TARGET_OBJECTS:podsku_catalog>
  $<TARGET_OBJECTS:podsku_rules> $<TARGET_OBJECTS:podsku_client>)
set_target_properties(podsku_library PROPERTIES OUTPUT_NAME podsku)
target_link_libraries(podsku_library PUBLIC podsku_flags)

install(TARGETS podsku RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/podsku)

install(TARGETS podsku_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libpodsku-dev)
# The public headers; the others are private to their folder.
foreach(header
    base/buf.h base/clock.h base/error.h base/json.h base/money.h
    catalog/catalog.h catalog/check.h catalog/facts.h
    rules/requirement.h rules/requirement_fields.h rules/rules.h rules/verify.h
    client/api.h client/client.h client/deploy.h client/gone.h client/journal.h client/reconcile.h)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${CMAKE_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/podsku/${folder}
    COMPONENT libpodsku-dev)
endforeach()
# The .pc file says where things are as seen from itself, so that the copy can be moved.
file(RELATIVE_PATH PODSKU_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_SOURCE_DIR}/scripts/packaging/podsku.pc.in ${CMAKE_BINARY_DIR}/podsku.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/podsku.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libpodsku-dev)
install(FILES ${CMAKE_SOURCE_DIR}/examples/pick.c ${CMAKE_SOURCE_DIR}/examples/deploy.c
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libpodsku-dev/examples COMPONENT libpodsku-dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME podsku)
set(CPACK_PACKAGE_CONTACT "podsku maintainers <maintainers@podsku.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "picks, rents and verifies the right Runpod GPU type")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL podsku libpodsku-dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)
# Compresses the pages and adds what only the packages have.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/scripts/packaging/debian.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_PODSKU_PACKAGE_NAME podsku)
set(CPACK_DEBIAN_PODSKU_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PODSKU_PACKAGE_SHLIBDEPS ON)
# Loaded when they are needed, so that no tool sees the dependency.
set(CPACK_DEBIAN_PODSKU_PACKAGE_DEPENDS
  "libcurl4t64 (>= 7.80) | libcurl4 (>= 7.80), libssl3t64 | libssl3, ca-certificates")
set(CPACK_DEBIAN_PODSKU_PACKAGE_RECOMMENDS openssh-client)
set(CPACK_DEBIAN_PODSKU_DESCRIPTION
"podsku picks the cheapest Runpod GPU type that is right for a job (NVLink
between the GPUs, a whole card and not a slice of one, memory, price), rents
exactly that, proves on the machine that it is right, and never leaves a pod
behind that nobody knows of.")

set(CPACK_DEBIAN_LIBPODSKU-DEV_PACKAGE_NAME libpodsku-dev)
set(CPACK_DEBIAN_LIBPODSKU-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBPODSKU-DEV_PACKAGE_DEPENDS
  "libjansson-dev (>= 2.13), libcurl4t64 (>= 7.80) | libcurl4 (>= 7.80), libssl3t64 | libssl3")
set(CPACK_DEBIAN_LIBPODSKU-DEV_DESCRIPTION
"podsku picks the cheapest Runpod GPU type that is right for a job and rents
exactly that.

This package holds the library libpodsku, its headers and two examples.")
include(CPack)
