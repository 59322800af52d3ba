# The Debian packages that l3replay is built, run and tested with, and how to get them. Sourced, not run.

packages_build="gcc g++ cmake ninja-build pkg-config libopenmpi-dev libhwloc-dev libcjson-dev libzmq3-dev
    libxxhash-dev libzip-dev libcmocka-dev"
packages_run="openmpi-bin python3 g++ clang-19"
packages_test="iproute2 util-linux procps ccache chromium strace python3-torch python3-numpy"
packages_fuzz="libclang-rt-19-dev" # clang's sanitizers and fuzzer, which clang-19 does not bring along
packages_lint="cppcheck clang-tidy-19 clang-format-19"

# Those of the named packages that are not installed.
packages_missing() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
    done
}

# Install what is missing of the named packages where we may: as root, or with a sudo that asks nothing. Otherwise say
# what is missing and return 1. Without dpkg nothing is installed or checked: what is missing will be missed.
packages_install() {
    local missing as_root="" log
    command -v dpkg-query >/dev/null || return 0
    missing=$(packages_missing "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            echo "missing packages: $(echo $missing)" >&2
            echo "install them as root: apt-get install $(echo $missing)" >&2
            return 1
        fi
        as_root="sudo -n"
    fi
    echo "installing $(echo $missing)" >&2
    log=$(mktemp)
    # The lists of a machine that was just set up are missing or old.
    if { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
        rm -f "$log"
        return 0
    fi
    cat "$log" >&2
    rm -f "$log"
    echo "cannot install $(echo $missing)" >&2
    return 1
}
