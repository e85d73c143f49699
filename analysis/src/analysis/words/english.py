"""The catalogue in English."""

from analysis.words.language import Language
from analysis.words.numbers import Figures

PHRASES = {
    "and": " and ",
    "to": " to ",
    "who_by": "Who is better, by {over}",
    # where
    "scenario_with_size": "{scenario} ({size} on average)",
    "in": "in {where}",
    "nouns": "scenarios",
    "noun": "scenario",
    "operations": "requests",
    "operation": "request",
    "side_higher": "higher",
    "side_lower": "lower",
    "in_all_scenarios": "in all {count} scenarios",
    "in_all_scenarios_again": "in all {count}",
    "in_both_scenarios": "in both scenarios",
    "in_both_scenarios_again": "in both",
    # the headline
    "headline_nothing": "No run of this campaign counts, so it can't say which system is better.",
    "headline_undecided": "This campaign can't tell which system is best.",
    "headline_beaten": "{best} beat {beaten} {share}; this campaign can't tell which of those is better.",
    "headline_alone": "{systems} was measured alone: there is nothing to compare it with.",
    "better_mean_ms": "answers faster",
    "better_p99_ms": "has the shorter tail",
    "better_cv": "is steadier",
    "better_server_cpu_us_per_request": "uses less CPU",
    "equal_mean_ms": "{systems} answer equally fast",
    "equal_cv": "{systems} are equally steady",
    "equal_server_cpu_us_per_request": "{systems} use the same amount of CPU",
    "untold_mean_ms": "it is undecided which answers faster",
    "untold_cv": "it is undecided which is steadier",
    "untold_server_cpu_us_per_request": "it is undecided which uses less CPU",
    "some_scenarios": "in {wins} of {count} scenarios",
    "some_scenarios_again": "in {wins} of {count}",
    "system_in": "{system} in {count}",
    # the answer
    "measure_mean_ms": "mean response time",
    "measure_cv": "coefficient of variation",
    "measure_p99_ms": "99th percentile of the response time",
    "measure_server_cpu_us_per_request": "server CPU time per {operation}",
    "measure_cpu_pct": "CPU",
    "measure_pswitch_per_s": "context switches per second",
    "measure_error_pct": "share of errors",
    "measure_throughput_rps": "throughput",
    "measure_sd_ms": "standard deviation",
    "unit_mean_ms": "\u00a0ms",
    "unit_p99_ms": "\u00a0ms",
    "unit_cv": "",
    "unit_server_cpu_us_per_request": "\u00a0µs",
    "better_metric": "has the {side} {measure}",
    "equal_metric": "{systems} have the same {measure}",
    "untold_metric": "it is undecided whose {measure} is {side}",
    "who_lower": "lower is better",
    "who_higher": "higher is better",
    "not_known": "The {measure} is not known: no valid run has it.",
    "better": "{better}: its {measure} is {less}.",
    "files": " ({size} on average)",
    "less": "{less} {side} than {than}'s (no interval)",
    "less_interval": "{less} {side} than {than}'s (95\u00a0% interval {interval})",
    "less_intervals": "{less} {side} than {than}'s (95\u00a0% intervals within {interval})",
    "the_next": "the next one",
    "equal_there": "{where}, {systems} have the same {measure} within {margin}\u00a0%{ahead}.",
    "ahead": ", {side} than that of {systems}",
    "alone_there": "{where}, only one system has valid runs.",
    "nothing_there": "{where}, no valid run has a figure.",
    "extent": "{system}'s {measure} {extent}.",
    "extent_again": "{system}'s {extent}.",
    "extent_one": "is {value} in {at}",
    "extent_many": "lies between {low} ({low_at}) and {high} ({high_at})",
    "open": "Still open: {parts}.",
    "open_part": "{measure} {where}",
    "open_within": "{measure} {where} (at most {percent}\u00a0% apart)",
    "below_capacity": (
        "Under this load the servers used {percent}\u00a0% of their cores: this is how they compare with time to "
        "spare, which need not be how they compare at their limit."
    ),
    "equal_cell": "equal within {margin}\u00a0%",
    "apart_cell": "at most {percent}\u00a0% apart",
    "check_rests": "The answer rests on the {rests}; {with_} checks it in {scenarios}",
    "check_load": ", with the server's core {percent}\u00a0% busy",
    "check_agrees": "; both decide {count}, and they agree.",
    "check_nothing": "; no comparison is decided by both.",
    "check_contradicts": (
        "The check contradicts the answer: in {where} it finds that {second} has the {side} {measure}, not {first}."
    ),
    "check_not_equal": (
        "The check contradicts the answer: in {where} it finds that {second} has the {side} {measure}, by {second_by}; "
        "the answer says that they are equal within {margin}\u00a0%."
    ),
    "check_equal": (
        "The check contradicts the answer: in {where} it finds the same {measure} within {margin}\u00a0%; the answer "
        "says that {first}'s is {side}, by {first_by}."
    ),
    "check_reason": "The reason may be another load, or the load generator's own time and way of writing.",
    "check_reason_load": "The server's core was {there}\u00a0% busy there, {here}\u00a0% where the answer was found.",
    "check_reason_own": (
        "The load generator's own wait for a core was {there}\u00a0% of the mean response time there, {here}\u00a0% "
        "where the answer was found."
    ),
    "would_tell": "About {repeats} of each would decide it.",
    "clock": (
        "Below a mean of 10\u00a0ms JMeter's clock of whole milliseconds adds to the variability "
        "({percent}\u00a0% of the variance); without it: {cells}."
    ),
    "clock_one": "{system} ({scenario}) {without} instead of {cv}",
    "clock_many": "see the figures of {cells} in the tables",
    "without_clock": "without the clock {cv}",
    # how sure
    "doubt_one_repeat": ("Each cell has one valid run at most: no interval can be given, so no difference is decided."),
    "doubt_rounds": (
        "Each cell has one valid run, whose {rounds} rounds are taken as repeats, as the paper did. Rounds of one run "
        "share the state that its processes reached: the intervals say how much rounds vary, not how much a fresh "
        "start would."
    ),
    "doubt_few_repeats": (
        "The intervals rest on {repeats} valid repeats a cell. They are honest but wide: only large differences can be "
        "decided with so few."
    ),
    "doubt_invalid": "{runs} did not pass a gate",
    "doubt_failed": "{runs} failed",
    "doubt_missing": "{runs} not made yet",
    "doubt_left_out": "{runs}: none of these counts, and each is named below with its reason.",
    "with_cores": " with {cores}",
    "doubt_same_host": (
        "Server and load generator shared one machine{cores}, without a network between them: memory, caches, disk and "
        "kernel are shared, so absolute figures hold for this machine only; ratios carry over better."
    ),
    "doubt_limit": (
        "The server was held to {percent}\u00a0% of its cores: its times, rates and shares of CPU are those of a "
        "slower server, and their ratios are not those on a whole core; compare by CPU time per {operation}."
    ),
    # before any figure
    "caution_limit": (
        "The server was held to {percent}\u00a0% of its cores. That changes more than the speed: on a whole core the "
        "steadiness and the tail of each server may differ, and their order too."
    ),
    "order_turns": "The order reverses with the share of the core: {clauses} (95\u00a0% intervals, {repeats} repeats).",
    "order_turned": (
        "{where} {second} has the {side} {measure} with {share}\u00a0% of the core, by {second_by}, but {first} with "
        "{against}\u00a0%, by {first_by}"
    ),
    "order_turns_often": (
        "Between {against}\u00a0% of the core and {shares}\u00a0% the order reverses in {count}: another system is the "
        "better one. analysis/share_orders.csv lists them."
    ),
    "order_same": (
        "Where {shares}\u00a0% of the core and {against}\u00a0% both decide, in {count}, the order is the same."
    ),
    "order_same_else": "In {count} both find the same order.",
    "order_open": "In {count} one of the two shares finds no order.",
    "order_open_everywhere": (
        "Whether the order reverses between {shares}\u00a0% of the core and {against}\u00a0% is not known: no "
        "comparison finds an order with both."
    ),
    "groups_one": (
        "The runs of {system}, {scenario}, are of two kinds: {measure} {low} in {n_low}, {high} in {n_high}. A mean "
        "over both, and its interval, hide that."
    ),
    "groups_with": "In the slower ones {what}: {high}\u00a0% of the time, against {low}\u00a0%.",
    "groups_gc_pct": "collecting garbage took longer",
    "groups_wait_pct": "the cores waited longer for the disk",
    "groups_steal_pct": "the host of this virtual machine took more of the cores",
    "groups_many": (
        "In {cells} the runs are of two kinds, which a mean and its interval hide; analysis/groups.csv lists them."
    ),
    "groups_mean_ms": "mean response time (ms)",
    "groups_p99_ms": "99th percentile (ms)",
    "groups_cv": "coefficient of variation",
    "first_requests": (
        "{where}, {percent}\u00a0% of {system}'s variance comes from each user's first request, sent on a new "
        "connection; the longest of a run took {longest}\u00a0ms. Over all other requests its coefficient of variation "
        "is {later}, not {cv}."
    ),
    "cost_varies": (
        "{where}, {system}'s CPU time per {operation} was {times} times as long in one third of the measured part as "
        "in another; the figure shown is the mean. This happens while a runtime still compiles, or where the host is "
        "slower at times. A longer warm-up, or one with the pauses of the measured load, tells which it is."
    ),
    # load curves
    "curve_holds": "99 of 100 requests are answered within {limit}\u00a0ms by {systems}.",
    "curve_to": "{system} up to {rate}{interval} requests a second",
    "curve_all": "{system} at every rate measured, up to {rate} requests a second",
    "curve_none": "{system} at none of the rates measured, the lowest of which is {rate} requests a second",
    "curve_some": "{system} in some repeats only, even at the lowest rate measured, {rate} requests a second",
    "curve_longer": "{system} keeps within that limit up to a higher rate.",
    "curve_untold": "Which one keeps within that limit up to a higher rate is undecided.",
    "curve_knees": "Above {knees}, response times grow faster than the rate.",
    "curve_knee_of": "{rate} a second for {system} (mean {mean}\u00a0ms)",
    "curve_no_knee": (
        "At {rate} a second, the highest rate measured, response times of {systems} still grow more slowly than the "
        "rate."
    ),
    "curve_named": "{curve}: {said}",
    "doubt_emulated": "The hosts' processors were emulated: none of these runs is a valid result.",
    "doubt_saturated": (
        "The load kept the servers' cores {percent}\u00a0% busy: response times show how a full core is shared. At a "
        "lower rate the order of the systems may be different: measure at the rate you expect."
    ),
    "doubt_virtual": "The machine is virtual ({kind}): other guests may have used its cores at the same time.",
    "doubt_steal": "The hypervisor took up to {percent}\u00a0% of the server's cores in a run (steal).",
    "doubt_idle_cores": (
        "Idle cores slept between requests. In a virtual machine, a server pays for waking the load generator's core: "
        "most where its responses come one at a time."
    ),
    "doubt_core_speed": (
        "The speed of the server's core differed between runs: before each, the same piece of work took "
        "{work_ms}\u00a0ms of CPU time, {ratio} times as much at its slowest. That alone can make runs differ in "
        "response time and CPU per request."
    ),
    "generator_busy": "; it kept its cores {percent}\u00a0% busy",
    "doubt_generator": (
        "Of the mean response time, {percent}\u00a0% was the load generator's own wait for a core{cpu}."
    ),
    "doubt_generator_unknown": (
        "How much of the response time was the load generator's own is not known: it was not sampled."
    ),
    "doubt_errors": "Up to {percent}\u00a0% of a run's requests failed; their times are included.",
    "doubt_memory": "Some of what was stored was kept in memory (tmpfs).",
    "doubt_smoke": "The profile smoke only shows that everything works; it is too short to compare servers.",
    "counted": "{valid} of {runs} valid, {requests} measured",
    # to cite
    "method_compared": (
        "{systems} were compared{day} with {lab} (profile {profile}, seed {seed}) in {scenarios}, "
        "{repeats} a cell, in random order, each with {fresh}{load}."
    ),
    "method_measured": (
        "{systems} was measured{day} with {lab} (profile {profile}, seed {seed}) in {scenarios}, "
        "{repeats} a cell, in random order, each with {fresh}{load}."
    ),
    "method_day": " on {day}",
    "method_one_host": "Server and load generator ran on one machine ({host}){cores}.",
    "method_two_hosts": "Server and load generator ran on separate machines (the lab ran on: {host}){cores}.",
    "method_cores": ", the server on core {server}, the load generator on core {injector}",
    "method_idle_cores": "Idle cores polled instead of sleeping.",
    "method_virtual": "virtual machine: {kind}",
    "unknown_hypervisor": "hypervisor unknown",
    "method_stored": "Stored on: {disks}.",
    "limit_one": (
        "The server was held to {percent}\u00a0% of its core, which can change its steadiness and the order of the "
        "servers."
    ),
    "limit_many": (
        "The server was held to {percent}\u00a0% of its cores, which can change its steadiness and the order of the "
        "servers."
    ),
    "limit_shares": (
        "The server had {percents}\u00a0% of its cores, each share in cells of its own; less than all can change its "
        "steadiness and the order of the servers."
    ),
    "limited_some": (
        "In the cells of {percents}\u00a0% the server was held to that share of its cores: CPU near it means that it "
        "had no more, not that it needed no more."
    ),
    "limited_shares": (
        "Response times, requests a second and shares of CPU are those of a server held to {percent}\u00a0% of its "
        "cores: CPU use near {percent}\u00a0% means that it had no more, not that it needed no more."
    ),
    "method_elapsed": (
        "Response time is the elapsed time in the load generator (JMeter's is in whole milliseconds) of every request "
        "after the warm-up, failed ones included."
    ),
    "event_overflows": "listen-queue overflows: {count} (each connection is retried after 1, 3 or 7 s)",
    "event_retransmits": "retransmitted TCP segments: {count}",
    "method_open": (
        "Each {operation} was sent at a time drawn from a Poisson process, whether or not earlier ones had been "
        "answered, and at the same times to every system; a scenario's rate is the largest at which no system used "
        "more than 80\u00a0% of its CPU in earlier short runs."
    ),
    "method_held": "The same in every run: {levels}.",
    "method_settled": "Only the part of each run in which response times had settled is measured.",
    "method_once": ("Measured once, only for claims across all levels, and not compared: {scenarios}."),
    "method_within_blocks": (
        "Systems are compared by the ratio of their figures within blocks, in which each runs once, next to the "
        "others; those that differ by less than {margin}\u00a0% are called equal."
    ),
    "method_of_means": (
        "Systems are compared by the ratio of their means over runs; those that differ by less than {margin}\u00a0% "
        "are called equal."
    ),
    "method_unpaired": "Where blocks are not complete, in {count}, the means over unrelated runs are compared.",
    "method_looks": (
        "Each scenario got blocks until its comparisons were decided, for {minutes} min at most in all; the intervals "
        "are repeated confidence intervals, which hold for all looks together."
    ),
    "method_requests": "Each valid run measured {requests} requests.",
    "table_to_cite": "Means over the n valid repeats of a cell; below them 95\u00a0% intervals over repeats.",
    "table_to_cite_clock": "In italics: the CV without what JMeter's clock of whole milliseconds adds to it.",
    "method_rounds": (
        "Each cell has one valid run, made in rounds: its figures are means over the rounds, and intervals (95\u00a0%) "
        "are over rounds. Percentiles use every request."
    ),
    "method_intervals": (
        "Figures of a cell are means over its valid repeats; intervals (95\u00a0%) are over repeats, since the "
        "requests of one run are not independent. Percentiles use every request."
    ),
    # under the charts
    "nothing_to_draw": "There is no valid run with a {measure} to draw.",
    "above_one": "Above 1 the standard deviation is larger than the mean.",
    "furthest": "They differ most {where}, where {more}'s is {ratio} times {less}'s.",
    "apart": "{where}, {more}'s is {ratio} times {less}'s.",
    "note_symbols": "Large symbols: mean over the valid runs; small ones: each run",
    "note_intervals": "; lines: 95\u00a0% interval over repeats, cut at the frame",
    "note_crosses": "; crosses: runs that don't count",
    "note_clock": (
        "; open symbols: without the load generator's clock of whole milliseconds, where the mean is below 10\u00a0ms"
    ),
    "note_log": ". Logarithmic axis",
    "note_n_none": "No run counts.",
    "note_n": "n\u00a0=\u00a0{runs} a cell, of {requests} each.",
    "level_means": "{system} answers in {means}.",
    "level_mean": "{mean} ({scenario})",
    "level_mean_interval": "{mean} ({scenario}; 95\u00a0% interval {interval})",
    "note_levels": "; dashed: the same system with the other level",
    "note_levels_n": "n\u00a0=\u00a0{runs} a cell.",
    "axis_beside": "{first}; open symbols: {second}",
    "figure_value": "{system} {value}",
    "figure_values": "{measure}: {values}.",
    "axis_ratio": "ratio of {measure}",
    "figure_ratio": "Ratio of {system} to {than}: {times}.",
    "note_ratio": "Symbols: ratio of the means over the valid runs",
    "figure_times": "Ratio of {first} to {second}: {times}.",
    "note_beside": "; open symbols: {measure}",
    "note_printed": "; crosses: printed in the paper",
    "note_rounds_n": "n\u00a0=\u00a0{rounds} of one run a cell.",
    "note_rounds": "Each point is one {level} of a run",
    "note_published": "; crosses: published by the paper's authors",
    "rounds": "{name}: mean {mean}, SD {sd}, from {low} to {high} (n\u00a0=\u00a0{n} rounds).",
    "note_picture": "The paper prints this figure as a picture only, without numbers.",
    "role_cores": "{role} on core {cores}",
    "or": " or ",
    "cores_of_roles": "Cores: {roles}.",
    "best_in": "best in {wins} of {count}",
    "equal_in": "equal to the best in {count}",
    "beaten_by": "beaten by {systems}",
    "doubt_parts_same_host": (
        "All parts shared one machine{cores}: memory, caches and kernel are shared, so absolute figures hold for "
        "this machine only; ratios carry over better."
    ),
    "method_parts_one_host": "All parts ran on one machine ({host}).",
    "method_operation": (
        "The time of a {operation} runs from {begin} of the {first} to {end} of the {last}, in nanoseconds, of "
        "every {operation} after the warm-up."
    ),
    "method_load": "; load by {generators}",
    "method_fresh": "a fresh server process",
    "method_fresh_parts": "fresh processes",
    "correlation_none": "For {series}, {scenarios} can't show a correlation.",
    "correlation_interval": "for {series} Pearson's r is {pearson} (95\u00a0% interval {interval}, n\u00a0=\u00a0{n})",
    "correlations_few": "too few {nouns} for an interval: Pearson's r is {parts}",
    "correlation_of": "{pearson} for {series} (n\u00a0=\u00a0{n})",
    "correlation_spearman": ", Spearman's {spearman}",
    "correlation_left_out": "; leaving out one scenario moves r to between {low} and {high}",
    "correlation_unknown": "Whether more switches go with a larger CV is not computed for this campaign.",
    "note_switches": (
        "Each point is a cell, labelled with its {noun}: means over its valid runs, n\u00a0=\u00a0{cells}. Switches "
        "are of the whole host, the load generator's included where both share it."
    ),
    "half": "half",
    "of_hundred": "99 of 100",
    "of_thousand": "999 of 1,000",
    "within": "{share} within {time}\u00a0ms",
    "answered": "{system} answered {times} (n\u00a0=\u00a0{requests} of {runs})",
    "no_valid_run": "{system} has no valid run",
    "note_timeline": (
        "All panels share one clock; 0 is the first measured request, and what comes before it is warm-up. Shading: "
        "how many requests ended at that time with that response time; darker is more."
    ),
    "note_joined": "A point stands for {seconds}.",
    "run": "{system}, {scenario}, repeat {repeat}",
    "at_rate": " at {rate} requests a second",
    "mean_between": "; the mean response time of a second lay between {low} and {high}\u00a0ms",
    "cpu_busy": "; the server's cores were {percent}\u00a0% busy",
    "switching": ", with {rate} context switches a second",
    "trouble": "It saw {what}.",
    "no_trouble": "No segment was retransmitted and no listen queue overflowed.",
    "size_share": "{percent}\u00a0% for {system} (n\u00a0=\u00a0{requests})",
    "size_share_unknown": "an unknown share for {system} (n\u00a0=\u00a0{requests})",
    "size_explains": "{scenario}: of the variance of response times, the size explains {parts}.",
    "of_generator": (
        "With {system}, {mean}\u00a0% of the mean response time and {variance}\u00a0% of its variance are due to the "
        "load generator."
    ),
    "of_generator_mean": "With {system}, {mean}\u00a0% of the mean response time is due to the load generator.",
    "largest_part": "with {system} the largest share is “{part}” ({percent}\u00a0%)",
    "indicator_cells_cv": (
        "Across {nouns} {system}'s CV follows “{indicator}” most closely (r\u00a0=\u00a0{r}{interval}, "
        "n\u00a0=\u00a0{n}): {sure}."
    ),
    "indicator_seconds_cv": (
        "Within runs, second by second, {system}'s CV follows “{indicator}” most closely "
        "(r\u00a0=\u00a0{r}{interval}, {runs}): {sure}."
    ),
    "indicator_seconds_mean_ms": (
        "Within runs, second by second, {system}'s mean response time follows “{indicator}” most closely "
        "(r\u00a0=\u00a0{r}{interval}, {runs}): {sure}."
    ),
    "indicator_interval": ", 95\u00a0% interval {interval}",
    "indicator_sure": "reliable, because it ranks first in {share}\u00a0% of the resamples, and with any one left out",
    "indicator_unsure": "not reliable, because {reasons}",
    "unsure_interval": "the interval includes 0",
    "unsure_no_interval": "there are too few for an interval",
    "unsure_share": "it ranks first in only {share}\u00a0% of the resamples",
    "unsure_left_out": "with one left out r lies between {low} and {high}",
    "claims_counted": "Of {claims}, {parts} on this campaign's data.",
    # two campaigns
    "compare_title": "{after} against {before}",
    "compare_worse": "**Worse by more than {percent} %** in {figures}. Of all: {counted}.",
    "compare_not_worse": "Nothing is worse by more than {percent} %. Of all figures: {counted}.",
    "compare_limit": (
        "**Not the same server:** it had {first} of its cores in {before}, {second} in {after}; times, rates and "
        "shares of CPU differ for that reason alone."
    ),
    "compare_all_cores": "all",
    "compare_heads": "| cell | figure | before | after | ratio | 95 % | repeats | |",
    "compare_without_clock": "{cv} without the clock",
    "compare_all_figures": "All figures",
    "compare_differences": "What differed between the campaigns",
    "compare_only": "Only in {name}: {cells}.",
    "compare_cells_lost": "**No valid run left** of {cells}.",
    "compare_verdict_without a valid run": "without a valid run",
    "compare_verdict_worse": "worse",
    "compare_verdict_slightly worse": "slightly worse",
    "compare_verdict_unchanged": "unchanged",
    "compare_verdict_slightly better": "slightly better",
    "compare_verdict_better": "better",
    "compare_verdict_can't tell": "can't tell",
    "compare_none_valid": "{measure}: no run is valid any more.",
    "compare_no_run": "{measure}: no valid run has this figure in one of the campaigns.",
    "compare_figures": "{measure} {before} -> {after}{unit}",
    "compare_clocks": " (without the clock of whole ms {before} -> {after})",
    "compare_no_ratio": "{figures}; a figure of 0 has no ratio.",
    "compare_one_repeat": "{figures}, ratio {ratio}; one repeat has no interval.",
    "compare_change": (
        "{figures}, ratio {ratio}, 95 % interval {lo} to {hi}, {before} and {after} repeats: {verdict}{more}."
    ),
    "compare_more": "; about {repeats} more repeats would decide",
    # in the paper's tables
    "selected": "selected, {system}",
    "sum_of": "sum of {count}",
    "table_deviation_mean": "deviation / mean",
    "table_differences": "the differences",
    # claims: why one holds, fails or stays undecided. A study says what its levels are in [words.claims]
    "claim_sum_over_sum": "summed {metric} over summed {over}",
    "claim_of": "{system}'s {metric}",
    "claim_on": "{system} at {level}",
    "claim_level": "level {listed}",
    "claim_levels": "levels {listed}",
    "claim_in_level": "at level {listed}",
    "claim_in_levels": "at levels {listed}",
    "claim_one_level": "1 level",
    "claim_several_levels": "{n} levels",
    "claim_one_repeat": "1 repeat",
    "claim_several_repeats": "{n} repeats",
    "claim_level_missing": " Level {listed} was not measured.",
    "claim_levels_missing": " Levels {listed} were not measured.",
    "claim_level_rare": " Level {listed}, with fewer than three blocks of both systems, is not in the sum.",
    "claim_levels_rare": " Levels {listed}, with fewer than three blocks of both systems, are not in the sum.",
    "claim_number_missing": " {count} not measured.",
    "claim_values": "{a} against {b}",
    "claim_interval": ", 95 % interval {lo} to {hi}",
    "claim_no_interval": ", no interval",
    "claim_percent_interval": "; 95 % interval {lo} % to {hi} %",
    "claim_no_percent_interval": "; no interval",
    # lower_or_higher, goes_with
    "claim_against": "{system}'s {metric} against {than}'s",
    "claim_goes_with": "lower {metric} with lower {other}",
    "claim_contrary": "; the opposite {where}",
    "claim_nothing_decided": "; not decided by the interval {where}",
    "claim_not_measured": "; {listed} not measured",
    "claim_none_measured": "None of the levels was measured with both systems: {listed}.",
    # lower_overall
    "claim_no_sums": "The sums are not above 0, so they have no ratio.",
    "claim_sum_lower": "{subject} is {percent} % lower over {count} ({pair}{interval})",
    "claim_sum_higher": "{subject} is {percent} % higher over {count} ({pair}{interval})",
    "claim_sum_claimed": "; claimed: {percent} % lower",
    # lower_elsewhere
    "claim_no_pair": "{level} was not measured with {lacking}.",
    "claim_elsewhere": "{level}: {first} {a} {unit}, {second} {b} {unit} (ratio {ratio}{interval}{same}).",
    # rank_trend
    "claim_trend_few": "{subject}: a trend needs at least 4 levels, {n} measured.",
    "claim_trend_none": "{subject} does not change with the level: {value} at all {n} levels.",
    "claim_rank_trend": (
        "{subject} goes from {a} (level {first}) to {b} (level {last}); rank correlation with the level "
        "{rho}{interval}, {count}."
    ),
    "claim_trend_stays": " At every level it is within {margin} % of the first: it neither rises nor falls.",
    # correlation
    "claim_correlation_few": "A correlation with an interval needs at least 4 levels that differ, {n} measured.",
    "claim_correlation": "r = {r}{interval} over {count}; without {without} it is {loo}; Spearman {spearman}.",
    "claim_correlation_excluded": " An r as high as the claimed {r} is excluded.",
    "claim_rests_on": " It rests on {without}.",
    # throughput_decays
    "claim_only_a_picture": "The paper shows this as a picture, not as numbers.",
    "claim_too_short": "No valid run of {system} {where} is long enough.",
    "claim_decay": (
        "{system} {where}: the last third of a run has {ratio} times the requests per second of the first "
        "third{interval}, {count}."
    ),
    "claim_one_repeat_no_interval": " One repeat has no interval.",
    # the tests that any study's claims can name
    "claim_lower": "{system}'s {metric} lower than {than}'s",
    "claim_best": "{system} with the best {metric}",
    "claim_order": "{systems} in this order by {metric}",
    "claim_equal": "{systems} within {margin} % of each other in {metric}",
    "claim_flat": "{metric} of {systems} within {margin} % between any two levels of {along}",
    "claim_rises": "{metric} of {systems} rises along {along}",
    "claim_falls": "{metric} of {systems} falls along {along}",
    "claim_gap": "{system}'s {metric} over {than}'s falls along {along}",
    "claim_excess": "{system}'s {metric} above {over} by the same amount",
    "claim_within": "{system}'s {metric} from {lo} to {hi}",
    "claim_steady": "{system}'s {metric} with a coefficient of variation of at most {most} % over the repeats",
    "claim_never": (
        "{metric} of {system}: above 0 in {broken} of {runs} runs, invalid ones included (95 % interval of this share: "
        "{lo} to {hi} %)"
    ),
    "claim_static": "{fact}, from the systems' own sources",
    "claim_fact": "{system} {known}, claimed: {expected}",
    "claim_pair": "{where}{a} against {b}, ratio {ratio}",
    "claim_same": ": equal within {margin} %",
    "claim_from_to": "ratio {a}, then {b}",
    "claim_absent": "{system} not measured",
    "claim_tally": "{subject}: as claimed in {agree} of {count}",
    "claim_figures": " ({figures})",
    "claim_open": "; the intervals leave {count} open",
    "claim_no_numbers": "The paper gives no numbers for this, only a picture.",
    "claim_no_rounds": "The authors' rounds do not cover this.",
    "claim_no_runs": "This campaign has no valid runs of what the claim is about.",
    # what holds for any test
    "claim_no_published": "The study has no published numbers.",
    "claim_clock": (
        " Below a mean of 10 ms JMeter's clock of whole milliseconds adds to these coefficients of variation; without "
        "it: {figures}."
    ),
    "claim_clock_figure": "{system} {where} {without} instead of {cv}",
    "claim_limited": (
        "The server was held to {percent} % of its cores, so a share of CPU shows that limit and not what a server "
        "needs: this campaign cannot tell. Observed: {why}"
    ),
    # comparisons.csv: two systems in a scenario
    "pair_no_run": "Can't tell: no valid run of {systems} has this figure.",
    "pair_zero": "Can't tell: a {measure} of 0 has no ratio.",
    "pair_no_block": "Can't tell: no block has a valid run of both.",
    "pair_figures": "{measure} {a} against {b}",
    "pair_few_blocks": (
        "Can't tell: {figures}, but an interval needs {least} blocks with a valid run of each, and there are {blocks}."
    ),
    "pair_one_repeat": "Can't tell: {figures}, but one repeat has no interval; at least one more of each is needed.",
    "pair_certainty": "ratio {ratio}, 95 % interval {lo} to {hi}, {extent}",
    "pair_blocks": "{n} blocks, checked after each",
    "pair_within_blocks": "{n} repeats each, compared within blocks",
    "pair_repeats_each": "{n} repeats each",
    "pair_rounds_each": "{n} rounds each",
    "pair_repeats": "{a} and {b} repeats",
    "pair_rounds": "{a} and {b} rounds",
    "pair_equal": "{a} and {b} are equal within {margin} %: {figures} ({certainty}).",
    "pair_differ": "{a} {differs} {b}: {figures} ({certainty}).",
    "pair_is_faster": "is faster than",
    "pair_is_slower": "is slower than",
    "pair_is_steadier": "is steadier than",
    "pair_is_less steady": "is less steady than",
    "pair_is_cheaper": "is cheaper than",
    "pair_is_dearer": "is dearer than",
    "pair_is_lower": "has lower {measure} than",
    "pair_is_higher": "has higher {measure} than",
    "pair_open": "Can't tell: {figures} ({certainty}). They are at most {percent} % apart.{few}{more}",
    "pair_at_share": "{system} at {percent} %",
    "pair_few": " With so few repeats little can be decided.",
    "pair_hopeless": " Not even {most} repeats of each would decide it, if the ratio stays where it is.",
    "pair_one_more": " About 1 more repeat of each would decide it, if the ratio stays where it is.",
    "pair_more": " About {n} more repeats of each would decide it, if the ratio stays where it is.",
    "pair_clock": " A mean is below 10 ms: without JMeter's clock of whole milliseconds {a} against {b}.",
    # the terminal, after a campaign
    "terminal_who": "Who is better: ratio of the better to the other, 95 % interval over repeats",
    "terminal_more_repeats": "{verdict} ({n} more repeats)",
    "terminal_one_more": "{verdict} (1 more repeat)",
    "terminal_parentheses": "Figures in parentheses are those of invalid runs: look at them, but draw no conclusion.",
    "terminal_clock": "~ The mean is below 10 ms; its CV without JMeter's clock of whole milliseconds: {figures}.",
    "terminal_not_complete": "Not complete: {problem}",
    "terminal_more_problems": "And {count} more; the column reason of analysis/runs.csv lists each.",
    "terminal_missing": "{missing} of {planned} planned runs were not made; {command} makes them.",
    "terminal_left_out": "Left out: {run}{others}: {reason}",
    "terminal_one_other": " and 1 more cell of that run",
    "terminal_others": " and {count} more cells of that run",
    "terminal_order_turns": (
        "{scenario}, {metric}: the order reverses with the share of the core: at {share} % {better} is better, at "
        "{against} % {better_against}."
    ),
    "terminal_groups": (
        "{cell}: the runs are of two kinds, which a mean and its interval hide: {metric} {low} in {n_low} of them, "
        "{high} in {n_high}.{with_}"
    ),
}

