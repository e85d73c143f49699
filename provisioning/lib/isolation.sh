# shellcheck shell=bash
# The server's cores for its guest alone: everything else of the host is kept off them, and put back later.
# systemd keeps its slices off them (machine.slice, where guests are, stays free) and interrupts are moved; tuna, only when
# asked for, moves every thread and interrupt that can be moved. Affinities are saved first; only what still is as it was
# left is put back.

readonly isolated_slices=(init.scope system.slice user.slice)

isolation_file() { # before | after | slices
  printf '%s/isolation.%s\n' "${settings[folder]}" "$1"
}

isolate() { # tool dry_run
  local tool=$1 dry_run=$2 step after
  local -a steps=()
  [[ $tool == systemd || $tool == tuna ]] || give_up "--tool $tool: expected systemd or tuna."
  choose_cores "$(acceleration_of_guests)"
  [[ $tool == tuna || -d /run/systemd/system ]] || give_up 'systemd does not run here; --tool tuna isolates without it.'
  [[ $tool == systemd || -n $(command -v tuna) ]] || give_up 'tuna is missing; install with: sudo apt-get install tuna'
  [[ -n $(other_cores) ]] || give_up "server_cores: ${settings[server_cores]} with their hyper-threads are all cores of this host; nothing is left for the rest."
  [[ ! -e $(isolation_file before) ]] || give_up 'The cores are isolated already; run provision.sh unisolate first.'
  mapfile -t steps < <("isolation_steps_$tool")
  if [[ $dry_run == yes ]]; then
    printf '%s\n' "${steps[@]}"
    return
  fi
  require_root isolate
  mkdir -p "${settings[folder]}"
  slices_now >"$(isolation_file slices)"
  affinities_now >"$(isolation_file before)"
  for step in "${steps[@]}"; do
    (eval "$step") 2>/dev/null || say "Not possible here: $step"
  done
  # At once: an `isolate` that is interrupted leaves the whole list or none.
  after=$(affinities_now)
  printf '%s\n' "$after" >"$(isolation_file after)"
}

unisolate() { # dry_run
  local before after now step
  before=$(isolation_file before)
  [[ -f $before ]] || give_up 'Nothing is isolated: there is nothing to restore.'
  now=$(affinities_now)
  # Where `isolate` was interrupted, what is different now counts as its work.
  after=$(cat "$(isolation_file after)" 2>/dev/null) || after=$now
  local -a slices=() rest=()
  mapfile -t slices < <(restore_slices)
  mapfile -t rest < <(restore_affinities "$before" <(printf '%s\n' "$after") <(printf '%s\n' "$now"))
  if [[ $1 == yes ]]; then
    printf '%s\n' "${slices[@]}" "${rest[@]}"
    return
  fi
  require_root unisolate
  for step in "${slices[@]}" "${rest[@]}"; do
    (eval "$step") 2>/dev/null || say "Not possible any more: $step"
  done
  rm -f "$before" "$(isolation_file after)" "$(isolation_file slices)"
}

acceleration_of_guests() {
  if grep -q "type='qemu'" "${settings[folder]}/server/domain.xml" 2>/dev/null; then
    printf 'tcg\n'
  else
    printf 'kvm\n'
  fi
}

# Prints the server's cores and their hyper-threads, which stay unused, one a line.
own_cores() {
  local core
  for core in $(expand_cores "${settings[server_cores]}"); do
    core_siblings "$core"
  done | sort -un
}

# Prints the host's cores without those, as a list.
other_cores() {
  comm -23 <(host_cores | sort) <(own_cores | sort) | sort -n | paste -sd ,
}

isolation_steps_systemd() {
  local slice others irq
  others=$(other_cores)
  for slice in "${isolated_slices[@]}"; do
    printf 'systemctl set-property --runtime %s AllowedCPUs=%s\n' "$slice" "$others"
  done
  for irq in $(interrupts_on_server_cores); do
    printf 'echo %s >/proc/irq/%s/smp_affinity_list\n' "$others" "$irq"
  done
}

