# WARPCLOCK_STATIC_RUNTIME: programs that run on another machine than the one that built them. libstdc++, libgcc and
# GoogleTest go in, fmt is used as headers; glibc and BLAS stay shared.
if(WARPCLOCK_STATIC_RUNTIME)
  set_property(TARGET fmt::fmt PROPERTY INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
  target_link_options(warpclock_options INTERFACE -static-libstdc++ -static-libgcc -Wl,--as-needed)
endif()
