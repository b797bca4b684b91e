# Builds what Python and Fast DDS need of an interface package, and nothing for C++: half of the
# work. `build_for_python(FILES... DEPENDENCIES PACKAGES...)` takes the arguments of
# rosidl_generate_interfaces().
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
set(implementations rosidl_typesupport_fastrtps_c rosidl_typesupport_introspection_c)
set(STATIC_ROSIDL_TYPESUPPORT_C ${implementations})
# Whoever finds the Python module finds its libraries: no LD_LIBRARY_PATH, which counts only when a
# process starts.
set(CMAKE_INSTALL_RPATH "${CMAKE_INSTALL_PREFIX}/lib")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

macro(build_for_python)
  list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "cpp")
  rosidl_generate_interfaces(${PROJECT_NAME} ${ARGN})
  foreach(kind generator_py typesupport_c typesupport_fastrtps_c typesupport_introspection_c)
    set_target_properties(${PROJECT_NAME}__rosidl_${kind}
      PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    target_compile_options(${PROJECT_NAME}__rosidl_${kind} PRIVATE -w)
  endforeach()
  # These are looked up by name when they are used, and found if they are loaded already.
  list(TRANSFORM implementations PREPEND ${PROJECT_NAME}__ OUTPUT_VARIABLE libraries)
  target_link_libraries(${PROJECT_NAME}__rosidl_typesupport_c PRIVATE
    -Wl,--no-as-needed ${libraries} -Wl,--as-needed)
endmacro()