NOUNS = {
    "run": ("run", "runs"),
    "planned_run": ("planned run", "planned runs"),
    "request": ("request", "requests"),
    "scenario": ("scenario", "scenarios"),
    "comparison": ("comparison", "comparisons"),
    "cell": ("cell", "cells"),
    "core": ("core", "cores"),
    "claim": ("claim", "claims"),
    "figure": ("figure", "figures"),
    "claims_holds": ("holds", "hold"),
    "claims_fails": ("fails", "fail"),
    "claims_undecided": ("stays undecided", "stay undecided"),
    "second": ("second", "seconds"),
    "second_of_load": ("second of load", "seconds of load"),
    "valid_run": ("valid run", "valid runs"),
    "round": ("round", "rounds"),
    "repeat": ("repeat", "repeats"),
    "more_repeat": ("more repeat", "more repeats"),
    "retransmit": ("retransmitted segment", "retransmitted segments"),
    "listen_overflow": ("listen-queue overflow", "listen-queue overflows"),
    "failed_request": ("failed request", "failed requests"),
}

LABELS = {
    "language": "Language",
    "skip": "Skip to the answer",
    "contents": "Contents",
    "answer": "The answer",
    "pictures": "The charts",
    "claims": "The claims",
    "tables": "The paper's tables",
    "methods": "How it was measured",
    "profile": "profile",
    "who_note": (
        "Each entry names the better system and how far its figure is from the next one's (− lower, + higher), with "
        "the 95\u00a0% interval over repeats. “Can't tell” means that the interval includes both orders."
    ),
    "who_bars": "The mark lies on the better one's side of the middle line; all bars have the same scale.",
    "who_best": (
        "The system named is better than every other; its figure is set against the next best, or where it can't be "
        "told from others, against the next of those."
    ),
    "scenario": "{Noun}",
    "size": "Mean size",
    "who_mean_ms": "Faster",
    "who_mean_ms_sub": "mean response time",
    "who_p99_ms": "Shorter tail",
    "who_p99_ms_sub": "99th percentile",
    "who_cv": "Steadier",
    "who_cv_sub": "coefficient of variation",
    "who_server_cpu_us_per_request": "Cheaper on CPU",
    "who_server_cpu_us_per_request_sub": "server CPU time per {operation}",
    "best": "best",
    "equal_best": "equal best",
    "not_beaten": "not told apart from the best",
    "equal": "equal",
    "rank": "Who is best, and who is beaten by whom",
    "pairs": "All pairs",
    "pair": "Pair",
    "cells_caption_parts": "Means over the valid runs with 95\u00a0% intervals",
    "rank_note": "Only scenarios in which the 95\u00a0% interval over repeats decides are counted.",
    "undecided": "can't tell",
    "undecided_claim": "undecided",
    "leans": "leans towards",
    "alone": "only",
    "nothing": "no valid run",
    "unknown": "not known",
    "sure": "How sure is this?",
    "download": "Download",
    "show_invalid": "Show the runs that don't count",
    "show_repeats": "Show each repeat",
    "no_script": "The charts need JavaScript. The folder charts next to this page has them as SVG files.",
    "no_data": "There is no data for this chart.",
    "chart_mean_ms": "Mean response time",
    "chart_cv": "How steady: coefficient of variation",
    "chart_server_cpu_us_per_request": "What it costs in CPU time",
    "chart_switches": "Context switches and variability",
    "chart_percentiles": "All {operations}: the percentile curve",
    "chart_timeline": "One run, second by second",
    "chart_load_curves": "Response time against the offered rate",
    "load_curves_note": (
        "Open arrivals: requests are sent at Poisson times, whether or not earlier ones were answered, and times count "
        "from when a request was due. Vertical lines: 95\u00a0% intervals over repeats. Large open symbols: the knee, "
        "where the rate over the mean response time is largest. Dashed: the limit of the 99th percentile; marked "
        "on it, the rate at which each system passes it, with its interval."
    ),
    "choose_curve": "Curve",
    "axis_curve_rate": "offered rate, requests a second",
    "axis_curve_p99": "99th percentile, ms",
    "axis_curve_mean": "mean response time, ms",
    "axis_curve_cpu": "server CPU, % of a core",
    "tip_runs": "runs",
    "chart_sizes": "Size and response time",
    "chart_wire": "Where the response time is spent",
    "chart_variance": "Where the variability comes from",
    "chart_indicators": "Which indicator goes with the variability",
    "axis_mean_ms": "mean response time, ms",
    "axis_cv": "standard deviation / mean",
    "axis_server_cpu_us_per_request": "CPU time per {operation}, µs",
    "axis_switches": "context switches per second (nmon pswitch)",
    "axis_percentile": "share of {operations} answered within",
    "axis_elapsed": "response time, ms",
    "axis_second": "seconds since the first measured request",
    "axis_size": "bytes sent",
    "axis_mean_share": "share of the mean response time, %",
    "axis_share": "share of the variance, %",
    "axis_pearson": "Pearson's r with the CV across {nouns} (line: 95\u00a0% interval)",
    "percentiles_note": (
        "Bold: all valid repeats together; faint: each repeat. The axis stretches the tail: each step to the right "
        "looks at requests ten times rarer. Every measured request counts."
    ),
    "sizes_note": "Darker means more requests; the valid repeats of a cell together. Both axes are logarithmic.",
    "wire_note": (
        "From packets captured at the server, joined to the load generator's requests: from the first byte of a "
        "request to its last, and from there to the last byte of the answer. The load generator's part is the rest of "
        "the response time without opening the connection; it includes the network and, with JMeter, its rounding to "
        "whole milliseconds."
    ),
    "variance_note": (
        "Shares of the variance of a response time, one bar a cell: what differs between repeats, what the size "
        "explains, what drifts between the seconds of a run, and the rest within a second."
    ),
    "indicators_note": (
        "Across the {nouns} of one system, as in the paper. A correlation shows what goes together, not what causes it."
    ),
    "choose_scenario": "{Noun}",
    "choose_run": "Run",
    "choose_moment": "Moment, s",
    "choose_moment_hint": "Move the slider to read the figures of a second.",
    "part_between_repeats_pct": "Between repeats",
    "part_size_pct": "Size",
    "part_drift_pct": "Drift within a run",
    "part_within_pct": "Within a second",
    "part_client_mean_ms": "Load generator",
    "part_connect_mean_ms": "Opening the connection",
    "part_wire_receive_ms": "Server: receiving the request",
    "part_wire_answer_ms": "Server: until it has answered",
    "panel_latency": "response time, ms (lines: median and 99th percentile)",
    "panel_requests": "requests per second",
    "panel_cpu": "CPU of the server's cores, % (dashed: of the load generator's)",
    "panel_wait": "I/O wait, % (dashed: steal)",
    "panel_switches": "context switches per second",
    "panel_queue": "run-queue wait of the server's threads, ms per second",
    "panel_runtime": "garbage collection, ms per second (dashed: delay of the event loop, ms)",
    "panel_trouble": "retransmitted segments (dashed: listen-queue overflows)",
    "tip_run": "run",
    "tip_system": "system",
    "tip_scenario": "scenario",
    "tip_interval_lo": "95\u00a0% interval from",
    "tip_interval_hi": "to",
    "tip_n": "valid runs",
    "tip_requests": "requests",
    "tip_second": "second",
    "tip_quantile": "share of requests",
    "claim": "Claim",
    "verdict": "Here",
    "paper_verdict": "On the paper's own figures",
    "rounds_verdict": "On the authors' own rounds",
    "figure": "Figure (95\u00a0% interval)",
    "holds": "holds",
    "fails": "fails",
    "no_claims": "This campaign's study declares no claims.",
    "tables_note": (
        "Ours is the mean over the valid runs; "
        "below it, what the paper printed, and ours as a multiple of it. "
        "Empty: not measured here, or not printed there."
    ),
    "no_tables": "The analysis wrote no tables for this campaign.",
    "shares": "What a share of the core changes",
    "shares_caption": "Each server with less of its core, against itself with the largest share",
    "cells": "Every cell in numbers",
    "cells_caption": "Means over the valid runs with 95\u00a0% intervals, and beside them the load generator's share",
    "clock_caption": "JMeter's clock counts whole milliseconds, which alone adds 1/6\u00a0ms² to every variance",
    "generator_caption": (
        "The load generator alone is the same load sent to a server that does nothing. Users send as fast as they are "
        "answered, so it runs at its own limit and takes longer than with a slower server: an upper bound of the load "
        "generator's share"
    ),
    "export": (
        "To cite: export/method.en.txt and export/results.en.tex (LaTeX), beside this page. To compute with: "
        "analysis/runs.csv and timeline.csv, also as Parquet."
    ),
    "problems": "Runs that don't count",
    "problems_caption": "Each run that was left out, with its reason",
    "no_problems": "Every planned run was made and is valid.",
    "events": "What else happened",
    "events_caption": "Runs in which something happened that shows in the tail; it does not make a run invalid",
    "event": "event",
    "event_unsettled": "the response times never settled",
    "missing_run": "Planned, but not completed.",
    "gates": "Gates",
    "gates_caption": "What each run was held to, and how it came out",
    "gate": "Gate",
    "limit": "Limit",
    "passed": "Passed",
    "extremes": "Lowest to highest figure",
    "not_passed": "Not passed by",
    "none": "none",
    "machine": "Machine",
    "versions": "Versions",
    "settings": "Settings",
    "inputs": "Inputs",
    "rig": "Rig",
    "command": "Command",
    "raw": "All runs",
    "raw_caption": "Every run with every figure of analysis/runs.csv",
    "raw_on_paper": "Too wide for paper: the table is on the page and in analysis/runs.csv.",
    "all_systems": "all systems",
    "all_scenarios": "all {nouns}",
    "only_valid": "only runs that count",
    "runs_shown": "runs shown",
    "system": "System",
    "run": "Run",
    "reason": "Reason",
    "yes": "yes",
    "no": "no",
    "load_by": "load generator:",
    "generated": "Computed by Upload Lab from the campaign's raw files. This page loads nothing from a network.",
    "valid_of": "valid runs",
    "wait_share": "Load generator's wait, % of mean",
    "paper": "paper",
    "invalid": "invalid",
    "failed": "failed",
    "damaged": "damaged",
    "no_reason_failed": "The run failed; no reason was recorded.",
    "no_reason_invalid": "The run is marked invalid; no reason was recorded.",
    "terminal_scenario": "scenario",
    "terminal_system": "system",
    "terminal_runs": "runs",
    "terminal_mean_ms": "mean ms",
    "terminal_p99_ms": "p99 ms",
    "terminal_cv": "CV",
    "terminal_throughput_rps": "req/s",
    "terminal_cpu_pct": "CPU %",
    "terminal_server_cpu_us_per_request": "CPU µs",
    "terminal_error_pct": "err %",
    "terminal_better_mean_ms": "faster",
    "terminal_better_cv": "steadier",
    "terminal_better_server_cpu_us_per_request": "cheaper",
}

