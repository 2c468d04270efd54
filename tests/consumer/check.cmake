# Installs warpclock to a prefix of its own, builds the consumer against it and runs its two programs.
#   cmake -D BUILD=... -D SOURCE=... -D WORK=... [-D CXX_FLAGS=...] -P check.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " words)
    message(FATAL_ERROR "${words}\nexit code ${code}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

function(expect text)
  if(NOT out MATCHES "${text}")
    message(FATAL_ERROR "there is no '${text}' in\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -D CMAKE_PREFIX_PATH=${WORK}/prefix -D CMAKE_BUILD_TYPE=Release
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build)

set(quickly --device cpu --db none --ceilings off --max-time 50ms --settle-time 100ms --axis n=1024 -q)
run(${WORK}/build/with_main list)
expect("^saxpy")
run(${WORK}/build/with_main run ${quickly} --json -)
expect("\"benchmark\": \"saxpy\"")
expect("\"check\": {\"state\":\"passed\"")
run(${WORK}/build/own_main run ${quickly})
expect("^before\n")
# From outside, through the installed program: the same words.
run(${WORK}/prefix/bin/warpclock run ${WORK}/build/with_main saxpy ${quickly} --json -)
expect("\"benchmark\": \"saxpy\"")
# Public headers stand alone, each by itself.
file(GLOB headers ${WORK}/prefix/include/warpclock/*.hpp)
foreach(header ${headers})
  get_filename_component(name ${header} NAME)
  if(name STREQUAL "cuda.hpp")
    continue()  # needs cuda_runtime.h; the CUDA examples include it
  endif()
  file(WRITE ${WORK}/alone.cpp "#include <warpclock/${name}>\n")
  run(${CXX} -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I ${WORK}/prefix/include ${WORK}/alone.cpp)
endforeach()
