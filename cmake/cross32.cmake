# A board: 32-bit ARM with hardware floats. Debian's cross compiler builds, qemu runs. packaging/foreign.sh puts the
# libraries besides libc into build/foreign-32.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(system arm-linux-gnueabihf)
set(CMAKE_C_COMPILER ${system}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-arm -L /usr/${system})

set(unpacked ${CMAKE_CURRENT_LIST_DIR}/../build/foreign-32)
list(APPEND CMAKE_PREFIX_PATH ${unpacked}/usr)
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--disable-new-dtags,-rpath,${unpacked}/usr/lib/${system})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${unpacked})
set(ENV{PKG_CONFIG_LIBDIR} ${unpacked}/usr/lib/${system}/pkgconfig)
