"""Every text that is said, in English and in Portuguese, the paper's language."""

from collections.abc import Mapping
from typing import TypeVar

from uploadlab.results.declarations import LANGUAGES

Text = tuple[str, str]
Form = TypeVar("Form")


def in_language(texts: Mapping[str, tuple[Form, Form]], code: str) -> dict[str, Form]:
    """Return the texts of one language."""
    place = LANGUAGES.index(code)
    return {key: both[place] for key, both in texts.items()}


PHRASES: Mapping[str, Text] = {
    "and": (" and ", " e "),
    "to": (" to ", " a "),
    "who_by": ("Who is better, by {over}", "Quem é melhor, por {over}"),
    # where
    "scenario_with_size": ("{scenario} ({size} on average)", "{scenario} ({size} em média)"),
    "in": ("in {where}", "em {where}"),
    "nouns": ("scenarios", "cenários"),
    "noun": ("scenario", "cenário"),
    "operations": ("requests", "requisições"),
    "operation": ("request", "requisição"),
    "side_higher": ("higher", "maior"),
    "side_lower": ("lower", "menor"),
    "in_all_scenarios": ("in all {count} scenarios", "em todos os {count} cenários"),
    "in_all_scenarios_again": ("in all {count}", "em todos os {count}"),
    "in_both_scenarios": ("in both scenarios", "em ambos os cenários"),
    "in_both_scenarios_again": ("in both", "em ambos"),
    # the headline
    "headline_nothing": (
        "No run of this campaign counts, so it can't say which system is better.",
        "Esta campanha não tem execução válida e não permite dizer qual sistema é melhor.",
    ),
    "headline_undecided": (
        "This campaign can't tell which system is best.",
        "Esta campanha não permite dizer qual sistema é o melhor.",
    ),
    "headline_ahead": ("{best} beat {beaten} on {measure} {share}", "{best} superam {beaten} em {measure} {share}"),
    "headline_alone": (
        "{systems} was measured alone: there is nothing to compare it with.",
        "{systems} foi medido sozinho: não há com que comparar.",
    ),
    "better_mean_ms": ("answers faster", "responde mais rápido"),
    "better_p99_ms": ("has the shorter tail", "tem a cauda mais curta"),
    "better_cv": ("is steadier", "é mais estável"),
    "better_server_cpu_us_per_request": ("uses less CPU", "gasta menos CPU"),
    "equal_mean_ms": ("{systems} answer equally fast", "{systems} respondem com igual rapidez"),
    "equal_cv": ("{systems} are equally steady", "{systems} são igualmente estáveis"),
    "equal_server_cpu_us_per_request": ("{systems} use the same amount of CPU", "{systems} gastam a mesma CPU"),
    "some_scenarios": ("in {wins} of {count} scenarios", "em {wins} de {count} cenários"),
    "some_scenarios_again": ("in {wins} of {count}", "em {wins} de {count}"),
    "system_in": ("{system} in {count}", "{system} em {count}"),
    # the answer
    "measure_mean_ms": ("mean response time", "tempo médio de resposta"),
    "measure_cv": ("coefficient of variation", "coeficiente de variação"),
    "measure_p99_ms": ("99th percentile of the response time", "percentil 99 do tempo de resposta"),
    "measure_server_cpu_us_per_request": (
        "server CPU time per {operation}",
        "tempo de CPU do servidor por {operation}",
    ),
    "measure_cpu_pct": ("CPU", "uso de CPU"),
    "measure_pswitch_per_s": ("context switches per second", "número de trocas de contexto por segundo"),
    "measure_error_pct": ("share of errors", "percentual de erros"),
    "measure_throughput_rps": ("throughput", "throughput"),
    "measure_sd_ms": ("standard deviation", "desvio padrão"),
    "unit_mean_ms": ("\u00a0ms", "\u00a0ms"),
    "unit_p99_ms": ("\u00a0ms", "\u00a0ms"),
    "unit_cv": ("", ""),
    "unit_server_cpu_us_per_request": ("\u00a0µs", "\u00a0µs"),
    "better_metric": ("has the {side} {measure}", "tem {measure} {side}"),
    "equal_metric": ("{systems} have the same {measure}", "{systems} têm {measure} igual"),
    "who_lower": ("lower is better", "menor é melhor"),
    "who_higher": ("higher is better", "maior é melhor"),
    "not_known": (
        "The {measure} is not known: no valid run has it.",
        "O {measure} não é conhecido: nenhuma execução válida o tem.",
    ),
    "better": ("{better}: its {measure} is {less}.", "{better}: seu {measure} é {less}."),
    "files": (" ({size} on average)", " ({size} em média)"),
    "less": ("{less} {side} than {than}'s (no interval)", "{less} {side} que o de {than} (sem intervalo)"),
    "less_interval": (
        "{less} {side} than {than}'s (95\u00a0% interval {interval})",
        "{less} {side} que o de {than} (intervalo de 95\u00a0%: {interval})",
    ),
    "less_intervals": (
        "{less} {side} than {than}'s (95\u00a0% intervals within {interval})",
        "{less} {side} que o de {than} (intervalos de 95\u00a0% dentro de {interval})",
    ),
    "the_next": ("the next one", "seu rival mais próximo"),
    "equal_there": (
        "{where}, {systems} have the same {measure} within {margin}\u00a0%{ahead}.",
        "{where}, {systems} têm o mesmo {measure} dentro de {margin}\u00a0%{ahead}.",
    ),
    "ahead_there": (
        "{where}, {systems} beat {beaten}: their {measure} is {more} {side}; which of them is best stays open.",
        "{where}, {systems} superam {beaten}: seu {measure} é {more} {side}; qual deles é o melhor fica em aberto.",
    ),
    "ahead": (", {side} than that of {systems}", ", {side} que o de {systems}"),
    "alone_there": ("{where}, only one system has valid runs.", "{where}, só um sistema tem execuções válidas."),
    "nothing_there": ("{where}, no valid run has a figure.", "{where}, nenhuma execução válida traz esse valor."),
    "extent": ("{system}'s {measure} {extent}.", "O {measure} de {system} {extent}."),
    "extent_again": ("{system}'s {extent}.", "O de {system} {extent}."),
    "extent_one": ("is {value} in {at}", "é {value} ({at})"),
    "extent_many": (
        "lies between {low} ({low_at}) and {high} ({high_at})",
        "fica entre {low} ({low_at}) e {high} ({high_at})",
    ),
    "open": ("Still open: {parts}.", "Ainda em aberto: {parts}."),
    "open_part": ("{measure} {where}", "{measure} {where}"),
    "open_within": (
        "{measure} {where} (at most {percent}\u00a0% apart)",
        "{measure} {where} (diferem no máximo {percent}\u00a0%)",
    ),
    "below_capacity": (
        "Under this load the servers used {percent}\u00a0% of their cores: this is how they compare with time to "
        "spare, which need not be how they compare at their limit.",
        "Com esta carga os servidores usaram {percent}\u00a0% de seus núcleos: é assim que se comparam quando têm "
        "folga, o que pode ser diferente no limite.",
    ),
    "equal_cell": ("equal within {margin}\u00a0%", "iguais dentro de {margin}\u00a0%"),
    "apart_cell": ("at most {percent}\u00a0% apart", "diferem no máximo {percent}\u00a0%"),
    "check_rests": (
        "The answer rests on the {rests}; {with_} checks it in {scenarios}",
        "A resposta se baseia em: {rests}; {with_} a verifica em {scenarios}",
    ),
    "check_load": (
        ", with the server's core {percent}\u00a0% busy",
        ", com o núcleo do servidor {percent}\u00a0% ocupado",
    ),
    "check_agrees": ("; both decide {count}, and they agree.", "; os dois decidem {count} e concordam."),
    "check_nothing": ("; no comparison is decided by both.", "; nenhuma comparação é decidida pelos dois."),
    "check_contradicts": (
        "The check contradicts the answer: in {where} it finds that {second} has the {side} {measure}, not {first}.",
        "A verificação contradiz a resposta: em {where} ela encontra que {second} tem o {side} {measure}, e não "
        "{first}.",
    ),
    "check_not_equal": (
        "The check contradicts the answer: in {where} it finds that {second} has the {side} {measure}, by {second_by}; "
        "the answer says that they are equal within {margin}\u00a0%.",
        "A verificação contradiz a resposta: em {where} ela encontra que {second} tem o {side} {measure}, por "
        "{second_by}; a resposta diz que são iguais dentro de {margin}\u00a0%.",
    ),
    "check_equal": (
        "The check contradicts the answer: in {where} it finds the same {measure} within {margin}\u00a0%; the answer "
        "says that {first}'s is {side}, by {first_by}.",
        "A verificação contradiz a resposta: em {where} ela encontra o mesmo {measure} dentro de {margin}\u00a0%; a "
        "resposta diz que o de {first} é {side}, por {first_by}.",
    ),
    "check_reason": (
        "The reason may be the different load, or the load generator's own time and the way it writes.",
        "O motivo pode ser outra carga, ou o tempo e o modo de escrever do próprio gerador de carga.",
    ),
    "check_reason_load": (
        "The server's core was {there}\u00a0% busy there, {here}\u00a0% where the answer was found.",
        "O núcleo do servidor esteve {there}\u00a0% ocupado ali, {here}\u00a0% onde se achou a resposta.",
    ),
    "check_reason_own": (
        "The load generator's own wait for a core was {there}\u00a0% of the mean response time there, {here}\u00a0% "
        "where the answer was found.",
        "A espera do próprio gerador de carga por um núcleo foi {there}\u00a0% do tempo médio de resposta ali, "
        "{here}\u00a0% onde se achou a resposta.",
    ),
    "would_tell": ("About {repeats} of each would decide it.", "Bastaria cerca de {repeats} de cada um para decidir."),
    "clock": (
        "Below a mean of 10\u00a0ms JMeter's clock of whole milliseconds adds to the variability "
        "({percent}\u00a0% of the variance); without it: {cells}.",
        "Abaixo de uma média de 10\u00a0ms o relógio do JMeter, de milissegundos inteiros, é parte da variabilidade "
        "({percent}\u00a0% da variância); sem ele: {cells}.",
    ),
    "clock_one": ("{system} ({scenario}) {without} instead of {cv}", "{system} ({scenario}) {without} em vez de {cv}"),
    "clock_many": ("see the figures of {cells} in the tables", "veja os valores de {cells} nas tabelas"),
    "without_clock": ("without the clock {cv}", "sem o relógio {cv}"),
    # how sure
    "doubt_one_repeat": (
        "Each cell has one valid run at most: no interval can be given, so no difference is decided.",
        "Cada célula tem no máximo uma execução válida: não há intervalo, e nenhuma diferença fica decidida.",
    ),
    "doubt_rounds": (
        "Each cell has one valid run, whose {rounds} rounds are taken as repeats, as the paper did. Rounds of one run "
        "share the state that its processes reached: the intervals say how much rounds vary, not how much a fresh "
        "start would.",
        "Cada célula tem uma execução válida, cujas {rounds} rodadas valem como repetições, como no artigo. As rodadas "
        "de uma execução compartilham o estado a que seus processos chegaram: os intervalos dizem como as rodadas "
        "variam, não como um novo início diferiria.",
    ),
    "doubt_few_repeats": (
        "The intervals rest on {repeats} valid repeats a cell. They are honest but wide: only large differences can be "
        "decided with so few.",
        "Os intervalos se apoiam em {repeats} repetições válidas por célula. São honestos, mas largos: com tão poucas "
        "só se decidem diferenças grandes.",
    ),
    "doubt_invalid": ("{runs} did not pass a gate", "sem passar por algum critério: {runs}"),
    "doubt_failed": ("{runs} failed", "com falha: {runs}"),
    "doubt_missing": ("{runs} not made yet", "ainda ausentes: {runs}"),
    "doubt_left_out": (
        "{runs}: none of these counts, and each is named below with its reason.",
        "{runs}. Nenhuma delas conta, e cada uma é nomeada abaixo com o motivo.",
    ),
    "with_cores": (" with {cores}", " com {cores}"),
    "doubt_same_host": (
        "Server and load generator shared one machine{cores}, without a network between them: memory, caches, disk and "
        "kernel are shared, so absolute figures hold for this machine only; ratios carry over better.",
        "Servidor e gerador de carga compartilharam a máquina{cores}, sem rede entre eles: memória, caches, disco e "
        "kernel são comuns; os valores absolutos só valem para esta máquina, as razões se transferem melhor.",
    ),
    "doubt_limit": (
        "The server was held to {percent}\u00a0% of its cores: its times, rates and shares of CPU are those of a "
        "slower server, and their ratios are not those on a whole core; compare by CPU time per {operation}.",
        "O servidor foi limitado a {percent}\u00a0% de seus núcleos: seus tempos, taxas e usos de CPU são os de um "
        "servidor mais lento, e suas razões não são as de um núcleo inteiro; compare pelo tempo de CPU por "
        "{operation}.",
    ),
    # before any figure
    "caution_limit": (
        "The server was held to {percent}\u00a0% of its cores. That changes more than the speed: on a whole core the "
        "steadiness and the tail of each server may differ, and their order too.",
        "O servidor foi limitado a {percent}\u00a0% de seus núcleos. Isso muda mais do que a velocidade: com o núcleo "
        "inteiro, a estabilidade e a cauda de cada servidor podem ser outras, e a ordem entre eles também.",
    ),
    "order_turns": (
        "The order reverses with the share of the core: {clauses} (95\u00a0% intervals, {repeats} repeats).",
        "A ordem se inverte com a parte do núcleo: {clauses} (intervalos de 95\u00a0%, {repeats} repetições).",
    ),
    "order_turned": (
        "{where} {second} has the {side} {measure} with {share}\u00a0% of the core, by {second_by}, but {first} with "
        "{against}\u00a0%, by {first_by}",
        "{where} quem tem o {side} {measure} com {share}\u00a0% do núcleo é {second}, por {second_by}, mas com "
        "{against}\u00a0% é {first}, por {first_by}",
    ),
    "order_turns_often": (
        "Between {against}\u00a0% of the core and {shares}\u00a0% the order reverses in {count}: another system is the "
        "better one. analysis/share_orders.csv lists them.",
        "Entre {against}\u00a0% do núcleo e {shares}\u00a0% a ordem se inverte em {count}: o melhor sistema é outro. "
        "analysis/share_orders.csv as enumera.",
    ),
    "order_same": (
        "Where {shares}\u00a0% of the core and {against}\u00a0% both decide, in {count}, the order is the same.",
        "Onde {shares}\u00a0% do núcleo e {against}\u00a0% decidem ambos, em {count}, a ordem não se inverte.",
    ),
    "order_same_else": ("In {count} both find the same order.", "Em {count} ambas encontram a mesma ordem."),
    "order_open": (
        "In {count} one of the two shares finds no order.",
        "Em {count} uma das duas partes não encontra ordem.",
    ),
    "order_open_everywhere": (
        "Whether the order reverses between {shares}\u00a0% of the core and {against}\u00a0% is not known: no "
        "comparison finds an order with both.",
        "Não se sabe se a ordem se inverte entre {shares}\u00a0% do núcleo e {against}\u00a0%: nenhuma comparação "
        "encontra uma ordem com as duas partes.",
    ),
    "groups_one": (
        "The runs of {system}, {scenario}, are of two kinds: {measure} {low} in {n_low}, {high} in {n_high}. A mean "
        "over both, and its interval, hide that.",
        "As execuções de {system}, {scenario}, são de dois tipos: {measure} {low} em {n_low}, {high} em {n_high}. A "
        "média dos dois, com seu intervalo, esconde isso.",
    ),
    "groups_with": (
        "In the slower ones {what}: {high}\u00a0% of the time, against {low}\u00a0%.",
        "Nas mais lentas, {what}: {high}\u00a0% do tempo, contra {low}\u00a0%.",
    ),
    "groups_gc_pct": ("collecting garbage took longer", "a coleta de lixo demorou mais"),
    "groups_wait_pct": ("the cores waited longer for the disk", "os núcleos esperaram mais pelo disco"),
    "groups_steal_pct": (
        "the host of this virtual machine took more of the cores",
        "o hospedeiro desta máquina virtual tomou mais dos núcleos",
    ),
    "groups_many": (
        "In {cells} the runs are of two kinds, which a mean and its interval hide; analysis/groups.csv lists them.",
        "Em {cells} as execuções são de dois tipos, o que a média e seu intervalo escondem; analysis/groups.csv as "
        "lista.",
    ),
    "groups_mean_ms": ("mean response time (ms)", "tempo médio de resposta (ms)"),
    "groups_p99_ms": ("99th percentile (ms)", "percentil 99 (ms)"),
    "groups_cv": ("coefficient of variation", "coeficiente de variação"),
    "first_requests": (
        "{where}, {percent}\u00a0% of {system}'s variance comes from each user's first request, sent on a new "
        "connection; the longest of a run took {longest}\u00a0ms. Over all other requests its coefficient of variation "
        "is {later}, not {cv}.",
        "{where}, {percent}\u00a0% da variância de {system} é da primeira requisição de cada usuário, enviada em uma "
        "conexão nova; a mais longa de uma execução levou {longest}\u00a0ms. Nas demais requisições o coeficiente de "
        "variação é {later}, não {cv}.",
    ),
    "cost_varies": (
        "{where}, {system}'s CPU time per {operation} was {times} times as long in one third of the measured part as "
        "in another; the figure shown is the mean. This happens while a runtime still compiles, or where the host is "
        "slower at times. A longer warm-up, or one with the pauses of the measured load, tells which it is.",
        "{where}, o tempo de CPU por {operation} de {system} foi {times} vezes maior em um terço da parte medida do "
        "que em outro; o valor mostrado é a média. Isso acontece enquanto o código ainda é compilado, ou quando o "
        "hospedeiro às vezes é mais lento. Um aquecimento mais longo, ou com as pausas da carga medida, mostra qual "
        "dos dois.",
    ),
    # load curves
    "curve_holds": (
        "99 of 100 requests are answered within {limit}\u00a0ms by {systems}.",
        "Em até {limit}\u00a0ms, 99 de 100 requisições são respondidas por {systems}.",
    ),
    "curve_to": (
        "{system} up to {rate}{interval} requests a second",
        "{system} até {rate}{interval} requisições por segundo",
    ),
    "curve_all": (
        "{system} at every rate measured, up to {rate} requests a second",
        "{system} em todas as taxas medidas, até {rate} requisições por segundo",
    ),
    "curve_none": (
        "{system} at none of the rates measured, the lowest of which is {rate} requests a second",
        "{system} em nenhuma taxa medida, a partir de {rate} requisições por segundo",
    ),
    "curve_some": (
        "{system} in some repeats only, even at the lowest rate measured, {rate} requests a second",
        "{system} só em algumas repetições, já na menor taxa medida, {rate} requisições por segundo",
    ),
    "curve_longer": (
        "{system} keeps within that limit up to a higher rate.",
        "{system} respeita esse limite até uma taxa maior.",
    ),
    "curve_untold": (
        "Which one keeps within that limit up to a higher rate is undecided.",
        "Não se pode dizer qual respeita esse limite até uma taxa maior.",
    ),
    "curve_knees": (
        "Above {knees}, response times grow faster than the rate.",
        "Acima de {knees}, os tempos de resposta crescem mais do que a taxa.",
    ),
    "curve_knee_of": (
        "{rate} a second for {system} (mean {mean}\u00a0ms)",
        "{rate} por segundo para {system} (média {mean}\u00a0ms)",
    ),
    "curve_no_knee": (
        "At {rate} a second, the highest rate measured, response times of {systems} still grow more slowly than the "
        "rate.",
        "A {rate} por segundo, a maior taxa medida, os tempos de resposta de {systems} ainda crescem menos do que a "
        "taxa.",
    ),
    "curve_named": ("{curve}: {said}", "{curve}: {said}"),
    "doubt_emulated": (
        "The hosts' processors were emulated: none of these runs is a valid result.",
        "Os processadores das máquinas foram emulados: nenhuma execução aqui é um resultado.",
    ),
    "doubt_saturated": (
        "The load kept the servers' cores {percent}\u00a0% busy: response times show how a full core is shared. At a "
        "lower rate the order of the systems may be different: measure at the rate you expect.",
        "A carga manteve os núcleos dos servidores {percent}\u00a0% ocupados: os tempos de resposta mostram como se "
        "divide um núcleo cheio. Com uma taxa menor de requisições a ordem pode ser outra; meça com a taxa que espera.",
    ),
    "doubt_virtual": (
        "The machine is virtual ({kind}): other guests may have used its cores at the same time.",
        "A máquina é virtual ({kind}): outras podem ter usado seus núcleos ao mesmo tempo.",
    ),
    "doubt_steal": (
        "The hypervisor took up to {percent}\u00a0% of the server's cores in a run (steal).",
        "O hipervisor tomou até {percent}\u00a0% dos núcleos do servidor em uma execução (steal).",
    ),
    "doubt_idle_cores": (
        "Idle cores slept. In a virtual machine a program that wakes one pays for it in CPU time, and what it wakes "
        "starts late. This costs most where messages come one at a time.",
        "Os núcleos ociosos dormiram. Em uma máquina virtual, quem acorda um núcleo paga por isso com CPU, e o que ele "
        "acorda começa atrasado: custa mais quando as mensagens vêm uma a uma.",
    ),
    "doubt_core_speed": (
        "The speed of the server's core differed between runs: before each, the same piece of work took "
        "{work_ms}\u00a0ms of CPU time, {ratio} times as much at its slowest. That alone can make runs differ in "
        "response time and CPU per request.",
        "O núcleo do servidor não esteve igualmente rápido antes de todas as execuções: o mesmo trabalho lhe custou "
        "{work_ms}\u00a0ms de CPU, {ratio} vezes o menor valor quando mais lento. Só por isso as execuções podem "
        "diferir em tempo de resposta e em CPU por requisição.",
    ),
    "generator_busy": (
        "; it kept its cores {percent}\u00a0% busy",
        "; ele manteve seus núcleos {percent}\u00a0% ocupados",
    ),
    "doubt_generator": (
        "The load generator's own wait for a core was {percent}\u00a0% of the mean response time{cpu}.",
        "Do tempo médio de resposta, {percent}\u00a0% foi espera do próprio gerador de carga por um núcleo{cpu}.",
    ),
    "doubt_generator_unknown": (
        "The load generator's own part of the response time is not known: the load generator was not sampled.",
        "Quanto do tempo de resposta foi do próprio gerador de carga não se sabe: ele não foi amostrado.",
    ),
    "doubt_errors": (
        "Up to {percent}\u00a0% of a run's requests failed; their times are included.",
        "Até {percent}\u00a0% das requisições de uma execução falharam; seus tempos estão incluídos.",
    ),
    "doubt_memory": (
        "Some of the files were stored in memory (tmpfs).",
        "Parte do que foi gravado ficou em memória (tmpfs).",
    ),
    "doubt_smoke": (
        "The profile smoke only shows that everything works; it is too short to compare servers.",
        "O perfil smoke só mostra que tudo funciona; é curto demais para comparar servidores.",
    ),
    "counted": ("{valid} of {runs} valid, {requests} measured", "{valid} de {runs} válidas, {requests} medidas"),
    # to cite
    "method_compared": (
        "{systems} were compared{day} with {lab} (profile {profile}, seed {seed}) in {scenarios}, "
        "{repeats} a cell, in random order, each with {fresh}{load}.",
        "{systems} foram comparados{day} com {lab} (perfil {profile}, semente {seed}) em {scenarios}, "
        "{repeats} por célula, em ordem aleatória, cada uma com {fresh}{load}.",
    ),
    "method_measured": (
        "{systems} was measured{day} with {lab} (profile {profile}, seed {seed}) in {scenarios}, "
        "{repeats} a cell, in random order, each with {fresh}{load}.",
        "{systems} foi medido{day} com {lab} (perfil {profile}, semente {seed}) em {scenarios}, "
        "{repeats} por célula, em ordem aleatória, cada uma com {fresh}{load}.",
    ),
    "method_day": (" on {day}", " em {day}"),
    "method_one_host": (
        "Server and load generator ran on one machine ({host}){cores}.",
        "Servidor e gerador de carga rodaram em uma só máquina ({host}){cores}.",
    ),
    "method_two_hosts": (
        "Server and load generator ran on separate machines (the lab ran on: {host}){cores}.",
        "Servidor e gerador de carga rodaram cada um em sua máquina (o laboratório rodou em: {host}){cores}.",
    ),
    "method_cores": (
        ", the server on core {server}, the load generator on core {injector}",
        ", o servidor no núcleo {server}, o gerador de carga no núcleo {injector}",
    ),
    "method_idle_cores": (
        "Idle cores polled instead of sleeping.",
        "Os núcleos ociosos ficaram em espera ativa em vez de dormir.",
    ),
    "method_virtual": ("virtual machine: {kind}", "máquina virtual: {kind}"),
    "unknown_hypervisor": ("hypervisor unknown", "hipervisor desconhecido"),
    "method_stored": ("Stored on: {disks}.", "Gravação em: {disks}."),
    "limit_one": (
        "The server was held to {percent}\u00a0% of its core, which can change its steadiness and the order of the "
        "servers.",
        "O servidor foi limitado a {percent}\u00a0% de seu núcleo, o que pode mudar sua estabilidade e a ordem "
        "dos servidores.",
    ),
    "limit_many": (
        "The server was held to {percent}\u00a0% of its cores, which can change its steadiness and the order of the "
        "servers.",
        "O servidor foi limitado a {percent}\u00a0% de seus núcleos, o que pode mudar sua estabilidade e a ordem "
        "dos servidores.",
    ),
    "limit_shares": (
        "The server had {percents}\u00a0% of its cores, each share in cells of its own; less than all can change its "
        "steadiness and the order of the servers.",
        "O servidor teve {percents}\u00a0% de seus núcleos, cada parte em células próprias; menos que o todo pode "
        "mudar sua estabilidade e a ordem dos servidores.",
    ),
    "limited_some": (
        "In the cells of {percents}\u00a0% the server was held to that share of its cores: CPU near it means that it "
        "had no more, not that it needed no more.",
        "Nas células de {percents}\u00a0% o servidor foi limitado a essa parte de seus núcleos: um uso de CPU perto "
        "dela quer dizer que ele não tinha mais, não que não precisava de mais.",
    ),
    "limited_shares": (
        "Response times, requests a second and shares of CPU are those of a server held to {percent}\u00a0% of its "
        "cores: CPU use near {percent}\u00a0% means that it had no more, not that it needed no more.",
        "Tempos de resposta, requisições por segundo e usos de CPU são os de um servidor limitado a {percent}\u00a0% "
        "de seus núcleos: um uso deles perto de {percent}\u00a0% quer dizer que ele não tinha mais, não que não "
        "precisava de mais.",
    ),
    "method_elapsed": (
        "Response time is the elapsed time in the load generator (JMeter's is in whole milliseconds) of every request "
        "after the warm-up, failed ones included.",
        "O tempo de resposta é o tempo decorrido no gerador de carga (o do JMeter, em milissegundos inteiros) de toda "
        "requisição depois do aquecimento, também das que falharam.",
    ),
    "event_overflows": (
        "listen-queue overflows: {count} (each connection is retried after 1, 3 or 7 s)",
        "fila de conexões cheia: {count} vezes (o cliente tenta de novo após 1, 3 ou 7 s)",
    ),
    "event_retransmits": ("retransmitted TCP segments: {count}", "segmentos TCP retransmitidos: {count}"),
    "method_open": (
        "Each {operation} was sent at a time drawn from a Poisson process, whether or not earlier ones had been "
        "answered, and at the same times to every system. A scenario's rate is the largest at which no system used "
        "more than 80\u00a0% of its CPU in earlier short runs.",
        "O envio seguiu instantes de Poisson, com ou sem resposta ao anterior, os mesmos para todos os sistemas; a "
        "taxa de um cenário é a maior em que nenhum sistema usou mais que 80\u00a0% da sua CPU em execuções curtas "
        "anteriores.",
    ),
    "method_held": ("The same in every run: {levels}.", "Igual em todas as execuções: {levels}."),
    "method_settled": (
        "Only the part of each run in which response times had settled is measured.",
        "É medida a parte de cada execução em que os tempos de resposta estavam estáveis.",
    ),
    "method_once": (
        "Measured once, only for claims across all levels, and not compared: {scenarios}.",
        "Medidos uma vez, só para o que se afirma do conjunto dos níveis, e não comparados: {scenarios}.",
    ),
    "method_within_blocks": (
        "Systems are compared by the ratio of their figures within blocks, in which each runs once, next to the "
        "others; those that differ by less than {margin}\u00a0% are called equal.",
        "Os sistemas são comparados pela razão de seus valores dentro de blocos, em que cada um roda uma vez, ao lado "
        "dos outros; os que diferem menos de {margin}\u00a0% são ditos iguais.",
    ),
    "method_of_means": (
        "Systems are compared by the ratio of their means over runs; those that differ by less than {margin}\u00a0% "
        "are called equal.",
        "Os sistemas são comparados pela razão de suas médias sobre as execuções; os que diferem menos de "
        "{margin}\u00a0% são ditos iguais.",
    ),
    "method_unpaired": (
        "Where blocks are not complete, in {count}, the means over unrelated runs are compared.",
        "Onde há blocos incompletos, em {count}, comparam-se as médias de execuções sem relação entre si.",
    ),
    "method_looks": (
        "Each scenario got blocks until its comparisons were decided, for {minutes} min at most in all; the intervals "
        "are repeated confidence intervals, which hold for all looks together.",
        "Cada cenário recebeu blocos até que suas comparações estivessem decididas, por {minutes} min no máximo ao "
        "todo; os intervalos são intervalos de confiança repetidos, que valem para todas as verificações em conjunto.",
    ),
    "method_requests": (
        "Each valid run measured {requests} requests.",
        "Cada execução válida mediu {requests} requisições.",
    ),
    "table_to_cite": (
        "Means over the n valid repeats of a cell; below them 95\u00a0% intervals over repeats.",
        "Médias das n repetições válidas de uma célula; abaixo delas, intervalos de 95\u00a0% entre repetições.",
    ),
    "table_to_cite_clock": (
        "In italics: the CV without what JMeter's clock of whole milliseconds adds to it.",
        "Em itálico: o CV sem o que o relógio do JMeter, de milissegundos inteiros, lhe acrescenta.",
    ),
    "method_rounds": (
        "Each cell has one valid run, made in rounds: its figures are means over the rounds, and intervals (95\u00a0%) "
        "are over rounds. Percentiles use every request.",
        "Cada célula tem uma execução válida, feita em rodadas: seus valores são médias das rodadas, e os intervalos "
        "(95\u00a0%) são entre rodadas. Os percentis usam todas as requisições.",
    ),
    "method_intervals": (
        "Figures of a cell are means over its valid repeats; intervals (95\u00a0%) are over repeats, since the "
        "requests of one run are not independent. Percentiles use every request.",
        "Os valores de uma célula são médias de suas repetições válidas; os intervalos (95\u00a0%) são entre "
        "repetições, porque as requisições de uma execução não são independentes. "
        "Os percentis usam todas as requisições.",
    ),
    # under the charts
    "nothing_to_draw": (
        "There is no valid run with a {measure} to draw.",
        "Não há execução válida com {measure} para desenhar.",
    ),
    "above_one": (
        "Above 1 the standard deviation is larger than the mean.",
        "Acima de 1 o desvio padrão é maior que a média.",
    ),
    "furthest": (
        "They differ most {where}, where {more}'s is {ratio} times {less}'s.",
        "A maior distância está {where}, onde o de {more} é {ratio} vezes o de {less}.",
    ),
    "apart": ("{where}, {more}'s is {ratio} times {less}'s.", "{where}, o de {more} é {ratio} vezes o de {less}."),
    "note_symbols": (
        "Large symbols: mean over the valid runs; small ones: each run",
        "Símbolos grandes: média das execuções válidas; pequenos: cada execução",
    ),
    "note_intervals": (
        "; lines: 95\u00a0% interval over repeats, cut at the frame",
        "; linhas: intervalo de 95\u00a0% entre repetições, cortado na moldura",
    ),
    "note_crosses": ("; crosses: runs that don't count", "; cruzes: execuções que não contam"),
    "note_clock": (
        "; open symbols: without the load generator's clock of whole milliseconds, where the mean is below 10\u00a0ms",
        "; símbolos vazados: sem o relógio de milissegundos do gerador de carga, onde a média é menor que 10\u00a0ms",
    ),
    "note_log": (". Logarithmic axis", ". Eixo logarítmico"),
    "note_n_none": ("No run counts.", "Nenhuma execução conta."),
    "note_n": (
        "n\u00a0=\u00a0{runs} a cell, of {requests} each.",
        "n\u00a0=\u00a0{runs} por célula, de {requests} cada.",
    ),
    "level_means": ("{system} answers in {means}.", "{system} responde em {means}."),
    "level_mean": ("{mean} ({scenario})", "{mean} ({scenario})"),
    "level_mean_interval": (
        "{mean} ({scenario}; 95\u00a0% interval {interval})",
        "{mean} ({scenario}; intervalo de 95\u00a0%: {interval})",
    ),
    "note_levels": ("; dashed: the same system with the other level", "; tracejado: o mesmo sistema com o outro nível"),
    "note_levels_n": ("n\u00a0=\u00a0{runs} a cell.", "n\u00a0=\u00a0{runs} por célula."),
    "axis_beside": ("{first}; open symbols: {second}", "{first}; símbolos vazados: {second}"),
    "figure_value": ("{system} {value}", "{system} {value}"),
    "figure_values": ("{measure}: {values}.", "{measure}: {values}."),
    "axis_ratio": ("ratio of {measure}", "razão de {measure}"),
    "figure_ratio": ("Ratio of {system} to {than}: {times}.", "Razão entre {system} e {than}: {times}."),
    "note_ratio": (
        "Symbols: ratio of the means over the valid runs",
        "Símbolos: razão das médias das execuções válidas",
    ),
    "figure_times": ("Ratio of {first} to {second}: {times}.", "Razão entre {first} e {second}: {times}."),
    "note_beside": ("; open symbols: {measure}", "; símbolos vazados: {measure}"),
    "note_printed": ("; crosses: printed in the paper", "; cruzes: impresso no artigo"),
    "note_rounds_n": (
        "n\u00a0=\u00a0{rounds} of one run a cell.",
        "n\u00a0=\u00a0{rounds} de uma execução por célula.",
    ),
    "note_rounds": ("Each point is one {level} of a run", "Um ponto é uma {level} de uma execução"),
    "note_published": ("; crosses: published by the paper's authors", "; cruzes: publicado pelos autores do artigo"),
    "rounds": (
        "{name}: mean {mean}, SD {sd}, from {low} to {high} (n\u00a0=\u00a0{n} rounds).",
        "{name}: média {mean}, DP {sd}, de {low} a {high} (n\u00a0=\u00a0{n} rodadas).",
    ),
    "note_picture": (
        "The paper prints this figure as a picture only, without numbers.",
        "O artigo imprime esta figura só como imagem, sem números.",
    ),
    "role_cores": ("{role} on core {cores}", "{role} no núcleo {cores}"),
    "or": (" or ", " ou "),
    "cores_of_roles": ("Cores: {roles}.", "Núcleos: {roles}."),
    "best_in": ("best in {wins} of {count}", "melhor em {wins} de {count}"),
    "equal_in": ("equal to the best in {count}", "igual ao melhor em {count}"),
    "beaten_by": ("beaten by {systems}", "perde para {systems}"),
    "doubt_parts_same_host": (
        "All parts shared one machine{cores}: memory, caches and kernel are shared, so absolute figures hold for "
        "this machine only; ratios carry over better.",
        "Todas as partes compartilharam a máquina{cores}: memória, caches e kernel são comuns; os valores absolutos "
        "só valem para esta máquina, as razões se transferem melhor.",
    ),
    "method_parts_one_host": (
        "All parts ran on one machine ({host}).",
        "Todas as partes rodaram em uma só máquina ({host}).",
    ),
    "method_operation": (
        "The time of a {operation} runs from {begin} of the {first} to {end} of the {last}, in nanoseconds, of "
        "every {operation} after the warm-up.",
        "O tempo de {operation} vai de {begin} em {first} a {end} em {last}, em nanossegundos, de cada "
        "{operation} depois do aquecimento.",
    ),
    "method_load": ("; load by {generators}", "; carga por {generators}"),
    "method_fresh": ("a fresh server process", "um processo novo do servidor"),
    "method_fresh_parts": ("fresh processes", "processos novos"),
    "correlation_none": (
        "For {series}, {scenarios} can't show a correlation.",
        "Para {series}, {scenarios} não mostram correlação.",
    ),
    "correlation_interval": (
        "for {series} Pearson's r is {pearson} (95\u00a0% interval {interval}, n\u00a0=\u00a0{n})",
        "para {series} o r de Pearson é {pearson} (intervalo de 95\u00a0%: {interval}, n\u00a0=\u00a0{n})",
    ),
    "correlations_few": (
        "too few {nouns} for an interval: Pearson's r is {parts}",
        "{nouns} de menos para um intervalo: o r de Pearson é {parts}",
    ),
    "correlation_of": ("{pearson} for {series} (n\u00a0=\u00a0{n})", "{pearson} para {series} (n\u00a0=\u00a0{n})"),
    "correlation_spearman": (", Spearman's {spearman}", ", o de Spearman {spearman}"),
    "correlation_left_out": (
        "; leaving out one scenario moves r to between {low} and {high}",
        "; deixar um cenário de fora leva r a ficar entre {low} e {high}",
    ),
    "correlation_unknown": (
        "Whether more switches come with a larger CV was not computed for this campaign.",
        "Se mais trocas de contexto acompanham um CV maior não foi calculado para esta campanha.",
    ),
    "note_switches": (
        "Each point is a cell, labelled with its {noun}: means over its valid runs, n\u00a0=\u00a0{cells}. Switches "
        "are of the whole host, the load generator's included where both share it.",
        "Cada ponto é uma célula, com o nome de {noun}: médias das execuções válidas, n\u00a0=\u00a0{cells}. As "
        "trocas de contexto são da máquina inteira, inclusive as do gerador de carga onde ambos a dividem.",
    ),
    "half": ("half", "metade"),
    "of_hundred": ("99 of 100", "99 de 100"),
    "of_thousand": ("999 of 1,000", "999 de 1.000"),
    "within": ("{share} within {time}\u00a0ms", "{share} em até {time}\u00a0ms"),
    "answered": (
        "{system} answered {times} (n\u00a0=\u00a0{requests} of {runs})",
        "{system} respondeu {times} (n\u00a0=\u00a0{requests} de {runs})",
    ),
    "no_valid_run": ("{system} has no valid run", "{system} não tem execução válida"),
    "note_timeline": (
        "All panels share one clock; 0 is the first measured request, and what comes before it is warm-up. Shading: "
        "how many requests ended at that time with that response time; darker is more.",
        "Todos os painéis têm o mesmo relógio; 0 é a primeira requisição medida, o que vem antes é aquecimento. "
        "Sombreado: quantas requisições terminaram naquele momento com aquele tempo de resposta; mais forte é mais.",
    ),
    "note_joined": ("A point stands for {seconds}.", "Cada ponto vale por {seconds}."),
    "run": ("{system}, {scenario}, repeat {repeat}", "{system}, {scenario}, repetição {repeat}"),
    "at_rate": (" at {rate} requests a second", " a {rate} requisições por segundo"),
    "mean_between": (
        "; the mean response time of a second lay between {low} and {high}\u00a0ms",
        "; o tempo médio de resposta de um segundo ficou entre {low} e {high}\u00a0ms",
    ),
    "cpu_busy": (
        "; the server's cores were {percent}\u00a0% busy",
        "; os núcleos do servidor estiveram {percent}\u00a0% ocupados",
    ),
    "switching": (", with {rate} context switches a second", ", com {rate} trocas de contexto por segundo"),
    "trouble": ("It saw {what}.", "Houve {what}."),
    "no_trouble": (
        "No segment was retransmitted and no listen queue overflowed.",
        "Nenhum segmento foi retransmitido e nenhuma fila de conexões transbordou.",
    ),
    "size_share": (
        "{percent}\u00a0% for {system} (n\u00a0=\u00a0{requests})",
        "{percent}\u00a0% para {system} (n\u00a0=\u00a0{requests})",
    ),
    "size_share_unknown": (
        "an unknown share for {system} (n\u00a0=\u00a0{requests})",
        "uma parte desconhecida para {system} (n\u00a0=\u00a0{requests})",
    ),
    "size_explains": (
        "{scenario}: of the variance of response times, the size explains {parts}.",
        "{scenario}: da variância dos tempos de resposta, o tamanho explica {parts}.",
    ),
    "of_generator": (
        "With {system}, {mean}\u00a0% of the mean response time and {variance}\u00a0% of its variance are due to the "
        "load generator.",
        "Com {system}, {mean}\u00a0% do tempo de resposta médio e {variance}\u00a0% de sua variância são do gerador de "
        "carga.",
    ),
    "of_generator_mean": (
        "With {system}, {mean}\u00a0% of the mean response time is due to the load generator.",
        "Com {system}, {mean}\u00a0% do tempo de resposta médio são do gerador de carga.",
    ),
    "largest_part": (
        "with {system} the largest share is “{part}” ({percent}\u00a0%)",
        "com {system}, a maior parcela é “{part}” ({percent}\u00a0%)",
    ),
    "indicator_cells_cv": (
        "Across {nouns} {system}'s CV follows “{indicator}” most closely (r\u00a0=\u00a0{r}{interval}, "
        "n\u00a0=\u00a0{n}): {sure}.",
        "Entre {nouns} o CV de {system} acompanha melhor “{indicator}” (r\u00a0=\u00a0{r}{interval}, "
        "n\u00a0=\u00a0{n}): {sure}.",
    ),
    "indicator_seconds_cv": (
        "Within runs, second by second, {system}'s CV follows “{indicator}” most closely "
        "(r\u00a0=\u00a0{r}{interval}, {runs}): {sure}.",
        "Dentro das execuções, segundo a segundo, o CV de {system} acompanha melhor “{indicator}” "
        "(r\u00a0=\u00a0{r}{interval}, {runs}): {sure}.",
    ),
    "indicator_seconds_mean_ms": (
        "Within runs, second by second, {system}'s mean response time follows “{indicator}” most closely "
        "(r\u00a0=\u00a0{r}{interval}, {runs}): {sure}.",
        "Dentro das execuções, segundo a segundo, o tempo médio de resposta de {system} acompanha melhor “{indicator}” "
        "(r\u00a0=\u00a0{r}{interval}, {runs}): {sure}.",
    ),
    "indicator_interval": (", 95\u00a0% interval {interval}", ", intervalo de 95\u00a0% {interval}"),
    "indicator_sure": (
        "reliable, because it ranks first in {share}\u00a0% of the resamples, and with any one left out",
        "confiável, porque fica em primeiro em {share}\u00a0% das reamostragens, e sem qualquer um deles",
    ),
    "indicator_unsure": ("not reliable, because {reasons}", "não confiável, porque {reasons}"),
    "unsure_interval": ("the interval includes 0", "o intervalo contém 0"),
    "unsure_no_interval": ("there are too few for an interval", "são poucos para um intervalo"),
    "unsure_share": (
        "it ranks first in only {share}\u00a0% of the resamples",
        "fica em primeiro só em {share}\u00a0% das reamostragens",
    ),
    "unsure_left_out": (
        "with one left out r lies between {low} and {high}",
        "sem um deles r fica entre {low} e {high}",
    ),
    "claims_counted": (
        "Of {claims}, {parts} on this campaign's data.",
        "De {claims}, {parts} com os dados desta campanha.",
    ),
    # two campaigns
    "compare_title": ("{after} against {before}", "{after} em comparação com {before}"),
    "compare_worse": (
        "**Worse by more than {percent} %** in {figures}. Of all: {counted}.",
        "**Pior em mais de {percent} %** em {figures}. Ao todo: {counted}.",
    ),
    "compare_not_worse": (
        "Nothing is worse by more than {percent} %. Of all figures: {counted}.",
        "Nada piorou mais de {percent} %. Ao todo: {counted}.",
    ),
    "compare_limit": (
        "**Not the same server:** it had {first} of its cores in {before}, {second} in {after}; times, rates and "
        "shares of CPU differ for that reason alone.",
        "**Não é o mesmo servidor:** teve {first} de seus núcleos em {before}, {second} em {after}; só por isso "
        "tempos, taxas e usos de CPU diferem.",
    ),
    "compare_all_cores": ("all", "a totalidade"),
    "compare_heads": (
        "| cell | figure | before | after | ratio | 95 % | repeats | |",
        "| célula | valor | antes | depois | razão | 95 % | repetições | |",
    ),
    "compare_without_clock": ("{cv} without the clock", "{cv} sem o relógio"),
    "compare_all_figures": ("All figures", "Todos os valores"),
    "compare_differences": ("What differed between the campaigns", "O que diferiu entre as campanhas"),
    "compare_only": ("Only in {name}: {cells}.", "Só em {name}: {cells}."),
    "compare_cells_lost": ("**No valid run left** of {cells}.", "**Nenhuma execução válida** de {cells}."),
    "compare_verdict_without a valid run": ("without a valid run", "sem execução válida"),
    "compare_verdict_worse": ("worse", "pior"),
    "compare_verdict_slightly worse": ("slightly worse", "um pouco pior"),
    "compare_verdict_unchanged": ("unchanged", "sem mudança"),
    "compare_verdict_slightly better": ("slightly better", "um pouco melhor"),
    "compare_verdict_better": ("better", "melhor"),
    "compare_verdict_can't tell": ("can't tell", "indeciso"),
    "compare_none_valid": ("{measure}: no run is valid any more.", "{measure}: nenhuma execução é mais válida."),
    "compare_no_run": (
        "{measure}: no valid run has this figure in one of the campaigns.",
        "{measure}: em uma das campanhas nenhuma execução válida tem este valor.",
    ),
    "compare_figures": ("{measure} {before} -> {after}{unit}", "{measure} {before} -> {after}{unit}"),
    "compare_clocks": (
        " (without the clock of whole ms {before} -> {after})",
        " (sem o relógio de ms inteiros {before} -> {after})",
    ),
    "compare_no_ratio": ("{figures}; a figure of 0 has no ratio.", "{figures}; um valor 0 não tem razão."),
    "compare_one_repeat": (
        "{figures}, ratio {ratio}; one repeat has no interval.",
        "{figures}, razão {ratio}; uma só repetição não tem intervalo.",
    ),
    "compare_change": (
        "{figures}, ratio {ratio}, 95 % interval {lo} to {hi}, {before} and {after} repeats: {verdict}{more}.",
        "{figures}, razão {ratio}, intervalo de 95 %: {lo} a {hi}, {before} e {after} repetições: {verdict}{more}.",
    ),
    "compare_more": (
        "; about {repeats} more repeats would decide",
        "; cerca de {repeats} repetições a mais decidiriam",
    ),
    # in the paper's tables
    "selected": ("selected, {system}", "selecionada, {system}"),
    "sum_of": ("sum of {count}", "soma de {count}"),
    "table_deviation_mean": ("deviation / mean", "desvio / média"),
    "table_differences": ("the differences", "as diferenças"),
    # claims: why one holds, fails or stays undecided. A study says what its levels are in [words.claims]
    "claim_sum_over_sum": ("summed {metric} over summed {over}", "quociente da soma do {metric} pela soma do {over}"),
    "claim_of": ("{system}'s {metric}", "o {metric} de {system}"),
    "claim_on": ("{system} at {level}", "{system} em {level}"),
    "claim_level": ("level {listed}", "nível {listed}"),
    "claim_levels": ("levels {listed}", "níveis {listed}"),
    "claim_in_level": ("at level {listed}", "no nível {listed}"),
    "claim_in_levels": ("at levels {listed}", "nos níveis {listed}"),
    "claim_one_level": ("1 level", "1 nível"),
    "claim_several_levels": ("{n} levels", "{n} níveis"),
    "claim_one_repeat": ("1 repeat", "1 repetição"),
    "claim_several_repeats": ("{n} repeats", "{n} repetições"),
    "claim_level_missing": (" Level {listed} was not measured.", " O nível {listed} não foi medido."),
    "claim_levels_missing": (" Levels {listed} were not measured.", " Os níveis {listed} não foram medidos."),
    "claim_level_rare": (
        " Level {listed}, with fewer than three blocks of both systems, is not in the sum.",
        " O nível {listed}, com menos de três blocos de ambos os sistemas, não entra na soma.",
    ),
    "claim_levels_rare": (
        " Levels {listed}, with fewer than three blocks of both systems, are not in the sum.",
        " Os níveis {listed}, com menos de três blocos de ambos os sistemas, não entram na soma.",
    ),
    "claim_number_missing": (" {count} not measured.", " Sem medição: {count}."),
    "claim_values": ("{a} against {b}", "{a} contra {b}"),
    "claim_interval": (", 95 % interval {lo} to {hi}", ", intervalo de 95 %: {lo} a {hi}"),
    "claim_no_interval": (", no interval", ", sem intervalo"),
    "claim_percent_interval": ("; 95 % interval {lo} % to {hi} %", "; intervalo de 95 %: {lo} % a {hi} %"),
    "claim_no_percent_interval": ("; no interval", "; sem intervalo"),
    # lower_or_higher, goes_with
    "claim_against": ("{system}'s {metric} against {than}'s", "o {metric} de {system} contra o de {than}"),
    "claim_goes_with": ("lower {metric} with lower {other}", "menor {metric} com menor {other}"),
    "claim_contrary": ("; the opposite {where}", "; o contrário {where}"),
    "claim_nothing_decided": ("; not decided by the interval {where}", "; o intervalo nada decide {where}"),
    "claim_not_measured": ("; {listed} not measured", "; sem medição: {listed}"),
    "claim_none_measured": (
        "None of the levels was measured with both systems: {listed}.",
        "Nenhum dos níveis foi medido com ambos os sistemas: {listed}.",
    ),
    # lower_overall
    "claim_no_sums": (
        "The sums are not above 0, so they have no ratio.",
        "As somas não são maiores que 0 e não têm razão.",
    ),
    "claim_sum_lower": (
        "{subject} is {percent} % lower over {count} ({pair}{interval})",
        "{subject} é {percent} % menor em {count} ({pair}{interval})",
    ),
    "claim_sum_higher": (
        "{subject} is {percent} % higher over {count} ({pair}{interval})",
        "{subject} é {percent} % maior em {count} ({pair}{interval})",
    ),
    "claim_sum_claimed": ("; claimed: {percent} % lower", "; afirma-se: {percent} % menor"),
    # lower_elsewhere
    "claim_no_pair": ("{level} was not measured with {lacking}.", "{level}: sem medição com {lacking}."),
    "claim_elsewhere": (
        "{level}: {first} {a} {unit}, {second} {b} {unit} (ratio {ratio}{interval}{same}).",
        "{level}: {first} {a} {unit}, {second} {b} {unit} (razão {ratio}{interval}{same}).",
    ),
    # rank_trend
    "claim_trend_few": (
        "{subject}: a trend needs at least 4 levels, {n} measured.",
        "{subject}: uma tendência precisa de ao menos 4 níveis; medidos: {n}.",
    ),
    "claim_trend_none": (
        "{subject} does not change with the level: {value} at all {n} levels.",
        "{subject} não muda com o nível: {value} em todos os {n} níveis.",
    ),
    "claim_rank_trend": (
        "{subject} goes from {a} (level {first}) to {b} (level {last}); rank correlation with the level "
        "{rho}{interval}, {count}.",
        "{subject} vai de {a} (nível {first}) a {b} (nível {last}); correlação de postos com o nível "
        "{rho}{interval}, {count}.",
    ),
    "claim_trend_stays": (
        " At every level it is within {margin} % of the first: it neither rises nor falls.",
        " Em todos os níveis é igual ao primeiro dentro de {margin} %: não sobe nem desce.",
    ),
    # correlation
    "claim_correlation_few": (
        "A correlation with an interval needs at least 4 levels that differ, {n} measured.",
        "Uma correlação com intervalo precisa de ao menos 4 níveis que difiram; medidos: {n}.",
    ),
    "claim_correlation": (
        "r = {r}{interval} over {count}; without {without} it is {loo}; Spearman {spearman}.",
        "r = {r}{interval} em {count}; sem o {without} é {loo}; Spearman {spearman}.",
    ),
    "claim_correlation_excluded": (
        " An r as high as the claimed {r} is excluded.",
        " Um r tão alto quanto o afirmado, {r}, está excluído.",
    ),
    "claim_rests_on": (" It rests on {without}.", " Apoia-se no {without}."),
    # throughput_decays
    "claim_only_a_picture": (
        "The paper shows this as a picture, not as numbers.",
        "O artigo mostra isto como figura, não como números.",
    ),
    "claim_too_short": (
        "No valid run of {system} {where} is long enough.",
        "Nenhuma execução válida de {system} {where} é longa o bastante.",
    ),
    "claim_decay": (
        "{system} {where}: the last third of a run has {ratio} times the requests per second of the first "
        "third{interval}, {count}.",
        "{system} {where}: o último terço de uma execução tem {ratio} vezes as requisições por segundo do "
        "primeiro{interval}, {count}.",
    ),
    "claim_one_repeat_no_interval": (" One repeat has no interval.", " Uma só repetição não tem intervalo."),
    # the tests that any study's claims can name
    "claim_lower": ("{system}'s {metric} lower than {than}'s", "{metric} de {system} menor que de {than}"),
    "claim_best": ("{system} with the best {metric}", "{system} com o melhor resultado em {metric}"),
    "claim_order": ("{systems} in this order by {metric}", "{systems} nesta ordem em {metric}"),
    "claim_equal": (
        "{systems} within {margin} % of each other in {metric}",
        "{systems} a menos de {margin} % entre si em {metric}",
    ),
    "claim_flat": (
        "{metric} of {systems} within {margin} % between any two levels of {along}",
        "{metric} de {systems}, diferença de até {margin} % entre quaisquer dois níveis de {along}",
    ),
    "claim_rises": ("{metric} of {systems} rises along {along}", "{metric} de {systems} sobe ao longo de {along}"),
    "claim_falls": ("{metric} of {systems} falls along {along}", "{metric} de {systems} cai ao longo de {along}"),
    "claim_factor": (", by a factor of at least {by}", ", por um fator de pelo menos {by}"),
    "claim_gap": (
        "{system}'s {metric} over {than}'s falls along {along}",
        "razão de {metric} entre {system} e {than} cai ao longo de {along}",
    ),
    "claim_excess": (
        "{system}'s {metric} above {over} by the same amount",
        "{metric} de {system} além de {over} pelo mesmo número",
    ),
    "claim_within": ("{system}'s {metric} from {lo} to {hi}", "{metric} de {system} entre {lo} e {hi}"),
    "claim_steady": (
        "{system}'s {metric} with a coefficient of variation of at most {most} % over the repeats",
        "{metric} de {system} com coeficiente de variação de no máximo {most} % entre as repetições",
    ),
    "claim_never": (
        "{metric} of {system}: above 0 in {broken} of {runs} runs, invalid ones included (95 % interval of this share: "
        "{lo} to {hi} %)",
        "{metric} de {system}: acima de 0 em {broken} de {runs} execuções, contando as inválidas (intervalo de 95 % "
        "desta proporção: {lo} a {hi} %)",
    ),
    "claim_static": ("{fact}, from the systems' own sources", "{fact}, do próprio código dos sistemas"),
    "claim_fact": ("{system} {known}, claimed: {expected}", "{system} {known}, afirma-se: {expected}"),
    "claim_pair": ("{where}{a} against {b}, ratio {ratio}", "{where}{a} contra {b}, razão {ratio}"),
    "claim_same": (": equal within {margin} %", ": iguais dentro de {margin} %"),
    "claim_by_margin": (
        " Printed numbers have no margin. With the {margin} % within which measured ones count as equal, this would "
        "fail.",
        " Números impressos não têm margem; pelos {margin} % em que valores medidos são iguais, isto falharia.",
    ),
    "claim_from_to": ("ratio {a}, then {b}", "razão {a}, depois {b}"),
    "claim_absent": ("{system} not measured", "{system} sem medição"),
    "claim_tally": ("{subject}: as claimed in {agree} of {count}", "{subject}: como se afirma em {agree} de {count}"),
    "claim_figures": (" ({figures})", " ({figures})"),
    "claim_unlike": ("; to the contrary: {figures}", "; ao contrário: {figures}"),
    "claim_open": ("; the intervals leave {count} open", "; os intervalos deixam {count} em aberto"),
    "claim_no_numbers": (
        "The paper gives no numbers for this, only a picture.",
        "O artigo não tem números disto, só uma figura.",
    ),
    "claim_no_rounds": ("The authors' rounds do not cover this.", "As rodadas dos autores não dizem nada disto."),
    "claim_no_runs": (
        "This campaign has no valid run of what the claim is about.",
        "Esta campanha não tem execuções válidas do que se afirma.",
    ),
    # what holds for any test
    "claim_no_published": ("The study has no published numbers.", "O estudo não tem números publicados."),
    "claim_clock": (
        " Below a mean of 10 ms JMeter's clock of whole milliseconds adds to these coefficients of variation; without "
        "it: {figures}.",
        " Com médias abaixo de 10 ms o relógio do JMeter, de milissegundos inteiros, é parte destes coeficientes de "
        "variação; sem ele: {figures}.",
    ),
    "claim_clock_figure": ("{system} {where} {without} instead of {cv}", "{system} {where} {without} em vez de {cv}"),
    "claim_limited": (
        "The server was held to {percent} % of its cores, so a share of CPU shows that limit and not what a server "
        "needs: this campaign cannot tell. Observed: {why}",
        "O servidor foi limitado a {percent} % de seus núcleos, e um uso de CPU mostra esse limite e não quanto um "
        "servidor precisa: esta campanha não o pode dizer. O que se viu: {why}",
    ),
    # comparisons.csv: two systems in a scenario
    "pair_no_run": (
        "Can't tell: no valid run of {systems} has this figure.",
        "Não se pode dizer: nenhuma execução válida de {systems} tem este valor.",
    ),
    "pair_zero": (
        "Can't tell: a {measure} of 0 has no ratio.",
        "Não se pode dizer: {measure} igual a 0 não tem razão.",
    ),
    "pair_no_block": (
        "Can't tell: no block has a valid run of both.",
        "Não se pode dizer: nenhum bloco tem uma execução válida de ambos.",
    ),
    "pair_figures": ("{measure} {a} against {b}", "{measure} {a} contra {b}"),
    "pair_few_blocks": (
        "Can't tell: {figures}, but an interval needs {least} blocks with a valid run of each, and there are {blocks}.",
        "Não se pode dizer: {figures}, mas um intervalo precisa de {least} blocos com uma execução válida de cada "
        "um, e há {blocks}.",
    ),
    "pair_one_repeat": (
        "Can't tell: {figures}, but one repeat has no interval; at least one more of each is needed.",
        "Não se pode dizer: {figures}, mas uma só repetição não tem intervalo; é preciso ao menos mais uma de cada um.",
    ),
    "pair_certainty": (
        "ratio {ratio}, 95 % interval {lo} to {hi}, {extent}",
        "razão {ratio}, intervalo de 95 %: {lo} a {hi}, {extent}",
    ),
    "pair_blocks": ("{n} blocks, checked after each", "{n} blocos, com uma verificação após cada um"),
    "pair_within_blocks": (
        "{n} repeats each, compared within blocks",
        "{n} repetições de cada um, comparadas dentro dos blocos",
    ),
    "pair_repeats_each": ("{n} repeats each", "{n} repetições de cada um"),
    "pair_rounds_each": ("{n} rounds each", "{n} rodadas de cada um"),
    "pair_repeats": ("{a} and {b} repeats", "{a} e {b} repetições"),
    "pair_rounds": ("{a} and {b} rounds", "{a} e {b} rodadas"),
    "pair_equal": (
        "{a} and {b} are equal within {margin} %: {figures} ({certainty}).",
        "{a} e {b} são iguais dentro de {margin} %: {figures} ({certainty}).",
    ),
    "pair_differ": ("{a} {differs} {b}: {figures} ({certainty}).", "{a} {differs} {b}: {figures} ({certainty})."),
    "pair_is_faster": ("is faster than", "é mais rápido que"),
    "pair_is_slower": ("is slower than", "é mais lento que"),
    "pair_is_steadier": ("is steadier than", "é mais estável que"),
    "pair_is_less steady": ("is less steady than", "é menos estável que"),
    "pair_is_cheaper": ("is cheaper than", "gasta menos CPU que"),
    "pair_is_dearer": ("is dearer than", "gasta mais CPU que"),
    "pair_is_lower": ("has lower {measure} than", "tem {measure} menor que"),
    "pair_is_higher": ("has higher {measure} than", "tem {measure} maior que"),
    "pair_open": (
        "Can't tell: {figures} ({certainty}). They are at most {percent} % apart.{few}{more}",
        "Não se pode dizer: {figures} ({certainty}). Diferem no máximo {percent} %.{few}{more}",
    ),
    "pair_at_share": ("{system} at {percent} %", "{system} com {percent} %"),
    "pair_few": (" With so few repeats little can be decided.", " Com tão poucas repetições, pouco se pode decidir."),
    "pair_hopeless": (
        " Not even {most} repeats of each would decide it, if the ratio stays where it is.",
        " Nem {most} repetições de cada um decidiriam, se a razão ficar onde está.",
    ),
    "pair_one_more": (
        " About 1 more repeat of each would decide it, if the ratio stays where it is.",
        " Cerca de 1 repetição a mais de cada um decidiria, se a razão ficar onde está.",
    ),
    "pair_more": (
        " About {n} more repeats of each would decide it, if the ratio stays where it is.",
        " Cerca de {n} repetições a mais de cada um decidiriam, se a razão ficar onde está.",
    ),
    "pair_clock": (
        " A mean is below 10 ms: without JMeter's clock of whole milliseconds {a} against {b}.",
        " Uma média é menor que 10 ms: sem o relógio do JMeter, de milissegundos inteiros, {a} contra {b}.",
    ),
    # the terminal, after a campaign
    "terminal_who": (
        "Who is better: ratio of the better to the other, 95 % interval over repeats",
        "Quem é melhor: razão do melhor ao outro, intervalo de 95 % entre repetições",
    ),
    "terminal_more_repeats": ("{verdict} ({n} more repeats)", "{verdict} (mais {n} repetições)"),
    "terminal_one_more": ("{verdict} (1 more repeat)", "{verdict} (mais 1 repetição)"),
    "terminal_parentheses": (
        "Figures in parentheses are those of invalid runs: look at them, but draw no conclusion.",
        "Os valores entre parênteses são de execuções inválidas: para ver, não para concluir.",
    ),
    "terminal_clock": (
        "~ The mean is below 10 ms; its CV without JMeter's clock of whole milliseconds: {figures}.",
        "~ Média menor que 10 ms; o CV sem o relógio do JMeter, de milissegundos inteiros: {figures}.",
    ),
    "terminal_not_complete": ("Not complete: {problem}", "Incompleto: {problem}"),
    "terminal_more_problems": (
        "And {count} more; the column reason of analysis/runs.csv lists each.",
        "E mais {count}: a coluna reason de analysis/runs.csv tem cada um.",
    ),
    "terminal_missing": (
        "{missing} of {planned} planned runs were not made; {command} makes them.",
        "{missing} de {planned} execuções planejadas não foram feitas; {command} as faz.",
    ),
    "terminal_left_out": ("Left out: {run}{others}: {reason}", "Fora da conta: {run}{others}: {reason}"),
    "terminal_one_other": (" and 1 more cell of that run", " e mais 1 célula dessa execução"),
    "terminal_others": (" and {count} more cells of that run", " e mais {count} células dessa execução"),
    "terminal_order_turns": (
        "{scenario}, {metric}: the order reverses with the share of the core: at {share} % {better} is better, at "
        "{against} % {better_against}.",
        "{scenario}, {metric}: a ordem se inverte com a parte do núcleo: com {share} % o melhor é {better}, com "
        "{against} % {better_against}.",
    ),
    "terminal_groups": (
        "{cell}: the runs are of two kinds, which a mean and its interval hide: {metric} {low} in {n_low} of them, "
        "{high} in {n_high}.{with_}",
        "{cell}: as execuções são de dois tipos, o que a média e seu intervalo escondem: {metric} {low} em {n_low}, "
        "{high} em {n_high}.{with_}",
    ),
}

