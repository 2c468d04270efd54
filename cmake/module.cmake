# A module is a folder under src/ and a static library of the same name; a test is a program with a label.

# warpclock_module(stats SOURCES a.cpp b.cpp USES core [LINK Boost::headers])
function(warpclock_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINK" ${ARGN})
  add_library(warpclock_${name} STATIC ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND warpclock_)
  # Flags, and libraries that are headers alone, are needed to build warpclock and not to use it.
  target_link_libraries(warpclock_${name} PUBLIC $<BUILD_INTERFACE:warpclock_options> ${ARG_USES})
  foreach(library ${ARG_LINK})
    if(library MATCHES "nlohmann_json|CLI11|Boost")
      target_link_libraries(warpclock_${name} PUBLIC $<BUILD_INTERFACE:${library}>)
    else()
      target_link_libraries(warpclock_${name} PUBLIC ${library})
    endif()
  endforeach()
  set_target_properties(warpclock_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY WARPCLOCK_INSTALLED warpclock_${name})
endfunction()

# warpclock_test(stats SOURCES median_test.cpp USES stats [LABEL unit] [LINK ...])
function(warpclock_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;USES;LINK" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND warpclock_)
  target_link_libraries(${name}_test PRIVATE warpclock_options ${ARG_USES} ${ARG_LINK} GTest::gmock GTest::gtest_main)
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)  # support/: what several tests share
  target_compile_definitions(${name}_test PRIVATE WARPCLOCK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${ARG_LABEL}/${name} COMMAND ${name}_test)
  set_tests_properties(${ARG_LABEL}/${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 300
                       ENVIRONMENT XDG_DATA_HOME=${PROJECT_BINARY_DIR}/test-data)  # not the user's own results
endfunction()
