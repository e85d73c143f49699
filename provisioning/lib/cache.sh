# shellcheck shell=bash
# Built images are kept for the next `up`, and removed when no lab starts from them any more.

# Both are lists in the cache: the images that were built into it, and the labs with the image that each starts from.
built_images() {
  printf '%s/built\n' "${settings[cache]}"
}

image_users() {
  printf '%s/users\n' "${settings[cache]}"
}

# Makes the image, notes who uses it, and removes those that nobody uses; one lab at a time.
make_image_in_cache() {
  local cache_turn
  mkdir -p "${settings[cache]}"
  exec {cache_turn}>"${settings[cache]}/lock"
  wait_for 'another provision.sh to leave the cache of images' 900 flock -n "$cache_turn" ||
    give_up "Another provision.sh is still working on the images in ${settings[cache]}; try again when it has ended."
  if [[ ${settings[image]} == built ]]; then
    make_image
    note_line "$(built_images)" "$(image_path)"
  fi
  make_folder "${settings[folder]}"
  note_use
  remove_unused_images
  exec {cache_turn}>&-
}

# Labs whose folder has gone use nothing.
note_use() {
  local folder image users=''
  while IFS=$'\t' read -r folder image; do
    [[ ! -d $folder || $folder == "${settings[folder]}" ]] || users+="$folder"$'\t'"$image"$'\n'
  done < <(cat "$(image_users)" 2>/dev/null)
  printf '%s%s\t%s\n' "$users" "${settings[folder]}" "$(image_path)" >"$(image_users)"
}

# Only what is listed as built here is ever removed, and never the image of these sources.
remove_unused_images() {
  local image
  while read -r image; do
    [[ $image != "$(image_path)" ]] || continue
    ! cut -f 2 "$(image_users)" | grep -qxF -- "$image" || continue
    [[ ! -f $image ]] || say "Removing $image: no lab starts from it any more"
    rm -f -- "$image"
    forget_line "$(built_images)" "$image"
  done < <(cat "$(built_images)" 2>/dev/null)
}