NOUNS: Mapping[str, tuple[Text, Text]] = {
    "run": (("run", "runs"), ("execução", "execuções")),
    "planned_run": (("planned run", "planned runs"), ("execução planejada", "execuções planejadas")),
    "request": (("request", "requests"), ("requisição", "requisições")),
    "scenario": (("scenario", "scenarios"), ("cenário", "cenários")),
    "comparison": (("comparison", "comparisons"), ("comparação", "comparações")),
    "cell": (("cell", "cells"), ("célula", "células")),
    "core": (("core", "cores"), ("núcleo", "núcleos")),
    "claim": (("claim", "claims"), ("afirmação", "afirmações")),
    "figure": (("figure", "figures"), ("valor", "valores")),
    "claims_holds": (("holds", "hold"), ("se sustenta", "se sustentam")),
    "claims_fails": (("fails", "fail"), ("falha", "falham")),
    "claims_undecided": (("stays undecided", "stay undecided"), ("fica em aberto", "ficam em aberto")),
    "second": (("second", "seconds"), ("segundo", "segundos")),
    "second_of_load": (("second of load", "seconds of load"), ("segundo de carga", "segundos de carga")),
    "valid_run": (("valid run", "valid runs"), ("execução válida", "execuções válidas")),
    "round": (("round", "rounds"), ("rodada", "rodadas")),
    "repeat": (("repeat", "repeats"), ("repetição", "repetições")),
    "more_repeat": (("more repeat", "more repeats"), ("repetição a mais", "repetições a mais")),
    "retransmit": (
        ("retransmitted segment", "retransmitted segments"),
        ("segmento retransmitido", "segmentos retransmitidos"),
    ),
    "listen_overflow": (
        ("listen-queue overflow", "listen-queue overflows"),
        ("transbordo da fila de conexões", "transbordos da fila de conexões"),
    ),
    "failed_request": (("failed request", "failed requests"), ("requisição com falha", "requisições com falha")),
}