# Newer versions of tuna have subcommands, older ones options.
isolation_steps_tuna() {
  local own
  own=$(own_cores | paste -sd ,)
  if tuna --help 2>&1 | grep -qE '\bisolate\b.*(,|\}|$)' && ! tuna --help 2>&1 | grep -q -- '--isolate'; then
    printf 'tuna isolate --cpus %s\n' "$own"
  else
    printf 'tuna --cpus=%s --isolate\n' "$own"
  fi
}

interrupts_on_server_cores() {
  local file list irq core
  local -a own
  mapfile -t own < <(own_cores)
  for file in /proc/irq/[0-9]*/smp_affinity_list; do
    list=$(<"$file") 2>/dev/null || continue
    irq=${file%/smp_affinity_list}
    for core in "${own[@]}"; do
      if list_holds "$list" "$core"; then
        printf '%s\n' "${irq##*/}"
        break
      fi
    done
  done
}

list_holds() { # list core
  local part
  for part in ${1//,/ }; do
    (($2 < ${part%-*} || $2 > ${part#*-})) || return 0
  done
  return 1
}

# Prints the cores that a slice may use as systemd says it, with commas; - where it may use all.
cores_of_slice() { # slice
  systemctl show --property AllowedCPUs --value "$1" | paste -sd ' ' | sed 's/^$/-/; s/ /,/g'
}

# Prints "unit value has_file" for each slice.
slices_now() {
  local slice
  [[ -d /run/systemd/system ]] || return 0
  for slice in "${isolated_slices[@]}"; do
    printf '%s %s %s\n' "$slice" "$(cores_of_slice "$slice")" \
      "$([[ -e $(slice_file "$slice") ]] && printf yes || printf no)"
  done
}

slice_file() { # slice
  printf '/run/systemd/system.control/%s.d/50-AllowedCPUs.conf\n' "$1"
}

# Prints the steps that give each slice its cores back. An empty value would not undo: the whole list does, and then the
# file that set-property left is not needed.
restore_slices() {
  local slice value had_file all now reload=no
  all=$(host_cores_online)
  while read -r slice value had_file; do
    now=$(cores_of_slice "$slice")
    [[ $now != "$value" ]] || continue
    printf 'systemctl set-property --runtime %s AllowedCPUs=%s\n' "$slice" "$([[ $value == - ]] && printf '%s' "$all" || printf '%s' "$value")"
    if [[ $had_file == no ]]; then
      printf 'rm -f %s\n' "$(slice_file "$slice")"
      reload=yes
    fi
  done < <(cat "$(isolation_file slices)" 2>/dev/null)
  [[ $reload == no ]] || printf 'systemctl daemon-reload\n'
}

# Prints "kind id start list" for each thread, interrupt and the default of new interrupts. When a thread started tells it
# from a later one with the same number.
affinities_now() {
  cat /proc/[0-9]*/task/[0-9]*/stat /proc/[0-9]*/task/[0-9]*/status 2>/dev/null | awk '
    /^[0-9]+ \(/ {thread = $1; sub(/.*\) /, ""); start[thread] = $20; next}
    /^Pid:/ {thread = $2}
    /^Cpus_allowed_list:/ && thread in start {print "thread", thread, start[thread], $2}' || true
  grep -H . /proc/irq/[0-9]*/smp_affinity_list 2>/dev/null | sed -E 's|^/proc/irq/([0-9]+)/smp_affinity_list:|irq \1 - |' || true
  printf 'default - - %s\n' "$(cat /proc/irq/default_smp_affinity)"
}

# Prints the steps that put back what `isolate` changed and nobody else has changed since.
restore_affinities() { # before after now
  awk '
    {key = $1 " " $2 " " $3}
    FILENAME == ARGV[1] {before[key] = $4; next}
    FILENAME == ARGV[2] {after[key] = $4; next}
    key in before && $4 == after[key] && $4 != before[key] {
      if ($1 == "thread") print "taskset -pc " before[key] " " $2 " >/dev/null"
      else if ($1 == "irq") print "echo " before[key] " >/proc/irq/" $2 "/smp_affinity_list"
      else print "echo " before[key] " >/proc/irq/default_smp_affinity"
    }' "$1" "$2" "$3"
}
