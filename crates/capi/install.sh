#!/usr/bin/env bash
# Builds libbroadloom, shared and static, and installs it with headers, manual and pkg-config file.
# Then it installs the fronts: the PKCS #11 module, the provider for OpenSSL 3, and the drivers for
# DPDK where the headers of DPDK are.
#
#   crates/capi/install.sh --prefix DIR [--libdir DIR] [--debug]
#
# Needs cargo and a C compiler (CC, or cc); and nm and objcopy (binutils), to rename the libdeflate
# in the static library. Libraries go to PREFIX/lib, unless --libdir names another folder, as it is
# or below the prefix: lib64, lib/x86_64-linux-gnu. --debug installs the development build, which
# compiles faster. DESTDIR, where set, goes before every path that is written.
set -euo pipefail
# What is installed is for all users, whoever installs it.
umask 022

usage() {
    echo "usage: install.sh --prefix DIR [--libdir DIR] [--debug]" >&2
    exit 2
}

prefix=
libdir=lib
profile=release
while (($#)); do
    case $1 in
    --prefix) prefix=${2-} && shift 2 || usage ;;
    --prefix=*) prefix=${1#*=} && shift ;;
    --libdir) libdir=${2-} && shift 2 || usage ;;
    --libdir=*) libdir=${1#*=} && shift ;;
    --debug) profile=debug && shift ;;
    *) usage ;;
    esac
done
[[ -n $prefix && -n $libdir ]] || usage
prefix=$(realpath --canonicalize-missing "$prefix")
[[ $libdir == /* ]] || libdir=$prefix/$libdir
libdir=$(realpath --canonicalize-missing "$libdir")
cd "$(dirname "${BASH_SOURCE[0]}")"
root=${DESTDIR-}$prefix
lib=${DESTDIR-}$libdir

# In one call, so that all share what they are made of.
build=(cargo build --locked --message-format json-render-diagnostics)
for package in capi pkcs11 openssl-provider; do
    build+=(--package "broadloom-$package")
done
[[ $profile == debug ]] || build+=(--release)
messages=$("${build[@]}")

# built FILE: the path where cargo has put an output.
built() {
    grep --only-matching "\"[^\"]*/$1\"" <<<"$messages" | tail -1 | tr -d '"'
}

archive=$(built 'libbroadloom_capi\.a')
version=$(cargo pkgid | sed 's/.*[#@]//')
soname=libbroadloom.so.0
# What a program that links the static library needs beside it (rustc --print native-static-libs).
system="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"

install -d "$lib/pkgconfig" "$lib/cmake/broadloom" "$root/include" "$root/share/man/man3"
shared=$lib/libbroadloom.so.$version
# cargo sets no soname and no symbol versions.
"${CC:-cc}" -shared -o "$shared.new" \
    -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -Wl,--gc-sections \
    -Wl,--version-script=broadloom.map -Wl,-soname,$soname -Wl,-z,now -Wl,-z,defs $system
mv "$shared.new" "$shared"
ln -sf "libbroadloom.so.$version" "$lib/$soname"
ln -sf "$soname" "$lib/libbroadloom.so"
# A program may link a libdeflate of its own: the one in the static library gets other names.
if command -v nm >/dev/null && command -v objcopy >/dev/null; then
    names=$(mktemp)
    nm --defined-only "$archive" 2>/dev/null |
        awk '$3 ~ /^libdeflate_/ { print $3, "broadloom_" $3 }' | sort -u >"$names"
    objcopy --redefine-syms="$names" "$archive" "$lib/libbroadloom.a.new"
    rm "$names"
    chmod 644 "$lib/libbroadloom.a.new"
    mv "$lib/libbroadloom.a.new" "$lib/libbroadloom.a"
else
    install -m 644 "$archive" "$lib/libbroadloom.a"
    echo "nm or objcopy is missing: libbroadloom.a keeps the names of its libdeflate, so that a" \
        "program cannot link both it and another libdeflate" >&2
fi
install -m 644 include/broadloom.h include/broadloom_cf.h "$root/include"
install -m 644 man/broadloom.h.3 "$root/share/man/man3"
# Each function's name leads to the page: `man bl_hash_many`.
sed -n 's/^\.Fn \(bl_[a-z_]*\) .*/\1/p' man/broadloom.h.3 | while read -r function; do
    echo ".so man3/broadloom.h.3" >"$root/share/man/man3/$function.3"
done
# Spaces in a path are escaped, as pkg-config wants them.
cat >"$lib/pkgconfig/broadloom.pc" <<PC
prefix=${prefix// /\\ }
libdir=${libdir// /\\ }
includedir=\${prefix}/include

Name: broadloom
Description: Hashes, MACs, ciphers, signatures and compression of many buffers side by side
Version: $version
Libs: -L\${libdir} -lbroadloom
Libs.private: $system
Cflags: -I\${includedir}
PC

# find_package(broadloom) of CMake: the targets broadloom::broadloom and broadloom::static.
cat >"$lib/cmake/broadloom/broadloom-config.cmake" <<CMAKE
foreach(kind SHARED STATIC)
    if(kind STREQUAL SHARED)
        set(_target broadloom::broadloom)
        set(_library "$libdir/libbroadloom.so")
    else()
        set(_target broadloom::static)
        set(_library "$libdir/libbroadloom.a")
    endif()
    if(NOT TARGET \${_target})
        add_library(\${_target} \${kind} IMPORTED)
        set_target_properties(\${_target} PROPERTIES IMPORTED_LOCATION "\${_library}"
            INTERFACE_INCLUDE_DIRECTORIES "$prefix/include")
    endif()
endforeach()
set_target_properties(broadloom::static PROPERTIES
    INTERFACE_LINK_LIBRARIES "${system// /;}")
CMAKE
cat >"$lib/cmake/broadloom/broadloom-config-version.cmake" <<CMAKE
set(PACKAGE_VERSION $version)
# The interface of 0.1 and that of 0.2 may differ.
string(REGEX MATCH "^[0-9]+[.][0-9]+" _asked "\${PACKAGE_FIND_VERSION}")
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION AND _asked STREQUAL "${version%.*}")
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
    if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
        set(PACKAGE_VERSION_EXACT TRUE)
    endif()
endif()
CMAKE

# place FILE TARGET: installs a module beside its place, and renames it.
place() {
    install -D -m 644 "$1" "$2.new"
    mv "$2.new" "$2"
}

# The PKCS #11 module, and the file by which p11-kit finds it.
place "$(built 'libbroadloom_pkcs11\.so')" "$lib/pkcs11/libbroadloom-pkcs11.so"
install -d "$root/share/p11-kit/modules"
echo "module: $libdir/pkcs11/libbroadloom-pkcs11.so" \
    >"$root/share/p11-kit/modules/broadloom.module"

# The provider for OpenSSL 3.
place "$(built 'libbroadloom_openssl_provider\.so')" \
    "$lib/ossl-modules/broadloom.so"

echo "installed libbroadloom $version, a PKCS #11 module and an OpenSSL provider below $root"

# The drivers for DPDK, where the headers are.
dpdk=$(pkg-config --modversion libdpdk 2>/dev/null) || dpdk=none
if [[ $dpdk =~ ^(22|24|25)\.11\. ]]; then
    ../dpdk/build "$PWD/include" "$lib" "$lib/dpdk"
    echo "installed the drivers for DPDK $dpdk below $lib/dpdk"
else
    echo "left out the drivers for DPDK: they need its headers of 22.11, 24.11 or 25.11," \
        "and here is $dpdk"
fi
