#!/usr/bin/env bash
# Builds libbroadloom, shared and static, and installs it with headers, manual and pkg-config file;
# and the PKCS #11 module.
#
#   crates/capi/install.sh --prefix DIR [--debug]
#
# Needs cargo and a C compiler (CC, or cc). --debug installs the development build, which compiles
# faster. DESTDIR, where set, goes before every path that is written.
set -euo pipefail

usage() {
    echo "usage: install.sh --prefix DIR [--debug]" >&2
    exit 2
}

prefix=
profile=release
while (($#)); do
    case $1 in
    --prefix) prefix=${2-} && shift 2 || usage ;;
    --prefix=*) prefix=${1#*=} && shift ;;
    --debug) profile=debug && shift ;;
    *) usage ;;
    esac
done
[[ -n $prefix ]] || usage
prefix=$(realpath --canonicalize-missing "$prefix")
cd "$(dirname "${BASH_SOURCE[0]}")"
root=${DESTDIR-}$prefix

# In one call, so that both share what they are made of.
build=(cargo build --locked --package broadloom-capi --package broadloom-pkcs11
    --message-format json-render-diagnostics)
[[ $profile == debug ]] || build+=(--release)
# The static library, where cargo has put it.
built=$("${build[@]}")
archive=$(grep --only-matching '"[^"]*libbroadloom_capi\.a"' <<<"$built" | tail -1 | tr -d '"')
version=$(cargo pkgid | sed 's/.*[#@]//')
soname=libbroadloom.so.0
# What a program that links the static library needs beside it (rustc --print native-static-libs).
system="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"

install -d "$root/lib/pkgconfig" "$root/include" "$root/share/man/man3"
shared=$root/lib/libbroadloom.so.$version
# cargo sets no soname and no symbol versions.
"${CC:-cc}" -shared -o "$shared.new" \
    -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -Wl,--gc-sections \
    -Wl,--version-script=broadloom.map -Wl,-soname,$soname -Wl,-z,now -Wl,-z,defs $system
mv "$shared.new" "$shared"
ln -sf "libbroadloom.so.$version" "$root/lib/$soname"
ln -sf "$soname" "$root/lib/libbroadloom.so"
install -m 644 "$archive" "$root/lib/libbroadloom.a"
install -m 644 include/broadloom.h include/broadloom_cf.h "$root/include"
install -m 644 man/broadloom.h.3 "$root/share/man/man3"
cat >"$root/lib/pkgconfig/broadloom.pc" <<PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: broadloom
Description: Hashes, MACs, ciphers, signatures and compression of many buffers side by side
Version: $version
Libs: -L\${libdir} -lbroadloom
Libs.private: $system
Cflags: -I\${includedir}
PC

# The PKCS #11 module, and the file by which p11-kit finds it.
install_pkcs11() {
    local module
    module=$(grep --only-matching '"[^"]*libbroadloom_pkcs11\.so"' <<<"$built" | tail -1 |
        tr -d '"')
    install -d "$root/lib/pkcs11" "$root/share/p11-kit/modules"
    install -m 644 "$module" "$root/lib/pkcs11/libbroadloom-pkcs11.so.new"
    mv "$root/lib/pkcs11/libbroadloom-pkcs11.so.new" "$root/lib/pkcs11/libbroadloom-pkcs11.so"
    echo "module: $prefix/lib/pkcs11/libbroadloom-pkcs11.so" \
        >"$root/share/p11-kit/modules/broadloom.module"
}
install_pkcs11

echo "installed libbroadloom $version below $root"