COLUMNS = {
    "cell": "cell",
    "generator": "load generator",
    "scenario": "scenario",
    "system": "system",
    "stack": "stack",
    "threads": "threads",
    "repeat": "repeat",
    "block": "block",
    "order": "order",
    "status": "status",
    "valid": "valid",
    "reason": "reason",
    "requests": "requests",
    "errors": "errors",
    "error_pct": "errors, %",
    "mean_ms": "mean, ms",
    "sd_ms": "SD, ms",
    "mad_ms": "mean deviation, ms",
    "cv": "CV",
    "min_ms": "min, ms",
    "p50_ms": "p50, ms",
    "p90_ms": "p90, ms",
    "p95_ms": "p95, ms",
    "p99_ms": "p99, ms",
    "p999_ms": "p99.9, ms",
    "p9999_ms": "p99.99, ms",
    "max_ms": "max, ms",
    "ttfb_ms": "first byte, ms",
    "connect_ms": "connect, ms",
    "throughput_rps": "requests/s",
    "cpu_pct": "CPU, %",
    "cpu_sd": "SD of CPU, %",
    "wait_pct": "I/O wait, %",
    "steal_pct": "steal, %",
    "pswitch_per_s": "switches/s",
    "switches_per_s": "switches/s",
    "server_switches_per_s": "server's switches/s",
    "server_wait_ms_per_s": "server's queue wait, ms/s",
    "nmon_snapshots": "nmon snapshots",
    "server_cpu_pct": "server CPU, % of a core",
    "server_cpu_us_per_request": "server CPU per {operation}, µs",
    "server_cpu_of_thirds": "server CPU per {operation}, dearest third / cheapest",
    "server_switches_per_request": "server switches per {operation}",
    "server_voluntary_per_request": "voluntary switches per {operation}",
    "server_involuntary_per_request": "involuntary switches per {operation}",
    "server_wait_ms_per_request": "server's queue wait per {operation}, ms",
    "injector_cpu_pct": "load generator's CPU, %",
    "injector_wait_ms_per_request": "load generator's queue wait per {operation}, ms",
    "listen_overflows": "listen overflows",
    "retransmits": "retransmits",
    "psi_cpu_pct": "CPU pressure, %",
    "psi_io_pct": "I/O pressure, %",
    "dirty_mb_max": "dirty pages, MB",
    "dirty_mb": "dirty pages, MB",
    "core_work_ms": "fixed work on the server's core, ms",
    "generator_mean_ms": "load generator alone, mean, ms",
    "generator_cv": "load generator alone, CV",
    "wire_requests": "requests found on the wire",
    "wire_joined_pct": "found on the wire, %",
    "wire_mean_ms": "at the server, mean, ms",
    "wire_sd_ms": "at the server, SD, ms",
    "wire_cv": "at the server, CV",
    "wire_p99_ms": "at the server, p99, ms",
    "wire_receive_ms": "receiving, ms",
    "wire_answer_ms": "until answered, ms",
    "client_mean_ms": "in the load generator, ms",
    "connect_mean_ms": "opening the connection, ms",
    "wire_variance_pct": "server's share of the variance, %",
    "client_variance_pct": "load generator's share of the variance, %",
    "connect_variance_pct": "connection's share of the variance, %",
    "retransmitted_requests": "requests with retransmitted packets",
    "retransmitted_variance_pct": "their share of the variance, %",
    "gc_pauses": "garbage collections",
    "gc_pct": "garbage collection, % of the time",
    "gc_ms": "garbage collection, ms/s",
    "safepoint_pct": "safepoints, % of the time",
    "safepoint_ms": "safepoints, ms/s",
    "loop_delay_mean_ms": "event-loop delay, ms",
    "loop_delay_max_ms": "event-loop delay, largest, ms",
    "clock_mean_error_us": "clock's error of the mean, µs",
    "clock_variance_pct": "clock's share of the variance, %",
    "sd_without_clock_ms": "SD without the clock, ms",
    "cv_without_clock": "CV without the clock",
    "steady_from_s": "steady from, s",
    "steady_to_s": "steady to, s",
    "steady_requests": "steady requests",
    "steady_mean_ms": "steady mean, ms",
    "steady_cv": "steady CV",
    "steady_cv_without_clock": "steady CV without the clock",
    "steady_p99_ms": "steady p99, ms",
    "steady_late_over_early": "steady requests, last third / first",
    "first_requests": "first requests",
    "first_mean_ms": "mean of the first requests, ms",
    "first_max_ms": "longest first request, ms",
    "first_variance_pct": "first requests' share of the variance, %",
    "later_mean_ms": "mean after the first requests, ms",
    "later_cv": "CV after the first requests",
    "later_p99_ms": "p99 after the first requests, ms",
    "settled": "settled",
    "cut_requests": "requests cut before it settled",
    "whole_mean_ms": "mean with what was cut, ms",
    "whole_cv": "CV with what was cut",
    "whole_p99_ms": "p99 with what was cut, ms",
    "scheduled_mean_ms": "mean from the schedule, ms",
    "scheduled_p50_ms": "p50 from the schedule, ms",
    "scheduled_p90_ms": "p90 from the schedule, ms",
    "scheduled_p99_ms": "p99 from the schedule, ms",
    "scheduled_p999_ms": "p99.9 from the schedule, ms",
    "scheduled_max_ms": "max from the schedule, ms",
    "late_mean_ms": "lateness, mean, ms",
    "late_p99_ms": "lateness, p99, ms",
    "sent_bytes": "bytes sent",
    "mean_sent_bytes": "mean bytes sent",
    "mean_bytes": "mean size, bytes",
    "sd_bytes": "SD of size, bytes",
    "pareto_k": "Pareto k",
    "load_gb": "load, GB",
    "max_error_pct": "errors, %, worst repeat",
    "series": "system",
    "ours": "Pearson's r, ours",
    "lo": "95\u00a0% from",
    "hi": "to",
    "printed": "printed in the paper",
    "recomputed": "recomputed from its tables",
    "ratio": "ours / paper",
}

ENGLISH = Language(
    code="en",
    name="English",
    figures=Figures(decimal=".", group=","),
    format_locale={"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["$", ""]},
    phrases=PHRASES,
    nouns=NOUNS,
    labels=LABELS,
    columns=COLUMNS,
)
