# Run by cpack over each staged package (CPACK_PRE_BUILD_SCRIPTS): what Debian wants and `cmake
# --install` does not do. Same input, same bytes: no time but SOURCE_DATE_EPOCH gets in.
find_program(GZIP gzip REQUIRED)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # heeds SOURCE_DATE_EPOCH

foreach(package podsku libpodsku-dev)
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${package}/usr)
  set(doc ${usr}/share/doc/${package})
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${doc}
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md ${doc}/changelog)
  file(WRITE ${doc}/changelog.Debian
    "podsku (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * The changes are in changelog.gz.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  # These packages are not Debian's own, so there is no request for them to close.
  file(WRITE ${usr}/share/lintian/overrides/${package} "${package}: initial-upload-closes-no-bugs\n")
  # The license and the changes are there under Debian's names.
  file(REMOVE ${doc}/LICENSE ${doc}/CHANGELOG.md)
  file(GLOB pages ${usr}/share/man/man*/*.[1-9])
  file(CHMOD ${usr}/share/lintian/overrides/${package} ${doc}/changelog ${doc}/changelog.Debian ${pages}
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(CHMOD ${doc} ${usr}/share/lintian ${usr}/share/lintian/overrides
    PERMISSIONS ${CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
  foreach(file ${doc}/changelog ${doc}/changelog.Debian ${pages})
    execute_process(COMMAND ${GZIP} -9n -f ${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  # Debian's zsh looks for packages' completions here.
  if(EXISTS ${usr}/share/zsh/site-functions)
    file(RENAME ${usr}/share/zsh/site-functions ${usr}/share/zsh/vendor-completions)
  endif()
endforeach()