LABELS: Mapping[str, Text] = {
    "language": ("Language", "Língua"),
    "skip": ("Skip to the answer", "Ir para a resposta"),
    "contents": ("Contents", "Conteúdo"),
    "answer": ("The answer", "A resposta"),
    "pictures": ("The charts", "Os gráficos"),
    "claims": ("The claims", "As afirmações"),
    "tables": ("The paper's tables", "As tabelas do artigo"),
    "methods": ("How it was measured", "Como foi medido"),
    "profile": ("profile", "perfil"),
    "who_note": (
        "Each entry names the better system and how far its figure is from the next one's (− lower, + higher), with "
        "the 95\u00a0% interval over repeats. “Can't tell” means that the interval includes both orders.",
        "Cada campo nomeia o melhor sistema e quanto seu valor difere do seguinte (− menor, + maior), com o intervalo "
        "de 95\u00a0% entre repetições. “Não se pode dizer” significa que o intervalo admite as duas ordens.",
    ),
    "who_bars": (
        "The mark lies on the better one's side of the middle line; all bars have the same scale.",
        "A marca fica do lado do melhor em relação à linha do meio; todas as barras têm a mesma escala.",
    ),
    "who_best": (
        "The system named is better than every other. Its figure is compared with the second best, or, where that one "
        "can't be told apart from others, with the first of those.",
        "O sistema nomeado é melhor que todos os outros, e seu valor é em relação ao segundo melhor ou, onde não se "
        "distingue de outros, ao primeiro destes.",
    ),
    "scenario": ("{Noun}", "{Noun}"),
    "size": ("Mean size", "Tamanho médio"),
    "who_mean_ms": ("Faster", "Mais rápido"),
    "who_mean_ms_sub": ("mean response time", "tempo médio de resposta"),
    "who_p99_ms": ("Shorter tail", "Cauda mais curta"),
    "who_p99_ms_sub": ("99th percentile", "percentil 99"),
    "who_cv": ("Steadier", "Mais estável"),
    "who_cv_sub": ("coefficient of variation", "coeficiente de variação"),
    "who_server_cpu_us_per_request": ("Cheaper on CPU", "Menos CPU"),
    "who_server_cpu_us_per_request_sub": (
        "server CPU time per {operation}",
        "tempo de CPU do servidor por {operation}",
    ),
    "best": ("best", "melhor"),
    "equal_best": ("equal best", "igual ao melhor"),
    "not_beaten": ("not told apart from the best", "não se distingue do melhor"),
    "equal": ("equal", "iguais"),
    "rank": ("Who is best, and who is beaten by whom", "Quem é melhor, e quem perde para quem"),
    "pairs": ("All pairs", "Todos os pares"),
    "pair": ("Pair", "Par"),
    "cells_caption_parts": (
        "Means over the valid runs with 95\u00a0% intervals",
        "Médias das execuções válidas com intervalos de 95\u00a0%",
    ),
    "rank_note": (
        "Only scenarios in which the 95\u00a0% interval over repeats decides are counted.",
        "Contam-se os cenários em que o intervalo de 95\u00a0% sobre repetições decide.",
    ),
    "undecided": ("can't tell", "não se pode dizer"),
    "undecided_claim": ("undecided", "em aberto"),
    "leans": ("leans towards", "tende a"),
    "alone": ("only", "só"),
    "nothing": ("no valid run", "nenhuma execução válida"),
    "unknown": ("not known", "não se sabe"),
    "sure": ("How sure is this?", "Quanta certeza há?"),
    "download": ("Download", "Baixar"),
    "show_invalid": ("Show the runs that don't count", "Mostrar as execuções que não contam"),
    "show_repeats": ("Show each repeat", "Mostrar cada repetição"),
    "no_script": (
        "The charts need JavaScript. The folder charts next to this page has them as SVG files.",
        "Os gráficos precisam de JavaScript. Estão como SVG na pasta charts, ao lado desta página.",
    ),
    "no_data": ("There is no data for this chart.", "Não há dados para gráficos."),
    "chart_mean_ms": ("Mean response time", "Tempo médio de resposta"),
    "chart_cv": ("How steady: coefficient of variation", "Estabilidade: coeficiente de variação"),
    "chart_server_cpu_us_per_request": ("What it costs in CPU time", "Quanto custa de CPU"),
    "chart_switches": ("Context switches and variability", "Trocas de contexto e variabilidade"),
    "chart_percentiles": ("All {operations}: the percentile curve", "Todas as {operations}: a curva de percentis"),
    "chart_timeline": ("One run, second by second", "Uma execução, segundo a segundo"),
    "chart_load_curves": ("Response time against the offered rate", "Tempo de resposta e taxa oferecida"),
    "load_curves_note": (
        "Open arrivals: requests are sent at Poisson times, whether or not earlier ones were answered, and times count "
        "from when a request was due. Vertical lines: 95\u00a0% intervals over repeats. Large open symbols: the knee, "
        "where the rate over the mean response time is largest. Dashed: the limit of the 99th percentile; marked "
        "on it, the rate at which each system passes it, with its interval.",
        "Chegadas abertas: as requisições são enviadas em instantes de Poisson, respondidas ou não as anteriores, e os "
        "tempos contam a partir do instante previsto. Linhas verticais: intervalos de 95\u00a0% sobre as repetições. "
        "Símbolos grandes e vazados: o joelho, onde a taxa dividida pelo tempo médio é máxima. Tracejado: o limite do "
        "percentil 99; marcada sobre ele, a taxa em que cada sistema o ultrapassa, com seu intervalo.",
    ),
    "choose_curve": ("Curve", "Curva"),
    "axis_curve_rate": ("offered rate, requests a second", "taxa oferecida, requisições por segundo"),
    "axis_curve_p99": ("99th percentile, ms", "percentil 99, ms"),
    "axis_curve_mean": ("mean response time, ms", "tempo médio de resposta, ms"),
    "axis_curve_cpu": ("server CPU, % of a core", "CPU do servidor, % de um núcleo"),
    "tip_runs": ("runs", "execuções"),
    "chart_sizes": ("Size and response time", "Tamanho e tempo de resposta"),
    "chart_wire": ("Where the response time is spent", "Onde se gasta o tempo de resposta"),
    "chart_variance": ("Where the variability comes from", "De onde vem a variabilidade"),
    "chart_indicators": ("Which indicator goes with the variability", "Qual indicador acompanha a variabilidade"),
    "axis_mean_ms": ("mean response time, ms", "tempo médio de resposta, ms"),
    "axis_cv": ("standard deviation / mean", "desvio padrão / média"),
    "axis_server_cpu_us_per_request": ("CPU time per {operation}, µs", "tempo de CPU por {operation}, µs"),
    "axis_switches": ("context switches per second (nmon pswitch)", "trocas de contexto por segundo (pswitch do nmon)"),
    "axis_percentile": ("share of {operations} answered within", "parte das {operations} respondidas em até"),
    "axis_elapsed": ("response time, ms", "tempo de resposta, ms"),
    "axis_second": ("seconds since the first measured request", "segundos desde a primeira requisição medida"),
    "axis_size": ("bytes sent", "bytes enviados"),
    "axis_mean_share": ("share of the mean response time, %", "parte do tempo de resposta médio, %"),
    "axis_share": ("share of the variance, %", "parte da variância, %"),
    "axis_pearson": (
        "Pearson's r with the CV across {nouns} (line: 95\u00a0% interval)",
        "r de Pearson com o CV entre {nouns} (linha: intervalo de 95\u00a0%)",
    ),
    "percentiles_note": (
        "Bold: all valid repeats together; faint: each repeat. The axis stretches the tail: each step to the right "
        "shows requests ten times rarer. Every measured request counts.",
        "Forte: todas as repetições válidas juntas; tênue: cada repetição. O eixo estica a cauda: cada passo à direita "
        "olha para requisições dez vezes mais raras. Toda requisição medida conta.",
    ),
    "sizes_note": (
        "Darker means more requests; the valid repeats of a cell together. Both axes are logarithmic.",
        "Mais forte significa mais requisições; as repetições válidas de uma célula juntas. Ambos os eixos são "
        "logarítmicos.",
    ),
    "wire_note": (
        "From packets captured at the server, joined to the load generator's requests: from the first byte of a "
        "request to its last, and from there to the last byte of the answer. The load generator's part is the rest of "
        "the response time without opening the connection; it includes the network and, with JMeter, its rounding to "
        "whole milliseconds.",
        "De pacotes capturados no servidor, unidos às requisições do gerador de carga: do primeiro byte de uma "
        "requisição ao último, e daí ao último byte da resposta. A parte do gerador é o que resta do tempo de resposta "
        "sem a abertura da conexão; contém o caminho entre as máquinas e, com o JMeter, seus milissegundos inteiros.",
    ),
    "variance_note": (
        "Shares of the variance of response times, one bar per cell: what differs between repeats, what the size "
        "explains, what drifts between the seconds of a run, and the rest within a second.",
        "Partes da variância de um tempo de resposta, uma barra por célula: o que difere entre repetições, o que o "
        "tamanho explica, o que varia entre os segundos de uma execução, e o resto dentro de um segundo.",
    ),
    "indicators_note": (
        "Across the {nouns} of one system, as in the paper. A correlation shows what varies together, not what causes "
        "what.",
        "Entre {nouns} de um sistema, como fez o artigo. A correlação mostra o que anda junto, não o que causa.",
    ),
    "choose_scenario": ("{Noun}", "{Noun}"),
    "choose_run": ("Run", "Execução"),
    "choose_moment": ("Moment, s", "Momento, s"),
    "choose_moment_hint": (
        "Move the slider to read the figures of a second.",
        "Mova o controle para ler os valores de um segundo.",
    ),
    "part_between_repeats_pct": ("Between repeats", "Entre repetições"),
    "part_size_pct": ("Size", "Tamanho"),
    "part_drift_pct": ("Drift within a run", "Variação ao longo da execução"),
    "part_within_pct": ("Within a second", "Dentro de um segundo"),
    "part_client_mean_ms": ("Load generator", "Gerador de carga"),
    "part_connect_mean_ms": ("Opening the connection", "Abertura da conexão"),
    "part_wire_receive_ms": ("Server: receiving the request", "Servidor: recebendo a requisição"),
    "part_wire_answer_ms": ("Server: until it has answered", "Servidor: até ter respondido"),
    "panel_latency": (
        "response time, ms (lines: median and 99th percentile)",
        "tempo de resposta, ms (linhas: mediana e percentil 99)",
    ),
    "panel_requests": ("requests per second", "requisições por segundo"),
    "panel_cpu": (
        "CPU of the server's cores, % (dashed: of the load generator's)",
        "CPU dos núcleos do servidor, % (tracejado: do gerador de carga)",
    ),
    "panel_wait": ("I/O wait, % (dashed: steal)", "espera de E/S, % (tracejado: steal)"),
    "panel_switches": ("context switches per second", "trocas de contexto por segundo"),
    "panel_queue": (
        "run-queue wait of the server's threads, ms per second",
        "espera dos threads do servidor por um núcleo, ms por segundo",
    ),
    "panel_runtime": (
        "garbage collection, ms per second (dashed: delay of the event loop, ms)",
        "coleta de lixo, ms por segundo (tracejado: atraso do laço de eventos, ms)",
    ),
    "panel_trouble": (
        "retransmitted segments (dashed: listen-queue overflows)",
        "segmentos retransmitidos (tracejado: transbordos da fila de conexões)",
    ),
    "tip_run": ("run", "execução"),
    "tip_system": ("system", "sistema"),
    "tip_scenario": ("scenario", "cenário"),
    "tip_interval_lo": ("95\u00a0% interval from", "intervalo de 95\u00a0% de"),
    "tip_interval_hi": ("to", "a"),
    "tip_n": ("valid runs", "execuções válidas"),
    "tip_requests": ("requests", "requisições"),
    "tip_second": ("second", "segundo"),
    "tip_quantile": ("share of requests", "parte das requisições"),
    "claim": ("Claim", "Afirmação"),
    "verdict": ("Here", "Aqui"),
    "paper_verdict": ("On the paper's own figures", "Nos números do próprio artigo"),
    "rounds_verdict": ("On the authors' own rounds", "Nas rodadas dos próprios autores"),
    "figure": ("Figure (95\u00a0% interval)", "Valor (intervalo de 95\u00a0%)"),
    "holds": ("holds", "se sustenta"),
    "fails": ("fails", "falha"),
    "no_claims": ("This campaign's study declares no claims.", "O estudo desta campanha não declara afirmações."),
    "tables_note": (
        "Ours is the mean over the valid runs; below it, the paper's number, and ours as a multiple of that. Empty: "
        "not measured here, or not printed there.",
        "O nosso é a média das execuções válidas; "
        "abaixo, o que o artigo imprimiu, e o nosso como múltiplo dele. Vazio: não medido aqui, ou não impresso lá.",
    ),
    "no_tables": (
        "The analysis wrote no tables for this campaign.",
        "A análise não escreveu tabelas para esta campanha.",
    ),
    "shares": ("What a share of the core changes", "O que uma parte do núcleo muda"),
    "shares_caption": (
        "Each server with less of its core, compared with itself at the largest share",
        "Cada servidor com menos de seu núcleo, comparado a si mesmo com a maior parte",
    ),
    "cells": ("Every cell in numbers", "Todas as células em números"),
    "cells_caption": (
        "Means over the valid runs with 95\u00a0% intervals, and beside them the load generator's share",
        "Médias das execuções válidas com intervalos de 95\u00a0%, e ao lado a parte do gerador de carga",
    ),
    "clock_caption": (
        "JMeter's clock counts whole milliseconds, which alone adds 1/6\u00a0ms² to every variance",
        "O relógio do JMeter conta milissegundos inteiros, o que sozinho soma 1/6\u00a0ms² a toda variância",
    ),
    "generator_caption": (
        "The load generator alone is the same load sent to a server that does nothing. Users send as fast as they are "
        "answered, so it runs at its own limit and takes longer than with a slower server: an upper bound on the load "
        "generator's share",
        "O gerador de carga sozinho é a mesma carga enviada a um servidor que não faz nada: os usuários enviam tão "
        "logo são respondidos, então ele trabalha no seu próprio limite e demora mais do que com um servidor mais "
        "lento. É um limite superior da parte do gerador de carga",
    ),
    "export": (
        "To cite: export/method.en.txt and export/results.en.tex (LaTeX), beside this page. To compute with: "
        "analysis/runs.csv and timeline.csv, also as Parquet.",
        "Para citar, ao lado desta página: export/method.pt.txt, export/results.pt.tex (LaTeX). Para calcular: "
        "analysis/runs.csv e timeline.csv, os mesmos em Parquet.",
    ),
    "problems": ("Runs that don't count", "Execuções que não contam"),
    "problems_caption": ("Each run that was left out, with its reason", "Cada execução deixada de fora, com o motivo"),
    "no_problems": (
        "Every planned run was made and is valid.",
        "Toda execução planejada está presente, completa e válida.",
    ),
    "events": ("What else happened", "O que mais aconteceu"),
    "events_caption": (
        "Runs with events that show in the tail; they do not make a run invalid",
        "Execuções com algo que aparece na cauda; isso não invalida a execução",
    ),
    "event": ("event", "ocorrência"),
    "event_unsettled": ("the response times never settled", "os tempos de resposta nunca estabilizaram"),
    "missing_run": ("Planned, but not completed.", "Planejada, mas sem execução completa."),
    "gates": ("Gates", "Critérios"),
    "gates_caption": (
        "What was required of each run, and the results",
        "O que se exigiu de cada execução, e o que resultou",
    ),
    "gate": ("Gate", "Critério"),
    "limit": ("Limit", "Limite"),
    "passed": ("Passed", "Passaram"),
    "extremes": ("Lowest to highest figure", "Do menor ao maior valor"),
    "not_passed": ("Not passed by", "Não passaram"),
    "none": ("none", "nenhuma"),
    "machine": ("Machine", "Máquina"),
    "versions": ("Versions", "Versões"),
    "settings": ("Settings", "Configurações"),
    "inputs": ("Inputs", "Entradas"),
    "rig": ("Rig", "Montagem"),
    "command": ("Command", "Comando"),
    "raw": ("All runs", "Todas as execuções"),
    "raw_caption": (
        "Every run with every figure of analysis/runs.csv",
        "Toda execução com todos os valores de analysis/runs.csv",
    ),
    "raw_on_paper": (
        "Too wide to print: the table is on the page and in analysis/runs.csv.",
        "Larga demais para o papel: a tabela está na página e em analysis/runs.csv.",
    ),
    "all_systems": ("all systems", "todos os sistemas"),
    "all_scenarios": ("all {nouns}", "todos os {nouns}"),
    "only_valid": ("only runs that count", "só as execuções que contam"),
    "runs_shown": ("runs shown", "execuções mostradas"),
    "system": ("System", "Sistema"),
    "run": ("Run", "Execução"),
    "reason": ("Reason", "Motivo"),
    "yes": ("yes", "sim"),
    "no": ("no", "não"),
    "load_by": ("load generator:", "gerador de carga:"),
    "generated": (
        "Computed by Upload Lab from the campaign's raw files. This page loads nothing from a network.",
        "Calculado pelo Upload Lab a partir dos arquivos brutos da campanha. Esta página não carrega nada da rede.",
    ),
    "valid_of": ("valid runs", "execuções válidas"),
    "wait_share": ("Load generator's wait, % of mean", "espera do gerador de carga, % da média"),
    "paper": ("paper", "artigo"),
    "invalid": ("invalid", "inválida"),
    "failed": ("failed", "com falha"),
    "damaged": ("damaged", "danificada"),
    "no_reason_failed": ("The run failed; no reason was recorded.", "A execução falhou; nenhum motivo foi registrado."),
    "no_reason_invalid": (
        "The run is marked invalid; no reason was recorded.",
        "A execução está marcada como inválida; nenhum motivo foi registrado.",
    ),
    "terminal_scenario": ("scenario", "cenário"),
    "terminal_system": ("system", "sistema"),
    "terminal_runs": ("runs", "execuções"),
    "terminal_mean_ms": ("mean ms", "média ms"),
    "terminal_p99_ms": ("p99 ms", "p99 ms"),
    "terminal_cv": ("CV", "CV"),
    "terminal_throughput_rps": ("req/s", "req/s"),
    "terminal_cpu_pct": ("CPU %", "CPU %"),
    "terminal_server_cpu_us_per_request": ("CPU µs", "CPU µs"),
    "terminal_error_pct": ("err %", "erros %"),
    "terminal_better_mean_ms": ("faster", "mais rápido"),
    "terminal_better_cv": ("steadier", "mais estável"),
    "terminal_better_server_cpu_us_per_request": ("cheaper", "menos CPU"),
}

