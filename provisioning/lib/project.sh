# shellcheck shell=bash
# The project as the guests need it: its sources, what was installed for each role, and a Python environment for Debian's
# Python 3.11, all put together on this host, so that a guest needs no network.

readonly guest_folder=/opt/upload-lab

# Prints what was installed on this host for a role, from the project's folder: what every system or JMeter keeps in its
# ignored folders.
installed_for() { # role
  local sut folder
  if [[ $1 == client ]]; then
    printf 'jmeter/target\n'
    return
  fi
  for sut in "$repository"/*/sut.toml; do
    for folder in "${sut%/*}"/{,*/}{node_modules,target}; do
      [[ ! -d $folder ]] || printf '%s\n' "${folder#"$repository"/}"
    done
  done
}

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

project_folder() {
  printf '%s/project\n' "${settings[cache]}"
}

stage_project() {
  local stage
  stage=$(project_folder)
  mkdir -p "$stage"
  stage_python "$stage"
  stage_sources "$stage"
}

# The sources as they are in the working folder, committed or not: what runs in the guests is what runs here.
stage_sources() { # stage
  as_owner git -C "$repository" ls-files -z --cached --others --exclude-standard -- \
    ':!docs' ':!.ci' ':!results' ':!provisioning' ':!*/tests/*' |
    rsync -a --delete-missing-args --from0 --files-from=- --chown=root:root "$repository/" "$1/sources.part/"
  # --files-from never deletes what has gone: the second copy does.
  rsync -a --delete "$1/sources.part/" "$1/sources/"
  rm -rf "$1/sources.part"
}

# The environment's packages at their locked versions; the project's own are used from their sources.
stage_python() { # stage
  local venv=$1/venv lock packages
  lock=$(cat "$repository/uv.lock" "$provisioning/guest/left-out" "$provisioning/lib/project.sh" | sha256sum)
  [[ $(cat "$venv/made-from" 2>/dev/null) == "$lock" ]] && return
  say "Putting together the guests' Python environment"
  rm -rf "$venv"
  mkdir -p "$venv/bin"
  packages=$venv/lib/python3.11/site-packages
  locked_packages >"$venv/requirements.txt" || give_up "uv could not read the project's lock (see above)."
  "$(uv_program)" --quiet --no-config pip install --no-deps --require-hashes --only-binary :all: --target "$packages" \
    --python "$repository/.venv/bin/python" --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
    -r "$venv/requirements.txt" || give_up "The guests' Python packages could not be fetched (see above)."
  (cd "$repository" && printf "$guest_folder/%s\n" */src studies/*/src) >"$packages/upload-lab.pth"
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
  local -a left_out=()
  local package
  while read -r package; do
    left_out+=(--no-emit-package "$package")
  done < <(grep -v '^#' "$provisioning/guest/left-out")
  UV_PYTHON_DOWNLOADS=never "$(uv_program)" --quiet --project "$repository" export --frozen --no-dev --no-emit-workspace \
    --package harness --package monitoring --package upload-study --python "$repository/.venv/bin/python" "${left_out[@]}"
}

# Brings a guest's copy up to date; sizes lists and payloads made there stay.
push_project() { # role
  local role=$1 stage
  local -a options paths
  mapfile -t options < <(ssh_options)
  mapfile -t paths < <(installed_for "$role" | sed "s|^|$repository/./|")
  stage=$(project_folder)
  local -a send=(rsync -a --delete --chown=root:root -e "ssh ${options[*]}")
  "${send[@]}" --exclude='/samples/*/' --exclude=/.venv --exclude=/.lab --exclude=__pycache__ --exclude=node_modules \
    --exclude=target "$stage/sources/" "root@$(lab_address "$role"):$guest_folder/" &&
    "${send[@]}" --exclude=__pycache__ "$stage/venv/" "root@$(lab_address "$role"):$guest_folder/.venv/" &&
    "${send[@]}" --relative --exclude-from=<(development_only) "${paths[@]}" "root@$(lab_address "$role"):$guest_folder/"
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
