# Functions that tools/quickstart and tools/check use. Sourced, not run.
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

TAMC_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '\n==> %s\n' "$*"; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The list of packages without its comments.
packages() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$TAMC_ROOT/tools/packages.txt"; }

# missing_packages [PACKAGE...]: the packages of the list, and these, that are
# not installed.
missing_packages() {
  local package
  for package in $(packages) "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      echo "$package"
  done
}

# Prints the arguments that no package source offers.
unavailable_packages() {
  local package
  for package in "$@"; do
    apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || echo "$package"
  done
}

# ensure_packages [PACKAGE...]: installs missing packages of the list, and these,
# if run as root; else prints the command and exits 1.
ensure_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "no apt-get here: going on with the tools and libraries that are there"
    return
  fi
  local missing absent
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0

  local install="apt-get install -y --no-install-recommends --no-remove $missing"
  if [ "$(id -u)" -ne 0 ]; then
    printf 'error: these packages are missing: %s\n' "$missing" >&2
    printf 'install them with:\n  sudo apt-get update && sudo %s\n' "$install" >&2
    exit 1
  fi

  say "installing $missing"
  # An unreachable source may not matter. A package that no source offers is an
  # error, reported below.
  apt-get update || printf 'warning: apt-get update failed\n' >&2
  # shellcheck disable=SC2086
  absent=$(unavailable_packages $missing | tr '\n' ' ')
  if [ -n "$absent" ]; then
    printf 'error: no package source offers: %s\n' "${absent% }" >&2
    printf '%s\n' \
      "LLVM and MLIR 22 are in Debian 12's security archive, the suite" \
      "bookworm-security: do /etc/apt/sources.list and the files below" \
      "/etc/apt/sources.list.d name it?" >&2
    exit 1
  fi
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $install </dev/null || die \
    "the packages could not be installed (MLIR 22 and another MLIR's libmlir-*-dev exclude each other)"
}

# The build directory of a preset, as CMakePresets.json has it.
build_directory() {
  case $1 in
  release) echo "$TAMC_ROOT/build" ;;
  *) echo "$TAMC_ROOT/build-$1" ;;
  esac
}

# Configures a preset. Tests are always configured, so that `quickstart` and
# `check` share the release preset's directory without undoing each other's
# settings.
configure() {
  say "configuring the preset $1"
  local fresh=() cache
  cache=$(build_directory "$1")/CMakeCache.txt
  # A folder that another compiler was configured in would lose all options but
  # the new compiler.
  if [ "$1" = sanitized-tools ] && [ -f "$cache" ] &&
    ! grep -q '^CMAKE_CXX_COMPILER:.*clang++-22$' "$cache"; then
    fresh=(--fresh)
  fi
  (cd "$TAMC_ROOT" &&
    cmake "${fresh[@]}" --preset "$1" -DTAMC_BUILD_TESTS=ON) ||
    die "the preset $1 could not be configured"
}