COLUMNS: Mapping[str, Text] = {
    "cell": ("cell", "célula"),
    "generator": ("load generator", "gerador de carga"),
    "scenario": ("scenario", "cenário"),
    "system": ("system", "sistema"),
    "stack": ("stack", "pilha"),
    "threads": ("threads", "threads"),
    "repeat": ("repeat", "repetição"),
    "block": ("block", "bloco"),
    "order": ("order", "ordem"),
    "status": ("status", "estado"),
    "valid": ("valid", "válida"),
    "reason": ("reason", "motivo"),
    "requests": ("requests", "requisições"),
    "errors": ("errors", "erros"),
    "error_pct": ("errors, %", "erros, %"),
    "mean_ms": ("mean, ms", "média, ms"),
    "sd_ms": ("SD, ms", "desvio padrão, ms"),
    "mad_ms": ("mean deviation, ms", "desvio médio, ms"),
    "cv": ("CV", "CV"),
    "min_ms": ("min, ms", "mín., ms"),
    "p50_ms": ("p50, ms", "p50, ms"),
    "p90_ms": ("p90, ms", "p90, ms"),
    "p95_ms": ("p95, ms", "p95, ms"),
    "p99_ms": ("p99, ms", "p99, ms"),
    "p999_ms": ("p99.9, ms", "p99,9, ms"),
    "p9999_ms": ("p99.99, ms", "p99,99, ms"),
    "max_ms": ("max, ms", "máx., ms"),
    "ttfb_ms": ("first byte, ms", "primeiro byte, ms"),
    "connect_ms": ("connect, ms", "conexão, ms"),
    "throughput_rps": ("requests/s", "requisições/s"),
    "cpu_pct": ("CPU, %", "CPU, %"),
    "cpu_sd": ("SD of CPU, %", "desvio da CPU, %"),
    "wait_pct": ("I/O wait, %", "espera de E/S, %"),
    "steal_pct": ("steal, %", "steal, %"),
    "pswitch_per_s": ("switches/s", "trocas de contexto/s"),
    "switches_per_s": ("switches/s", "trocas de contexto/s"),
    "server_switches_per_s": ("server's switches/s", "trocas de contexto do servidor/s"),
    "server_wait_ms_per_s": ("server's queue wait, ms/s", "espera do servidor por núcleo, ms/s"),
    "nmon_snapshots": ("nmon snapshots", "instantâneos do nmon"),
    "server_cpu_pct": ("server CPU, % of a core", "CPU do servidor, % de um núcleo"),
    "server_cpu_us_per_request": ("server CPU per {operation}, µs", "CPU do servidor por {operation}, µs"),
    "server_cpu_of_thirds": (
        "server CPU per {operation}, dearest third / cheapest",
        "CPU do servidor por {operation}, terço mais caro / mais barato",
    ),
    "server_switches_per_request": (
        "server switches per {operation}",
        "trocas de contexto do servidor por {operation}",
    ),
    "server_voluntary_per_request": (
        "voluntary switches per {operation}",
        "trocas de contexto voluntárias por {operation}",
    ),
    "server_involuntary_per_request": (
        "involuntary switches per {operation}",
        "trocas de contexto involuntárias por {operation}",
    ),
    "server_wait_ms_per_request": (
        "server's queue wait per {operation}, ms",
        "espera do servidor por núcleo, por {operation}, ms",
    ),
    "injector_cpu_pct": ("load generator's CPU, %", "CPU do gerador de carga, %"),
    "injector_wait_ms_per_request": (
        "load generator's queue wait per {operation}, ms",
        "espera do gerador de carga por núcleo, por {operation}, ms",
    ),
    "listen_overflows": ("listen overflows", "transbordos da fila"),
    "retransmits": ("retransmits", "retransmissões"),
    "psi_cpu_pct": ("CPU pressure, %", "pressão de CPU, %"),
    "psi_io_pct": ("I/O pressure, %", "pressão de E/S, %"),
    "dirty_mb_max": ("dirty pages, MB", "páginas sujas, MB"),
    "dirty_mb": ("dirty pages, MB", "páginas sujas, MB"),
    "core_work_ms": ("fixed work on the server's core, ms", "trabalho fixo no núcleo do servidor, ms"),
    "generator_mean_ms": ("load generator alone, mean, ms", "gerador de carga sozinho, média, ms"),
    "generator_cv": ("load generator alone, CV", "gerador de carga sozinho, CV"),
    "wire_requests": ("requests found on the wire", "requisições achadas na rede"),
    "wire_joined_pct": ("found on the wire, %", "achadas na rede, %"),
    "wire_mean_ms": ("at the server, mean, ms", "no servidor, média, ms"),
    "wire_sd_ms": ("at the server, SD, ms", "no servidor, desvio padrão, ms"),
    "wire_cv": ("at the server, CV", "no servidor, CV"),
    "wire_p99_ms": ("at the server, p99, ms", "no servidor, p99, ms"),
    "wire_receive_ms": ("receiving, ms", "recebendo, ms"),
    "wire_answer_ms": ("until answered, ms", "até responder, ms"),
    "client_mean_ms": ("in the load generator, ms", "no gerador de carga, ms"),
    "connect_mean_ms": ("opening the connection, ms", "abrindo a conexão, ms"),
    "wire_variance_pct": ("server's share of the variance, %", "parte do servidor na variância, %"),
    "client_variance_pct": ("load generator's share of the variance, %", "parte do gerador de carga na variância, %"),
    "connect_variance_pct": ("connection's share of the variance, %", "parte da conexão na variância, %"),
    "retransmitted_requests": ("requests with retransmitted packets", "requisições com pacotes retransmitidos"),
    "retransmitted_variance_pct": ("their share of the variance, %", "sua parte da variância, %"),
    "gc_pauses": ("garbage collections", "coletas de lixo"),
    "gc_pct": ("garbage collection, % of the time", "coleta de lixo, % do tempo"),
    "gc_ms": ("garbage collection, ms/s", "coleta de lixo, ms/s"),
    "safepoint_pct": ("safepoints, % of the time", "safepoints, % do tempo"),
    "safepoint_ms": ("safepoints, ms/s", "safepoints, ms/s"),
    "loop_delay_mean_ms": ("event-loop delay, ms", "atraso do laço de eventos, ms"),
    "loop_delay_max_ms": ("event-loop delay, largest, ms", "atraso do laço de eventos, o maior, ms"),
    "clock_mean_error_us": ("clock's error of the mean, µs", "erro da média pelo relógio, µs"),
    "clock_variance_pct": ("clock's share of the variance, %", "parte do relógio na variância, %"),
    "sd_without_clock_ms": ("SD without the clock, ms", "desvio padrão sem o relógio, ms"),
    "cv_without_clock": ("CV without the clock", "CV sem o relógio"),
    "steady_from_s": ("steady from, s", "estável a partir de, s"),
    "steady_to_s": ("steady to, s", "estável até, s"),
    "steady_requests": ("steady requests", "requisições no trecho estável"),
    "steady_mean_ms": ("steady mean, ms", "média estável, ms"),
    "steady_cv": ("steady CV", "CV estável"),
    "steady_cv_without_clock": ("steady CV without the clock", "CV estável sem o relógio"),
    "steady_p99_ms": ("steady p99, ms", "p99 estável, ms"),
    "steady_late_over_early": (
        "steady requests, last third / first",
        "requisições no trecho estável, último terço / primeiro",
    ),
    "first_requests": ("first requests", "primeiras requisições"),
    "first_mean_ms": ("mean of the first requests, ms", "média das primeiras requisições, ms"),
    "first_max_ms": ("longest first request, ms", "primeira requisição mais longa, ms"),
    "first_variance_pct": (
        "first requests' share of the variance, %",
        "parte das primeiras requisições na variância, %",
    ),
    "later_mean_ms": ("mean after the first requests, ms", "média depois das primeiras requisições, ms"),
    "later_cv": ("CV after the first requests", "CV depois das primeiras requisições"),
    "later_p99_ms": ("p99 after the first requests, ms", "p99 depois das primeiras requisições, ms"),
    "settled": ("settled", "estabilizada"),
    "cut_requests": ("requests cut before it settled", "requisições cortadas antes de estabilizar"),
    "whole_mean_ms": ("mean with what was cut, ms", "média com o que foi cortado, ms"),
    "whole_cv": ("CV with what was cut", "CV com o que foi cortado"),
    "whole_p99_ms": ("p99 with what was cut, ms", "p99 com o que foi cortado, ms"),
    "scheduled_mean_ms": ("mean from the schedule, ms", "média desde a hora marcada, ms"),
    "scheduled_p50_ms": ("p50 from the schedule, ms", "p50 desde a hora marcada, ms"),
    "scheduled_p90_ms": ("p90 from the schedule, ms", "p90 desde a hora marcada, ms"),
    "scheduled_p99_ms": ("p99 from the schedule, ms", "p99 desde a hora marcada, ms"),
    "scheduled_p999_ms": ("p99.9 from the schedule, ms", "p99,9 desde a hora marcada, ms"),
    "scheduled_max_ms": ("max from the schedule, ms", "máximo desde a hora marcada, ms"),
    "late_mean_ms": ("lateness, mean, ms", "atraso no envio, média, ms"),
    "late_p99_ms": ("lateness, p99, ms", "atraso no envio, p99, ms"),
    "sent_bytes": ("bytes sent", "bytes enviados"),
    "mean_sent_bytes": ("mean bytes sent", "média enviada, bytes"),
    "mean_bytes": ("mean size, bytes", "tamanho médio, bytes"),
    "sd_bytes": ("SD of size, bytes", "desvio do tamanho, bytes"),
    "pareto_k": ("Pareto k", "k de Pareto"),
    "load_gb": ("load, GB", "carga, GB"),
    "max_error_pct": ("errors, %, worst repeat", "erros, %, pior repetição"),
    "series": ("system", "sistema"),
    "ours": ("Pearson's r, ours", "r de Pearson, nosso"),
    "lo": ("95\u00a0% from", "95\u00a0% de"),
    "hi": ("to", "a"),
    "printed": ("printed in the paper", "impresso no artigo"),
    "recomputed": ("recomputed from its tables", "recalculado de suas tabelas"),
    "ratio": ("ours / paper", "nosso / artigo"),
    "loops": ("loops", "repetições do teste"),
    "scale": ("scale", "escala"),
}
