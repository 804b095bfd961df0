# `cpack -G DEB` in the build folder writes Debian packages: the program, the library, what is needed to build with it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "arus developers <arus@arus.example>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL arus)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(later "librdkafka1 (>= 2.0.2), libcurl4 (>= 7.85), libmicrohttpd12") # loaded at their first use
set(CPACK_DEBIAN_ARUS_PACKAGE_NAME arus)
set(CPACK_DEBIAN_ARUS_PACKAGE_SECTION database)
set(CPACK_DEBIAN_ARUS_PACKAGE_DEPENDS "${later}")
if(ARUS_SHARED)
    list(APPEND CPACK_COMPONENTS_ALL libarus0 libarus-dev)
    set(CPACK_DEBIAN_LIBARUS0_PACKAGE_NAME libarus0)
    set(CPACK_DEBIAN_LIBARUS0_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_LIBARUS0_PACKAGE_DEPENDS "${later}")
    set(CPACK_DEBIAN_LIBARUS0_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
    set(CPACK_DEBIAN_LIBARUS-DEV_PACKAGE_NAME libarus-dev)
    set(CPACK_DEBIAN_LIBARUS-DEV_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_LIBARUS-DEV_PACKAGE_DEPENDS "libarus0 (= ${PROJECT_VERSION})")
    set(CPACK_COMPONENT_LIBARUS0_DESCRIPTION "Shared library of arus, Spark Structured Streaming as a C library
For programs that run pipelines themselves, with rows in memory
or the connectors of arus.")
    set(CPACK_COMPONENT_LIBARUS-DEV_DESCRIPTION "Header and pkg-config file of libarus
What is needed to build programs that run pipelines of arus themselves.")
endif()
set(CPACK_COMPONENT_ARUS_DESCRIPTION "New files in a folder or records of a Kafka topic, Spark SQL in the
middle, a Parquet table or a topic out, each row exactly once. The same
text runs on Apache Spark, which can also take over a checkpoint.")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/files.cmake)
include(CPack)
