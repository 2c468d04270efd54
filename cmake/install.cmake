# cmake --install: the program, the public headers, the static libraries behind them, and find_package(warpclock).
include(CMakePackageConfigHelpers)

get_property(installed GLOBAL PROPERTY WARPCLOCK_INSTALLED)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpclock)
install(TARGETS warpclock RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${installed} warpclock_main EXPORT warpclock_targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpclock)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/warpclock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT warpclock_targets FILE warpclock_targets.cmake NAMESPACE warpclock:: DESTINATION ${package_folder})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warpclock-config.cmake.in
                              ${PROJECT_BINARY_DIR}/warpclock-config.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break programs.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpclock-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpclock-config.cmake ${PROJECT_BINARY_DIR}/warpclock-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindCSV.cmake DESTINATION ${package_folder})
