#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154,SC2329,SC2030,SC2031  # settings and functions are used by the parts that setup loads
# Built images: which are kept, and which are removed.

bats_require_minimum_version 1.5.0

setup() {
  load lab
  load_parts
  settings[cache]=$BATS_TEST_TMPDIR/cache
  version=1
  image_digest() { printf '%016d\n' "$version"; }
  build_image() { printf 'built\n' >"$2"; }
}

image_of() { # version
  printf '%s/image-%016d.qcow2\n' "${settings[cache]}" "$1"
}

@test "an image that no lab starts from any more goes when the next is built" {
  make_image_in_cache
  [[ -f $(image_of 1) ]]
  version=2
  run --separate-stderr make_image_in_cache
  [[ -f $(image_of 2) && ! -e $(image_of 1) ]]
  [[ ${stderr_lines[1]} == "Removing $(image_of 1): no lab starts from it any more" ]]
  [[ $(cat "$(built_images)") == "$(image_of 2)" ]]
}

@test "an image that another lab starts from stays until that lab has gone" {
  local other=$BATS_TEST_TMPDIR/other own=${settings[folder]}
  settings[folder]=$other
  make_image_in_cache
  settings[folder]=$own version=2
  make_image_in_cache
  [[ -f $(image_of 1) ]]
  rmdir "$other"
  make_image_in_cache
  [[ ! -e $(image_of 1) && -f $(image_of 2) ]]
}

@test "a lab on an image of the user's leaves the built ones to the others, and the user's alone" {
  make_image_in_cache
  touch "$BATS_TEST_TMPDIR/mine.qcow2" "${settings[cache]}/image-theirs.qcow2"
  settings[folder]=$BATS_TEST_TMPDIR/second settings[image]=$BATS_TEST_TMPDIR/mine.qcow2
  make_image_in_cache
  settings[image]=built version=3
  make_image_in_cache
  [[ -f $(image_of 1) && -f $BATS_TEST_TMPDIR/mine.qcow2 && -f ${settings[cache]}/image-theirs.qcow2 ]]
}
