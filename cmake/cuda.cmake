# Finds nvcc and the CUDA headers (toolkit, or PyPI wheels below WARPCLOCK_CUDA_ROOT) and compiles kernels to one fatbin.
# CMake's own CUDA language stays off: it would link the runtime library and insist on a toolkit.
#
# Sets WARPCLOCK_CUDA_MISSING to what is not there (empty: all is), WARPCLOCK_CUDA_INCLUDES, WARPCLOCK_NVCC.

set(WARPCLOCK_CUDA_ROOT "" CACHE PATH "Toolkit, or site-packages/nvidia of PyPI wheels; empty: looks for it")
set(WARPCLOCK_CUDA_ARCHS "" CACHE STRING "Compute capabilities to compile for, as 90;100; empty: all from 75 to 120")

set(cuda_roots ${WARPCLOCK_CUDA_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
set(cuda_parts "")
foreach(root ${cuda_roots})
  list(APPEND cuda_parts ${root})
  file(GLOB wheels ${root}/cu13 ${root}/cuda_* ${root}/cublas)
  list(APPEND cuda_parts ${wheels} ${root}/extras/CUPTI)
endforeach()

# No default paths: a stray header in /usr/local/include must not be mixed with the toolkit's.
find_program(WARPCLOCK_NVCC nvcc PATHS ${cuda_parts} PATH_SUFFIXES bin NO_DEFAULT_PATH)
find_program(WARPCLOCK_NVCC nvcc)
set(WARPCLOCK_CUDA_MISSING "")
set(WARPCLOCK_CUDA_INCLUDES "")
if(NOT WARPCLOCK_NVCC)
  list(APPEND WARPCLOCK_CUDA_MISSING nvcc)
endif()
foreach(header cuda.h cudaTypedefs.h cupti.h cublasLt.h nvrtc.h)
  string(MAKE_C_IDENTIFIER WARPCLOCK_${header}_FOLDER variable)
  find_path(${variable} ${header} PATHS ${cuda_parts} PATH_SUFFIXES include NO_DEFAULT_PATH)
  find_path(${variable} ${header})
  mark_as_advanced(${variable})
  if(${variable})
    list(APPEND WARPCLOCK_CUDA_INCLUDES ${${variable}})
  else()
    list(APPEND WARPCLOCK_CUDA_MISSING ${header})
  endif()
endforeach()
list(REMOVE_DUPLICATES WARPCLOCK_CUDA_INCLUDES)
if(WARPCLOCK_CUDA_MISSING)
  list(JOIN WARPCLOCK_CUDA_MISSING " and " WARPCLOCK_CUDA_MISSING)
  set(WARPCLOCK_CUDA_MISSING "no ${WARPCLOCK_CUDA_MISSING}")
  message(STATUS "CUDA backend: left out, ${WARPCLOCK_CUDA_MISSING} found")
else()
  message(STATUS "CUDA backend: ${WARPCLOCK_NVCC}, headers in ${WARPCLOCK_CUDA_INCLUDES}")
endif()

# Real code for every architecture that the compiler has (75 to 120, or those asked for) and PTX of the newest.
function(warpclock_gencode flags)
  set(archs ${WARPCLOCK_CUDA_ARCHS})
  if(NOT archs)
    execute_process(COMMAND ${WARPCLOCK_NVCC} --list-gpu-code OUTPUT_VARIABLE codes ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+" codes "${codes}")
    list(SORT codes COMPARE NATURAL)
    foreach(code ${codes})
      if(code GREATER_EQUAL 75 AND code LESS_EQUAL 120)
        list(APPEND archs ${code})
      endif()
    endforeach()
  endif()
  foreach(arch ${archs})
    list(APPEND result -gencode arch=compute_${arch},code=sm_${arch})
  endforeach()
  list(GET archs -1 newest)
  list(APPEND result -gencode arch=compute_${newest},code=compute_${newest})
  set(${flags} ${result} PARENT_SCOPE)
endfunction()

# warpclock_embed_kernels(source_variable a.cu b.cu): a C++ source file that holds the fatbin as warpclock_fatbin[].
function(warpclock_embed_kernels source)
  set(together ${CMAKE_CURRENT_BINARY_DIR}/kernels.cu)
  set(fatbin ${CMAKE_CURRENT_BINARY_DIR}/kernels.fatbin)
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/kernels.cpp)
  set(text "")
  foreach(kernel ${ARGN})
    string(APPEND text "#include \"${kernel}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${together} CONTENT "${text}")
  file(CONFIGURE OUTPUT ${embedded} CONTENT "asm(\".pushsection .rodata\\n.balign 64\\n.global warpclock_fatbin\\n\"
    \"warpclock_fatbin:\\n.incbin \\\"${fatbin}\\\"\\n.popsection\\n\");\n")
  warpclock_gencode(gencode)
  add_custom_command(OUTPUT ${fatbin}
    COMMAND ${WARPCLOCK_NVCC} -fatbin -std=c++17 -O3 -Wno-deprecated-gpu-targets ${gencode} -o ${fatbin} ${together}
    DEPENDS ${together} ${ARGN}
    COMMENT "Compiling CUDA kernels"
    VERBATIM)
  set_source_files_properties(${embedded} PROPERTIES OBJECT_DEPENDS ${fatbin} GENERATED TRUE)
  set(${source} ${embedded} PARENT_SCOPE)
endfunction()

# warpclock_cuda_program(name source.cu): a program that uses the CUDA runtime, linked with warpclock::main. No target
# where nvcc or the static runtime is missing.
function(warpclock_cuda_program name source)
  get_filename_component(toolkit "${WARPCLOCK_NVCC}" DIRECTORY)
  find_library(WARPCLOCK_CUDART cudart_static PATHS ${toolkit}/.. PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
  mark_as_advanced(WARPCLOCK_CUDART)
  if(NOT WARPCLOCK_NVCC OR NOT WARPCLOCK_CUDART)
    return()
  endif()
  warpclock_gencode(gencode)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${WARPCLOCK_NVCC} -std=c++20 -O3 -Wno-deprecated-gpu-targets ${gencode} -I ${PROJECT_SOURCE_DIR}/include
            -MD -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "nvcc ${name}" VERBATIM)
  add_executable(${name} ${object})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE warpclock_options warpclock::main ${WARPCLOCK_CUDART} Threads::Threads
                                        ${CMAKE_DL_LIBS} rt)
endfunction()
