# shellcheck shell=bash
# The project as the guests need it: its sources, what was installed for each role, and a Python environment for Debian's
# Python 3.11, all put together on this host, so that a guest needs no network.

readonly guest_folder=/opt/upload-lab

# Runs a command as whoever owns the project: Git refuses other people's folders, and nothing there shall become root's.
as_owner() { # command...
  local owner
  owner=$(stat -c %U "$repository")
  if [[ $(id -un) == "$owner" ]]; then
    "$@"
  else
    runuser -u "$owner" -- "$@"
  fi
}

# Has the project itself ready on this host: systems, load generator, Python environment.
make_project_ready() {
  as_owner "$repository/lab" setup >&2 || give_up "The project could not be made ready on this host (see above)."
}

# The project as it is in a guest, put together on this host.
project_tree() {
  printf '%s/project\n' "${settings[cache]}"
}

stage_project() {
  mkdir -p "$(project_tree)"
  stage_sources
  stage_python
  stage_installed
}

# The sources as they are in the working folder, committed or not: what runs in the guests is what runs here.
stage_sources() {
  local sources
  sources=$(mktemp -d "${settings[cache]}/sources.XXXXXX")
  as_owner git -C "$repository" ls-files -z --cached --others --exclude-standard -- \
    ':!docs' ':!.ci' ':!results' ':!provisioning' ':!tests' ':!*/tests/*' |
    rsync -a --ignore-missing-args --from0 --files-from=- --chown=root:root "$repository/" "$sources/"
  # --files-from never deletes what has gone: the second copy does.
  rsync -a --delete --exclude=/.venv --exclude=node_modules --exclude=target "$sources/" "$(project_tree)/"
  rm -rf "$sources"
}

# What was installed on this host: what every system and both load generators keep in their ignored folders.
stage_installed() {
  local sut folder
  local -a paths=("$repository/./jmeter/target" "$repository/./workload-gen/lean/target")
  for sut in "$repository"/{,studies/kit/}*/sut.toml; do
    for folder in "${sut%/*}"/{,*/}{node_modules,target}; do
      [[ ! -d $folder ]] || paths+=("$repository/./${folder#"$repository"/}")
    done
  done
  rsync -a --delete --delete-excluded --chown=root:root --relative --exclude-from=<(development_only) "${paths[@]}" "$(project_tree)/"
}

# The environment's packages at their locked versions; the project's own are used from their sources.
stage_python() {
  local venv lock packages
  venv=$(project_tree)/.venv
  lock=$(cat "$repository/uv.lock" "$provisioning/lib/project.sh" | sha256sum)
  [[ $(cat "$venv/made-from" 2>/dev/null) == "$lock" ]] && return
  say "Putting together the guests' Python environment"
  rm -rf "$venv"
  mkdir -p "$venv/bin"
  packages=$venv/lib/python3.11/site-packages
  locked_packages >"$venv/requirements.txt" || give_up "uv could not read the project's lock (see above)."
  "$(uv_program)" --quiet --no-config pip install --compile-bytecode --no-deps --require-hashes --only-binary :all: --target "$packages" \
    --python "$repository/.venv/bin/python" --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
    -r "$venv/requirements.txt" || give_up "The guests' Python packages could not be fetched (see above)."
  (cd "$repository" && printf "$guest_folder/%s\n" . */src studies/*/src) >"$packages/upload-lab.pth"
  printf 'home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11\n' >"$venv/pyvenv.cfg"
  ln -s /usr/bin/python3.11 "$venv/bin/python"
  ln -s python "$venv/bin/python3"
  printf '%s\n' "$lock" >"$venv/made-from"
}

uv_program() {
  printf '%s/.lab/bootstrap/bin/uv\n' "$repository"
}

# Prints the requirements of the parts that run in a guest, with hashes.
locked_packages() {
  UV_PYTHON_DOWNLOADS=never "$(uv_program)" --quiet --project "$repository" export --frozen --no-dev --no-emit-workspace \
    --package uploadlab --package monitoring --package studies --python "$repository/.venv/bin/python"
}

# Prints a digest of what the project in a guest has to be.
project_state() {
  find "$(project_tree)" -printf '%P %T@ %s %l\n' | sort | sha256sum
}

# A disk with the project on it, and room for size lists and payload files: the first copy, many times faster than over SSH
# into an emulated guest.
make_project_disk() {
  local disk=${settings[folder]}/project.img
  [[ -f $disk ]] && return
  list_made file "$disk"
  list_made file "$disk.part"
  list_made file "$disk.state"
  rm -f "$disk.part"
  truncate -s 16G "$disk.part"
  mke2fs -q -t ext4 -L labproject -m 0 -N 200000 -E root_owner=0:0 -d "$(project_tree)" "$disk.part" ||
    give_up "The project's disk could not be made (see above)."
  project_state >"$disk.state"
  mv "$disk.part" "$disk"
}

# Brings a guest's copy up to date; size lists and payloads made there stay. A new copy of the project's disk is compared by
# its digest: rsync looks at each file, which takes an emulated guest most of a minute.
push_project() { # role
  local folder=${settings[folder]}/$1 state
  local mark=$folder/project.pushed
  state=$(project_state)
  [[ $(cat "$mark" 2>/dev/null) == "$state" ]] && return
  list_made file "$mark"
  in_guest "$1" bash -s -- "$guest_folder" "${settings[open_files]}" <"$provisioning/guest/prepare" || return
  [[ $(cat "$folder/project.copied" 2>/dev/null) == "$state" ]] || send_project "$1" || return
  rm -f "$folder/project.copied"
  printf '%s\n' "$state" >"$mark"
}

send_project() { # role
  local -a options
  mapfile -t options < <(ssh_options)
  # rsync splits what -e is given at blanks outside quotes; a quote within them is doubled.
  rsync -a --delete --exclude='/samples/*/' --exclude=/.lab --exclude=/lost+found --exclude=__pycache__ \
    -e "ssh$(printf " '%s'" "${options[@]//\'/\'\'}")" "$(project_tree)/" "root@$(lab_address "$1"):$guest_folder/"
}

# Prints rsync patterns of what only building and testing need.
development_only() {
  printf '%s\n' /node-server/node_modules/node-linux-*/{include,share,lib} /node-server/node_modules/.bin \
    'target/*classes' 'target/generated-*' 'target/maven-*' 'target/*-reports' target/antrun target/dependency-maven-plugin-markers
  "$repository/.venv/bin/python" - "$repository/node-server/package-lock.json" <<'PY'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    packages = json.load(file)["packages"]
print(*(f"/node-server/{path}" for path, package in packages.items() if path and package.get("dev")), sep="\n")
PY
}
