# Flags that every target of warpclock shares, and none of its dependencies.
add_library(warpclock_options INTERFACE)
target_include_directories(warpclock_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(warpclock_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
  -Wno-missing-field-initializers)  # a field left out of a designated initializer has its default
if(WARPCLOCK_WERROR)
  target_compile_options(warpclock_options INTERFACE -Werror)
endif()
if(WARPCLOCK_SANITIZE)
  target_compile_options(warpclock_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(warpclock_options INTERFACE -fsanitize=address,undefined)
endif()
