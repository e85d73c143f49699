"""O catálogo em português, a língua do artigo."""

from analysis.words.language import Language
from analysis.words.numbers import Figures

PHRASES = {
    "and": " e ",
    "to": " a ",
    "who_by": "Quem é melhor, por {over}",
    # onde
    "scenario_with_size": "{scenario} ({size} em média)",
    "in": "em {where}",
    "nouns": "cenários",
    "noun": "cenário",
    "operations": "requisições",
    "operation": "requisição",
    "side_higher": "maior",
    "side_lower": "menor",
    "in_all_scenarios": "em todos os {count} cenários",
    "in_all_scenarios_again": "em todos os {count}",
    "in_both_scenarios": "em ambos os cenários",
    "in_both_scenarios_again": "em ambos",
    # a manchete
    "headline_nothing": "Esta campanha não tem execução válida e não permite dizer qual sistema é melhor.",
    "headline_undecided": "Esta campanha não permite dizer qual sistema é o melhor.",
    "headline_beaten": "{best} superam {beaten} {share}; esta campanha não permite dizer qual daqueles é melhor.",
    "headline_alone": "{systems} foi medido sozinho: não há com que comparar.",
    "better_mean_ms": "responde mais rápido",
    "better_p99_ms": "tem a cauda mais curta",
    "better_cv": "é mais estável",
    "better_server_cpu_us_per_request": "gasta menos CPU",
    "equal_mean_ms": "{systems} respondem com igual rapidez",
    "equal_cv": "{systems} são igualmente estáveis",
    "equal_server_cpu_us_per_request": "{systems} gastam a mesma CPU",
    "untold_mean_ms": "não se pode dizer qual responde mais rápido",
    "untold_cv": "não se pode dizer qual é mais estável",
    "untold_server_cpu_us_per_request": "não se pode dizer qual gasta menos CPU",
    "some_scenarios": "em {wins} de {count} cenários",
    "some_scenarios_again": "em {wins} de {count}",
    "system_in": "{system} em {count}",
    # a resposta
    "measure_mean_ms": "tempo médio de resposta",
    "measure_cv": "coeficiente de variação",
    "measure_p99_ms": "percentil 99 do tempo de resposta",
    "measure_server_cpu_us_per_request": "tempo de CPU do servidor por {operation}",
    "measure_cpu_pct": "uso de CPU",
    "measure_pswitch_per_s": "número de trocas de contexto por segundo",
    "measure_error_pct": "percentual de erros",
    "measure_throughput_rps": "throughput",
    "measure_sd_ms": "desvio padrão",
    "unit_mean_ms": "\u00a0ms",
    "unit_p99_ms": "\u00a0ms",
    "unit_cv": "",
    "unit_server_cpu_us_per_request": "\u00a0µs",
    "better_metric": "tem {measure} {side}",
    "equal_metric": "{systems} têm {measure} igual",
    "untold_metric": "quem tem {measure} {side} não se pode dizer",
    "who_lower": "menor é melhor",
    "who_higher": "maior é melhor",
    "not_known": "O {measure} não é conhecido: nenhuma execução válida o tem.",
    "better": "{better}: seu {measure} é {less}.",
    "files": " ({size} em média)",
    "less": "{less} {side} que o de {than} (sem intervalo)",
    "less_interval": "{less} {side} que o de {than} (intervalo de 95\u00a0%: {interval})",
    "less_intervals": "{less} {side} que o de {than} (intervalos de 95\u00a0% dentro de {interval})",
    "the_next": "seu rival mais próximo",
    "equal_there": "{where}, {systems} têm o mesmo {measure} dentro de {margin}\u00a0%{ahead}.",
    "ahead": ", {side} que o de {systems}",
    "alone_there": "{where}, só um sistema tem execuções válidas.",
    "nothing_there": "{where}, nenhuma execução válida traz esse valor.",
    "extent": "O {measure} de {system} {extent}.",
    "extent_again": "O de {system} {extent}.",
    "extent_one": "é {value} ({at})",
    "extent_many": "fica entre {low} ({low_at}) e {high} ({high_at})",
    "open": "Ainda em aberto: {parts}.",
    "open_part": "{measure} {where}",
    "open_within": "{measure} {where} (diferem no máximo {percent}\u00a0%)",
    "below_capacity": (
        "Com esta carga os servidores usaram {percent}\u00a0% de seus núcleos: é assim que se comparam quando têm "
        "folga, o que pode ser diferente no limite."
    ),
    "equal_cell": "iguais dentro de {margin}\u00a0%",
    "apart_cell": "diferem no máximo {percent}\u00a0%",
    "check_rests": "A resposta se baseia em: {rests}; {with_} a verifica em {scenarios}",
    "check_load": ", com o núcleo do servidor {percent}\u00a0% ocupado",
    "check_agrees": "; os dois decidem {count} e concordam.",
    "check_nothing": "; nenhuma comparação é decidida pelos dois.",
    "check_contradicts": (
        "A verificação contradiz a resposta: em {where} ela encontra que {second} tem o {side} {measure}, e não "
        "{first}."
    ),
    "check_not_equal": (
        "A verificação contradiz a resposta: em {where} ela encontra que {second} tem o {side} {measure}, por "
        "{second_by}; a resposta diz que são iguais dentro de {margin}\u00a0%."
    ),
    "check_equal": (
        "A verificação contradiz a resposta: em {where} ela encontra o mesmo {measure} dentro de {margin}\u00a0%; a "
        "resposta diz que o de {first} é {side}, por {first_by}."
    ),
    "check_reason": "O motivo pode ser outra carga, ou o tempo e o modo de escrever do próprio gerador de carga.",
    "check_reason_load": (
        "O núcleo do servidor esteve {there}\u00a0% ocupado ali, {here}\u00a0% onde se achou a resposta."
    ),
    "check_reason_own": (
        "A espera do próprio gerador de carga por um núcleo foi {there}\u00a0% do tempo médio de resposta ali, "
        "{here}\u00a0% onde se achou a resposta."
    ),
    "would_tell": "Bastaria cerca de {repeats} de cada um para decidir.",
    "clock": (
        "Abaixo de uma média de 10\u00a0ms o relógio do JMeter, de milissegundos inteiros, é parte da variabilidade "
        "({percent}\u00a0% da variância); sem ele: {cells}."
    ),
    "clock_one": "{system} ({scenario}) {without} em vez de {cv}",
    "clock_many": "veja os valores de {cells} nas tabelas",
    "without_clock": "sem o relógio {cv}",
    # quanta certeza
    "doubt_one_repeat": (
        "Cada célula tem no máximo uma execução válida: não há intervalo, e nenhuma diferença fica decidida."
    ),
    "doubt_rounds": (
        "Cada célula tem uma execução válida, cujas {rounds} rodadas valem como repetições, como no artigo. As rodadas "
        "de uma execução compartilham o estado a que seus processos chegaram: os intervalos dizem como as rodadas "
        "variam, não como um novo início diferiria."
    ),
    "doubt_few_repeats": (
        "Os intervalos se apoiam em {repeats} repetições válidas por célula. São honestos, mas largos: com tão poucas "
        "só se decidem diferenças grandes."
    ),
    "doubt_invalid": "sem passar por algum critério: {runs}",
    "doubt_failed": "com falha: {runs}",
    "doubt_missing": "ainda ausentes: {runs}",
    "doubt_left_out": "{runs}. Nenhuma delas conta, e cada uma é nomeada abaixo com o motivo.",
    "with_cores": " com {cores}",
    "doubt_same_host": (
        "Servidor e gerador de carga compartilharam a máquina{cores}, sem rede entre eles: memória, caches, disco e "
        "kernel são comuns; os valores absolutos só valem para esta máquina, as razões se transferem melhor."
    ),
    "doubt_limit": (
        "O servidor foi limitado a {percent}\u00a0% de seus núcleos: seus tempos, taxas e usos de CPU são os de um "
        "servidor mais lento, e suas razões não são as de um núcleo inteiro; compare pelo tempo de CPU por "
        "{operation}."
    ),
    # antes de qualquer valor
    "caution_limit": (
        "O servidor foi limitado a {percent}\u00a0% de seus núcleos. Isso muda mais do que a velocidade: com o núcleo "
        "inteiro, a estabilidade e a cauda de cada servidor podem ser outras, e a ordem entre eles também."
    ),
    "order_turns": (
        "A ordem se inverte com a parte do núcleo: {clauses} (intervalos de 95\u00a0%, {repeats} repetições)."
    ),
    "order_turned": (
        "{where} quem tem o {side} {measure} com {share}\u00a0% do núcleo é {second}, por {second_by}, mas com "
        "{against}\u00a0% é {first}, por {first_by}"
    ),
    "order_turns_often": (
        "Entre {against}\u00a0% do núcleo e {shares}\u00a0% a ordem se inverte em {count}: o melhor sistema é outro. "
        "analysis/share_orders.csv as enumera."
    ),
    "order_same": (
        "Onde {shares}\u00a0% do núcleo e {against}\u00a0% decidem ambos, em {count}, a ordem não se inverte."
    ),
    "order_same_else": "Em {count} ambas encontram a mesma ordem.",
    "order_open": "Em {count} uma das duas partes não encontra ordem.",
    "order_open_everywhere": (
        "Não se sabe se a ordem se inverte entre {shares}\u00a0% do núcleo e {against}\u00a0%: nenhuma comparação "
        "encontra uma ordem com as duas partes."
    ),
    "groups_one": (
        "As execuções de {system}, {scenario}, são de dois tipos: {measure} {low} em {n_low}, {high} em {n_high}. A "
        "média dos dois, com seu intervalo, esconde isso."
    ),
    "groups_with": "Nas mais lentas, {what}: {high}\u00a0% do tempo, contra {low}\u00a0%.",
    "groups_gc_pct": "a coleta de lixo demorou mais",
    "groups_wait_pct": "os núcleos esperaram mais pelo disco",
    "groups_steal_pct": "o hospedeiro desta máquina virtual tomou mais dos núcleos",
    "groups_many": (
        "Em {cells} as execuções são de dois tipos, o que a média e seu intervalo escondem; analysis/groups.csv as "
        "lista."
    ),
    "groups_mean_ms": "tempo médio de resposta (ms)",
    "groups_p99_ms": "percentil 99 (ms)",
    "groups_cv": "coeficiente de variação",
    "first_requests": (
        "{where}, {percent}\u00a0% da variância de {system} é da primeira requisição de cada usuário, enviada em uma "
        "conexão nova; a mais longa de uma execução levou {longest}\u00a0ms. Nas demais requisições o coeficiente de "
        "variação é {later}, não {cv}."
    ),
    "cost_varies": (
        "{where}, o tempo de CPU por {operation} de {system} foi {times} vezes maior em um terço da parte medida do "
        "que em outro; o valor mostrado é a média. Isso acontece enquanto o código ainda é compilado, ou quando o "
        "hospedeiro às vezes é mais lento. Um aquecimento mais longo, ou com as pausas da carga medida, mostra qual "
        "dos dois."
    ),
    # curvas de carga
    "curve_holds": "Em até {limit}\u00a0ms, 99 de 100 requisições são respondidas por {systems}.",
    "curve_to": "{system} até {rate}{interval} requisições por segundo",
    "curve_all": "{system} em todas as taxas medidas, até {rate} requisições por segundo",
    "curve_none": "{system} em nenhuma taxa medida, a partir de {rate} requisições por segundo",
    "curve_some": "{system} só em algumas repetições, já na menor taxa medida, {rate} requisições por segundo",
    "curve_longer": "{system} respeita esse limite até uma taxa maior.",
    "curve_untold": "Não se pode dizer qual respeita esse limite até uma taxa maior.",
    "curve_knees": "Acima de {knees}, os tempos de resposta crescem mais do que a taxa.",
    "curve_knee_of": "{rate} por segundo para {system} (média {mean}\u00a0ms)",
    "curve_no_knee": (
        "A {rate} por segundo, a maior taxa medida, os tempos de resposta de {systems} ainda crescem menos do que a "
        "taxa."
    ),
    "curve_named": "{curve}: {said}",
    "doubt_emulated": "Os processadores das máquinas foram emulados: nenhuma execução aqui é um resultado.",
    "doubt_saturated": (
        "A carga manteve os núcleos dos servidores {percent}\u00a0% ocupados: os tempos de resposta mostram como se "
        "divide um núcleo cheio. Com uma taxa menor de requisições a ordem pode ser outra; meça com a taxa que espera."
    ),
    "doubt_virtual": "A máquina é virtual ({kind}): outras podem ter usado seus núcleos ao mesmo tempo.",
    "doubt_steal": "O hipervisor tomou até {percent}\u00a0% dos núcleos do servidor em uma execução (steal).",
    "doubt_idle_cores": (
        "Os núcleos ociosos dormiram entre as requisições. Em uma máquina virtual, o servidor paga para acordar o "
        "núcleo do gerador de carga: mais caro quando as respostas saem uma a uma."
    ),
    "doubt_core_speed": (
        "O núcleo do servidor não esteve igualmente rápido antes de todas as execuções: o mesmo trabalho lhe custou "
        "{work_ms}\u00a0ms de CPU, {ratio} vezes o menor valor quando mais lento. Só por isso as execuções podem "
        "diferir em tempo de resposta e em CPU por requisição."
    ),
    "generator_busy": "; ele manteve seus núcleos {percent}\u00a0% ocupados",
    "doubt_generator": (
        "Do tempo médio de resposta, {percent}\u00a0% foi espera do próprio gerador de carga por um núcleo{cpu}."
    ),
    "doubt_generator_unknown": (
        "Quanto do tempo de resposta foi do próprio gerador de carga não se sabe: ele não foi amostrado."
    ),
    "doubt_errors": "Até {percent}\u00a0% das requisições de uma execução falharam; seus tempos estão incluídos.",
    "doubt_memory": "Parte do que foi gravado ficou em memória (tmpfs).",
    "doubt_smoke": "O perfil smoke só mostra que tudo funciona; é curto demais para comparar servidores.",
    "counted": "{valid} de {runs} válidas, {requests} medidas",
    # para citar
    "method_compared": (
        "{systems} foram comparados{day} com {lab} (perfil {profile}, semente {seed}) em {scenarios}, "
        "{repeats} por célula, em ordem aleatória, cada uma com {fresh}{load}."
    ),
    "method_measured": (
        "{systems} foi medido{day} com {lab} (perfil {profile}, semente {seed}) em {scenarios}, "
        "{repeats} por célula, em ordem aleatória, cada uma com {fresh}{load}."
    ),
    "method_day": " em {day}",
    "method_one_host": "Servidor e gerador de carga rodaram em uma só máquina ({host}){cores}.",
    "method_two_hosts": (
        "Servidor e gerador de carga rodaram cada um em sua máquina (o laboratório rodou em: {host}){cores}."
    ),
    "method_cores": ", o servidor no núcleo {server}, o gerador de carga no núcleo {injector}",
    "method_idle_cores": "Os núcleos ociosos ficaram em espera ativa em vez de dormir.",
    "method_virtual": "máquina virtual: {kind}",
    "unknown_hypervisor": "hipervisor desconhecido",
    "method_stored": "Gravação em: {disks}.",
    "limit_one": (
        "O servidor foi limitado a {percent}\u00a0% de seu núcleo, o que pode mudar sua estabilidade e a ordem "
        "dos servidores."
    ),
    "limit_many": (
        "O servidor foi limitado a {percent}\u00a0% de seus núcleos, o que pode mudar sua estabilidade e a ordem "
        "dos servidores."
    ),
    "limit_shares": (
        "O servidor teve {percents}\u00a0% de seus núcleos, cada parte em células próprias; menos que o todo pode "
        "mudar sua estabilidade e a ordem dos servidores."
    ),
    "limited_some": (
        "Nas células de {percents}\u00a0% o servidor foi limitado a essa parte de seus núcleos: um uso de CPU perto "
        "dela quer dizer que ele não tinha mais, não que não precisava de mais."
    ),
    "limited_shares": (
        "Tempos de resposta, requisições por segundo e usos de CPU são os de um servidor limitado a {percent}\u00a0% "
        "de seus núcleos: um uso deles perto de {percent}\u00a0% quer dizer que ele não tinha mais, não que não "
        "precisava de mais."
    ),
    "method_elapsed": (
        "O tempo de resposta é o tempo decorrido no gerador de carga (o do JMeter, em milissegundos inteiros) de toda "
        "requisição depois do aquecimento, também das que falharam."
    ),
    "event_overflows": "fila de conexões cheia: {count} vezes (o cliente tenta de novo após 1, 3 ou 7 s)",
    "event_retransmits": "segmentos TCP retransmitidos: {count}",
    "method_open": (
        "O envio seguiu instantes de Poisson, com ou sem resposta ao anterior, os mesmos para todos os sistemas; a "
        "taxa de um cenário é a maior em que nenhum sistema usou mais que 80\u00a0% da sua CPU em execuções curtas "
        "anteriores."
    ),
    "method_held": "Igual em todas as execuções: {levels}.",
    "method_settled": "É medida a parte de cada execução em que os tempos de resposta estavam estáveis.",
    "method_once": ("Medidos uma vez, só para o que se afirma do conjunto dos níveis, e não comparados: {scenarios}."),
    "method_within_blocks": (
        "Os sistemas são comparados pela razão de seus valores dentro de blocos, em que cada um roda uma vez, ao lado "
        "dos outros; os que diferem menos de {margin}\u00a0% são ditos iguais."
    ),
    "method_of_means": (
        "Os sistemas são comparados pela razão de suas médias sobre as execuções; os que diferem menos de "
        "{margin}\u00a0% são ditos iguais."
    ),
    "method_unpaired": (
        "Onde há blocos incompletos, em {count}, comparam-se as médias de execuções sem relação entre si."
    ),
    "method_looks": (
        "Cada cenário recebeu blocos até que suas comparações estivessem decididas, por {minutes} min no máximo ao "
        "todo; os intervalos são intervalos de confiança repetidos, que valem para todas as verificações em conjunto."
    ),
    "method_requests": "Cada execução válida mediu {requests} requisições.",
    "table_to_cite": (
        "Médias das n repetições válidas de uma célula; abaixo delas, intervalos de 95\u00a0% entre repetições."
    ),
    "table_to_cite_clock": (
        "Em itálico: o CV sem o que o relógio do JMeter, de milissegundos inteiros, lhe acrescenta."
    ),
    "method_rounds": (
        "Cada célula tem uma execução válida, feita em rodadas: seus valores são médias das rodadas, e os intervalos "
        "(95\u00a0%) são entre rodadas. Os percentis usam todas as requisições."
    ),
    "method_intervals": (
        "Os valores de uma célula são médias de suas repetições válidas; os intervalos (95\u00a0%) são entre "
        "repetições, porque as requisições de uma execução não são independentes. "
        "Os percentis usam todas as requisições."
    ),
    # sob os gráficos
    "nothing_to_draw": "Não há execução válida com {measure} para desenhar.",
    "above_one": "Acima de 1 o desvio padrão é maior que a média.",
    "furthest": "A maior distância está {where}, onde o de {more} é {ratio} vezes o de {less}.",
    "apart": "{where}, o de {more} é {ratio} vezes o de {less}.",
    "note_symbols": "Símbolos grandes: média das execuções válidas; pequenos: cada execução",
    "note_intervals": "; linhas: intervalo de 95\u00a0% entre repetições, cortado na moldura",
    "note_crosses": "; cruzes: execuções que não contam",
    "note_clock": (
        "; símbolos vazados: sem o relógio de milissegundos do gerador de carga, onde a média é menor que 10\u00a0ms"
    ),
    "note_log": ". Eixo logarítmico",
    "note_n_none": "Nenhuma execução conta.",
    "note_n": "n\u00a0=\u00a0{runs} por célula, de {requests} cada.",
    "level_means": "{system} responde em {means}.",
    "level_mean": "{mean} ({scenario})",
    "level_mean_interval": "{mean} ({scenario}; intervalo de 95\u00a0%: {interval})",
    "note_levels": "; tracejado: o mesmo sistema com o outro nível",
    "note_levels_n": "n\u00a0=\u00a0{runs} por célula.",
    "axis_beside": "{first}; símbolos vazados: {second}",
    "figure_value": "{system} {value}",
    "figure_values": "{measure}: {values}.",
    "axis_ratio": "razão de {measure}",
    "figure_ratio": "Razão entre {system} e {than}: {times}.",
    "note_ratio": "Símbolos: razão das médias das execuções válidas",
    "figure_times": "Razão entre {first} e {second}: {times}.",
    "note_beside": "; símbolos vazados: {measure}",
    "note_printed": "; cruzes: impresso no artigo",
    "note_rounds_n": "n\u00a0=\u00a0{rounds} de uma execução por célula.",
    "note_rounds": "Um ponto é uma {level} de uma execução",
    "note_published": "; cruzes: publicado pelos autores do artigo",
    "rounds": "{name}: média {mean}, DP {sd}, de {low} a {high} (n\u00a0=\u00a0{n} rodadas).",
    "note_picture": "O artigo imprime esta figura só como imagem, sem números.",
    "role_cores": "{role} no núcleo {cores}",
    "or": " ou ",
    "cores_of_roles": "Núcleos: {roles}.",
    "best_in": "melhor em {wins} de {count}",
    "equal_in": "igual ao melhor em {count}",
    "beaten_by": "perde para {systems}",
    "doubt_parts_same_host": (
        "Todas as partes compartilharam a máquina{cores}: memória, caches e kernel são comuns; os valores absolutos "
        "só valem para esta máquina, as razões se transferem melhor."
    ),
    "method_parts_one_host": "Todas as partes rodaram em uma só máquina ({host}).",
    "method_operation": (
        "O tempo de {operation} vai de {begin} em {first} a {end} em {last}, em nanossegundos, de cada "
        "{operation} depois do aquecimento."
    ),
    "method_load": "; carga por {generators}",
    "method_fresh": "um processo novo do servidor",
    "method_fresh_parts": "processos novos",
    "correlation_none": "Para {series}, {scenarios} não mostram correlação.",
    "correlation_interval": (
        "para {series} o r de Pearson é {pearson} (intervalo de 95\u00a0%: {interval}, n\u00a0=\u00a0{n})"
    ),
    "correlations_few": "{nouns} de menos para um intervalo: o r de Pearson é {parts}",
    "correlation_of": "{pearson} para {series} (n\u00a0=\u00a0{n})",
    "correlation_spearman": ", o de Spearman {spearman}",
    "correlation_left_out": "; deixar um cenário de fora leva r a ficar entre {low} e {high}",
    "correlation_unknown": "Se mais trocas de contexto acompanham um CV maior não foi calculado para esta campanha.",
    "note_switches": (
        "Cada ponto é uma célula, com o nome de {noun}: médias das execuções válidas, n\u00a0=\u00a0{cells}. As "
        "trocas de contexto são da máquina inteira, inclusive as do gerador de carga onde ambos a dividem."
    ),
    "half": "metade",
    "of_hundred": "99 de 100",
    "of_thousand": "999 de 1.000",
    "within": "{share} em até {time}\u00a0ms",
    "answered": "{system} respondeu {times} (n\u00a0=\u00a0{requests} de {runs})",
    "no_valid_run": "{system} não tem execução válida",
    "note_timeline": (
        "Todos os painéis têm o mesmo relógio; 0 é a primeira requisição medida, o que vem antes é aquecimento. "
        "Sombreado: quantas requisições terminaram naquele momento com aquele tempo de resposta; mais forte é mais."
    ),
    "note_joined": "Cada ponto vale por {seconds}.",
    "run": "{system}, {scenario}, repetição {repeat}",
    "at_rate": " a {rate} requisições por segundo",
    "mean_between": "; o tempo médio de resposta de um segundo ficou entre {low} e {high}\u00a0ms",
    "cpu_busy": "; os núcleos do servidor estiveram {percent}\u00a0% ocupados",
    "switching": ", com {rate} trocas de contexto por segundo",
    "trouble": "Houve {what}.",
    "no_trouble": "Nenhum segmento foi retransmitido e nenhuma fila de conexões transbordou.",
    "size_share": "{percent}\u00a0% para {system} (n\u00a0=\u00a0{requests})",
    "size_share_unknown": "uma parte desconhecida para {system} (n\u00a0=\u00a0{requests})",
    "size_explains": "{scenario}: da variância dos tempos de resposta, o tamanho explica {parts}.",
    "of_generator": (
        "Com {system}, {mean}\u00a0% do tempo de resposta médio e {variance}\u00a0% de sua variância são do gerador de "
        "carga."
    ),
    "of_generator_mean": "Com {system}, {mean}\u00a0% do tempo de resposta médio são do gerador de carga.",
    "largest_part": "com {system}, a maior parcela é “{part}” ({percent}\u00a0%)",
    "indicator_cells_cv": (
        "Entre {nouns} o CV de {system} acompanha melhor “{indicator}” (r\u00a0=\u00a0{r}{interval}, "
        "n\u00a0=\u00a0{n}): {sure}."
    ),
    "indicator_seconds_cv": (
        "Dentro das execuções, segundo a segundo, o CV de {system} acompanha melhor “{indicator}” "
        "(r\u00a0=\u00a0{r}{interval}, {runs}): {sure}."
    ),
    "indicator_seconds_mean_ms": (
        "Dentro das execuções, segundo a segundo, o tempo médio de resposta de {system} acompanha melhor “{indicator}” "
        "(r\u00a0=\u00a0{r}{interval}, {runs}): {sure}."
    ),
    "indicator_interval": ", intervalo de 95\u00a0% {interval}",
    "indicator_sure": "confiável, porque fica em primeiro em {share}\u00a0% das reamostragens, e sem qualquer um deles",
    "indicator_unsure": "não confiável, porque {reasons}",
    "unsure_interval": "o intervalo contém 0",
    "unsure_no_interval": "são poucos para um intervalo",
    "unsure_share": "fica em primeiro só em {share}\u00a0% das reamostragens",
    "unsure_left_out": "sem um deles r fica entre {low} e {high}",
    "claims_counted": "De {claims}, {parts} com os dados desta campanha.",
    # duas campanhas
    "compare_title": "{after} em comparação com {before}",
    "compare_worse": "**Pior em mais de {percent} %** em {figures}. Ao todo: {counted}.",
    "compare_not_worse": "Nada piorou mais de {percent} %. Ao todo: {counted}.",
    "compare_limit": (
        "**Não é o mesmo servidor:** teve {first} de seus núcleos em {before}, {second} em {after}; só por isso "
        "tempos, taxas e usos de CPU diferem."
    ),
    "compare_all_cores": "a totalidade",
    "compare_heads": "| célula | valor | antes | depois | razão | 95 % | repetições | |",
    "compare_without_clock": "{cv} sem o relógio",
    "compare_all_figures": "Todos os valores",
    "compare_differences": "O que diferiu entre as campanhas",
    "compare_only": "Só em {name}: {cells}.",
    "compare_cells_lost": "**Nenhuma execução válida** de {cells}.",
    "compare_verdict_without a valid run": "sem execução válida",
    "compare_verdict_worse": "pior",
    "compare_verdict_slightly worse": "um pouco pior",
    "compare_verdict_unchanged": "sem mudança",
    "compare_verdict_slightly better": "um pouco melhor",
    "compare_verdict_better": "melhor",
    "compare_verdict_can't tell": "indeciso",
    "compare_none_valid": "{measure}: nenhuma execução é mais válida.",
    "compare_no_run": "{measure}: em uma das campanhas nenhuma execução válida tem este valor.",
    "compare_figures": "{measure} {before} -> {after}{unit}",
    "compare_clocks": " (sem o relógio de ms inteiros {before} -> {after})",
    "compare_no_ratio": "{figures}; um valor 0 não tem razão.",
    "compare_one_repeat": "{figures}, razão {ratio}; uma só repetição não tem intervalo.",
    "compare_change": (
        "{figures}, razão {ratio}, intervalo de 95 %: {lo} a {hi}, {before} e {after} repetições: {verdict}{more}."
    ),
    "compare_more": "; cerca de {repeats} repetições a mais decidiriam",
    # nas tabelas do artigo
    "selected": "selecionada, {system}",
    "sum_of": "soma de {count}",
    "table_deviation_mean": "desvio / média",
    "table_differences": "as diferenças",
    # afirmações: por que uma vale, falha ou fica em aberto; um estudo diz o que são seus níveis em [words.claims]
    "claim_sum_over_sum": "quociente da soma do {metric} pela soma do {over}",
    "claim_of": "o {metric} de {system}",
    "claim_on": "{system} em {level}",
    "claim_level": "nível {listed}",
    "claim_levels": "níveis {listed}",
    "claim_in_level": "no nível {listed}",
    "claim_in_levels": "nos níveis {listed}",
    "claim_one_level": "1 nível",
    "claim_several_levels": "{n} níveis",
    "claim_one_repeat": "1 repetição",
    "claim_several_repeats": "{n} repetições",
    "claim_level_missing": " O nível {listed} não foi medido.",
    "claim_levels_missing": " Os níveis {listed} não foram medidos.",
    "claim_level_rare": " O nível {listed}, com menos de três blocos de ambos os sistemas, não entra na soma.",
    "claim_levels_rare": " Os níveis {listed}, com menos de três blocos de ambos os sistemas, não entram na soma.",
    "claim_number_missing": " Sem medição: {count}.",
    "claim_values": "{a} contra {b}",
    "claim_interval": ", intervalo de 95 %: {lo} a {hi}",
    "claim_no_interval": ", sem intervalo",
    "claim_percent_interval": "; intervalo de 95 %: {lo} % a {hi} %",
    "claim_no_percent_interval": "; sem intervalo",
    # lower_or_higher, goes_with
    "claim_against": "o {metric} de {system} contra o de {than}",
    "claim_goes_with": "menor {metric} com menor {other}",
    "claim_contrary": "; o contrário {where}",
    "claim_nothing_decided": "; o intervalo nada decide {where}",
    "claim_not_measured": "; sem medição: {listed}",
    "claim_none_measured": "Nenhum dos níveis foi medido com ambos os sistemas: {listed}.",
    # lower_overall
    "claim_no_sums": "As somas não são maiores que 0 e não têm razão.",
    "claim_sum_lower": "{subject} é {percent} % menor em {count} ({pair}{interval})",
    "claim_sum_higher": "{subject} é {percent} % maior em {count} ({pair}{interval})",
    "claim_sum_claimed": "; afirma-se: {percent} % menor",
    # lower_elsewhere
    "claim_no_pair": "{level}: sem medição com {lacking}.",
    "claim_elsewhere": "{level}: {first} {a} {unit}, {second} {b} {unit} (razão {ratio}{interval}{same}).",
    # rank_trend
    "claim_trend_few": "{subject}: uma tendência precisa de ao menos 4 níveis; medidos: {n}.",
    "claim_trend_none": "{subject} não muda com o nível: {value} em todos os {n} níveis.",
    "claim_rank_trend": (
        "{subject} vai de {a} (nível {first}) a {b} (nível {last}); correlação de postos com o nível "
        "{rho}{interval}, {count}."
    ),
    "claim_trend_stays": " Em todos os níveis é igual ao primeiro dentro de {margin} %: não sobe nem desce.",
    # correlation
    "claim_correlation_few": "Uma correlação com intervalo precisa de ao menos 4 níveis que difiram; medidos: {n}.",
    "claim_correlation": "r = {r}{interval} em {count}; sem o {without} é {loo}; Spearman {spearman}.",
    "claim_correlation_excluded": " Um r tão alto quanto o afirmado, {r}, está excluído.",
    "claim_rests_on": " Apoia-se no {without}.",
    # throughput_decays
    "claim_only_a_picture": "O artigo mostra isto como figura, não como números.",
    "claim_too_short": "Nenhuma execução válida de {system} {where} é longa o bastante.",
    "claim_decay": (
        "{system} {where}: o último terço de uma execução tem {ratio} vezes as requisições por segundo do "
        "primeiro{interval}, {count}."
    ),
    "claim_one_repeat_no_interval": " Uma só repetição não tem intervalo.",
    # os testes que as afirmações de qualquer estudo podem nomear
    "claim_lower": "{metric} de {system} menor que de {than}",
    "claim_best": "{system} com o melhor resultado em {metric}",
    "claim_order": "{systems} nesta ordem em {metric}",
    "claim_equal": "{systems} a menos de {margin} % entre si em {metric}",
    "claim_flat": "{metric} de {systems}, diferença de até {margin} % entre quaisquer dois níveis de {along}",
    "claim_rises": "{metric} de {systems} sobe ao longo de {along}",
    "claim_falls": "{metric} de {systems} cai ao longo de {along}",
    "claim_gap": "razão de {metric} entre {system} e {than} cai ao longo de {along}",
    "claim_excess": "{metric} de {system} além de {over} pelo mesmo número",
    "claim_within": "{metric} de {system} entre {lo} e {hi}",
    "claim_steady": "{metric} de {system} com coeficiente de variação de no máximo {most} % entre as repetições",
    "claim_never": (
        "{metric} de {system}: acima de 0 em {broken} de {runs} execuções, contando as inválidas (intervalo de 95 % "
        "desta proporção: {lo} a {hi} %)"
    ),
    "claim_static": "{fact}, do próprio código dos sistemas",
    "claim_fact": "{system} {known}, afirma-se: {expected}",
    "claim_pair": "{where}{a} contra {b}, razão {ratio}",
    "claim_same": ": iguais dentro de {margin} %",
    "claim_from_to": "razão {a}, depois {b}",
    "claim_absent": "{system} sem medição",
    "claim_tally": "{subject}: como se afirma em {agree} de {count}",
    "claim_figures": " ({figures})",
    "claim_open": "; os intervalos deixam {count} em aberto",
    "claim_no_numbers": "O artigo não tem números disto, só uma figura.",
    "claim_no_rounds": "As rodadas dos autores não dizem nada disto.",
    "claim_no_runs": "Esta campanha não tem execuções válidas do que se afirma.",
    # o que vale para qualquer teste
    "claim_no_published": "O estudo não tem números publicados.",
    "claim_clock": (
        " Com médias abaixo de 10 ms o relógio do JMeter, de milissegundos inteiros, é parte destes coeficientes de "
        "variação; sem ele: {figures}."
    ),
    "claim_clock_figure": "{system} {where} {without} em vez de {cv}",
    "claim_limited": (
        "O servidor foi limitado a {percent} % de seus núcleos, e um uso de CPU mostra esse limite e não quanto um "
        "servidor precisa: esta campanha não o pode dizer. O que se viu: {why}"
    ),
    # comparisons.csv: dois sistemas em um cenário
    "pair_no_run": "Não se pode dizer: nenhuma execução válida de {systems} tem este valor.",
    "pair_zero": "Não se pode dizer: {measure} igual a 0 não tem razão.",
    "pair_no_block": "Não se pode dizer: nenhum bloco tem uma execução válida de ambos.",
    "pair_figures": "{measure} {a} contra {b}",
    "pair_few_blocks": (
        "Não se pode dizer: {figures}, mas um intervalo precisa de {least} blocos com uma execução válida de cada "
        "um, e há {blocks}."
    ),
    "pair_one_repeat": (
        "Não se pode dizer: {figures}, mas uma só repetição não tem intervalo; é preciso ao menos mais uma de cada um."
    ),
    "pair_certainty": "razão {ratio}, intervalo de 95 %: {lo} a {hi}, {extent}",
    "pair_blocks": "{n} blocos, com uma verificação após cada um",
    "pair_within_blocks": "{n} repetições de cada um, comparadas dentro dos blocos",
    "pair_repeats_each": "{n} repetições de cada um",
    "pair_rounds_each": "{n} rodadas de cada um",
    "pair_repeats": "{a} e {b} repetições",
    "pair_rounds": "{a} e {b} rodadas",
    "pair_equal": "{a} e {b} são iguais dentro de {margin} %: {figures} ({certainty}).",
    "pair_differ": "{a} {differs} {b}: {figures} ({certainty}).",
    "pair_is_faster": "é mais rápido que",
    "pair_is_slower": "é mais lento que",
    "pair_is_steadier": "é mais estável que",
    "pair_is_less steady": "é menos estável que",
    "pair_is_cheaper": "gasta menos CPU que",
    "pair_is_dearer": "gasta mais CPU que",
    "pair_is_lower": "tem {measure} menor que",
    "pair_is_higher": "tem {measure} maior que",
    "pair_open": "Não se pode dizer: {figures} ({certainty}). Diferem no máximo {percent} %.{few}{more}",
    "pair_at_share": "{system} com {percent} %",
    "pair_few": " Com tão poucas repetições, pouco se pode decidir.",
    "pair_hopeless": " Nem {most} repetições de cada um decidiriam, se a razão ficar onde está.",
    "pair_one_more": " Cerca de 1 repetição a mais de cada um decidiria, se a razão ficar onde está.",
    "pair_more": " Cerca de {n} repetições a mais de cada um decidiriam, se a razão ficar onde está.",
    "pair_clock": " Uma média é menor que 10 ms: sem o relógio do JMeter, de milissegundos inteiros, {a} contra {b}.",
    # o terminal, depois de uma campanha
    "terminal_who": "Quem é melhor: razão do melhor ao outro, intervalo de 95 % entre repetições",
    "terminal_more_repeats": "{verdict} (mais {n} repetições)",
    "terminal_one_more": "{verdict} (mais 1 repetição)",
    "terminal_parentheses": "Os valores entre parênteses são de execuções inválidas: para ver, não para concluir.",
    "terminal_clock": "~ Média menor que 10 ms; o CV sem o relógio do JMeter, de milissegundos inteiros: {figures}.",
    "terminal_not_complete": "Incompleto: {problem}",
    "terminal_more_problems": "E mais {count}: a coluna reason de analysis/runs.csv tem cada um.",
    "terminal_missing": ("{missing} de {planned} execuções planejadas não foram feitas; {command} as faz."),
    "terminal_left_out": "Fora da conta: {run}{others}: {reason}",
    "terminal_one_other": " e mais 1 célula dessa execução",
    "terminal_others": " e mais {count} células dessa execução",
    "terminal_order_turns": (
        "{scenario}, {metric}: a ordem se inverte com a parte do núcleo: com {share} % o melhor é {better}, com "
        "{against} % {better_against}."
    ),
    "terminal_groups": (
        "{cell}: as execuções são de dois tipos, o que a média e seu intervalo escondem: {metric} {low} em {n_low}, "
        "{high} em {n_high}.{with_}"
    ),
}

NOUNS = {
    "run": ("execução", "execuções"),
    "planned_run": ("execução planejada", "execuções planejadas"),
    "request": ("requisição", "requisições"),
    "scenario": ("cenário", "cenários"),
    "comparison": ("comparação", "comparações"),
    "cell": ("célula", "células"),
    "core": ("núcleo", "núcleos"),
    "claim": ("afirmação", "afirmações"),
    "figure": ("valor", "valores"),
    "claims_holds": ("se sustenta", "se sustentam"),
    "claims_fails": ("falha", "falham"),
    "claims_undecided": ("fica em aberto", "ficam em aberto"),
    "second": ("segundo", "segundos"),
    "second_of_load": ("segundo de carga", "segundos de carga"),
    "valid_run": ("execução válida", "execuções válidas"),
    "round": ("rodada", "rodadas"),
    "repeat": ("repetição", "repetições"),
    "more_repeat": ("repetição a mais", "repetições a mais"),
    "retransmit": ("segmento retransmitido", "segmentos retransmitidos"),
    "listen_overflow": ("transbordo da fila de conexões", "transbordos da fila de conexões"),
    "failed_request": ("requisição com falha", "requisições com falha"),
}

LABELS = {
    "language": "Língua",
    "skip": "Ir para a resposta",
    "contents": "Conteúdo",
    "answer": "A resposta",
    "pictures": "Os gráficos",
    "claims": "As afirmações",
    "tables": "As tabelas do artigo",
    "methods": "Como foi medido",
    "profile": "perfil",
    "who_note": (
        "Cada campo nomeia o melhor sistema e quanto seu valor difere do seguinte (− menor, + maior), com o intervalo "
        "de 95\u00a0% entre repetições. “Não se pode dizer” significa que o intervalo admite as duas ordens."
    ),
    "who_bars": "A marca fica do lado do melhor em relação à linha do meio; todas as barras têm a mesma escala.",
    "who_best": (
        "O sistema nomeado é melhor que todos os outros, e seu valor é em relação ao segundo melhor ou, onde não se "
        "distingue de outros, ao primeiro destes."
    ),
    "scenario": "{Noun}",
    "size": "Tamanho médio",
    "who_mean_ms": "Mais rápido",
    "who_mean_ms_sub": "tempo médio de resposta",
    "who_p99_ms": "Cauda mais curta",
    "who_p99_ms_sub": "percentil 99",
    "who_cv": "Mais estável",
    "who_cv_sub": "coeficiente de variação",
    "who_server_cpu_us_per_request": "Menos CPU",
    "who_server_cpu_us_per_request_sub": "tempo de CPU do servidor por {operation}",
    "best": "melhor",
    "equal_best": "igual ao melhor",
    "not_beaten": "não se distingue do melhor",
    "equal": "iguais",
    "rank": "Quem é melhor, e quem perde para quem",
    "pairs": "Todos os pares",
    "pair": "Par",
    "cells_caption_parts": "Médias das execuções válidas com intervalos de 95\u00a0%",
    "rank_note": "Contam-se os cenários em que o intervalo de 95\u00a0% sobre repetições decide.",
    "undecided": "não se pode dizer",
    "undecided_claim": "em aberto",
    "leans": "tende a",
    "alone": "só",
    "nothing": "nenhuma execução válida",
    "unknown": "não se sabe",
    "sure": "Quanta certeza há?",
    "download": "Baixar",
    "show_invalid": "Mostrar as execuções que não contam",
    "show_repeats": "Mostrar cada repetição",
    "no_script": "Os gráficos precisam de JavaScript. Estão como SVG na pasta charts, ao lado desta página.",
    "no_data": "Não há dados para gráficos.",
    "chart_mean_ms": "Tempo médio de resposta",
    "chart_cv": "Estabilidade: coeficiente de variação",
    "chart_server_cpu_us_per_request": "Quanto custa de CPU",
    "chart_switches": "Trocas de contexto e variabilidade",
    "chart_percentiles": "Todas as {operations}: a curva de percentis",
    "chart_timeline": "Uma execução, segundo a segundo",
    "chart_load_curves": "Tempo de resposta e taxa oferecida",
    "load_curves_note": (
        "Chegadas abertas: as requisições são enviadas em instantes de Poisson, respondidas ou não as anteriores, e os "
        "tempos contam a partir do instante previsto. Linhas verticais: intervalos de 95\u00a0% sobre as repetições. "
        "Símbolos grandes e vazados: o joelho, onde a taxa dividida pelo tempo médio é máxima. Tracejado: o limite do "
        "percentil 99; marcada sobre ele, a taxa em que cada sistema o ultrapassa, com seu intervalo."
    ),
    "choose_curve": "Curva",
    "axis_curve_rate": "taxa oferecida, requisições por segundo",
    "axis_curve_p99": "percentil 99, ms",
    "axis_curve_mean": "tempo médio de resposta, ms",
    "axis_curve_cpu": "CPU do servidor, % de um núcleo",
    "tip_runs": "execuções",
    "chart_sizes": "Tamanho e tempo de resposta",
    "chart_wire": "Onde se gasta o tempo de resposta",
    "chart_variance": "De onde vem a variabilidade",
    "chart_indicators": "Qual indicador acompanha a variabilidade",
    "axis_mean_ms": "tempo médio de resposta, ms",
    "axis_cv": "desvio padrão / média",
    "axis_server_cpu_us_per_request": "tempo de CPU por {operation}, µs",
    "axis_switches": "trocas de contexto por segundo (pswitch do nmon)",
    "axis_percentile": "parte das {operations} respondidas em até",
    "axis_elapsed": "tempo de resposta, ms",
    "axis_second": "segundos desde a primeira requisição medida",
    "axis_size": "bytes enviados",
    "axis_mean_share": "parte do tempo de resposta médio, %",
    "axis_share": "parte da variância, %",
    "axis_pearson": "r de Pearson com o CV entre {nouns} (linha: intervalo de 95\u00a0%)",
    "percentiles_note": (
        "Forte: todas as repetições válidas juntas; tênue: cada repetição. O eixo estica a cauda: cada passo à direita "
        "olha para requisições dez vezes mais raras. Toda requisição medida conta."
    ),
    "sizes_note": (
        "Mais forte significa mais requisições; as repetições válidas de uma célula juntas. Ambos os eixos são "
        "logarítmicos."
    ),
    "wire_note": (
        "De pacotes capturados no servidor, unidos às requisições do gerador de carga: do primeiro byte de uma "
        "requisição ao último, e daí ao último byte da resposta. A parte do gerador é o que resta do tempo de resposta "
        "sem a abertura da conexão; contém o caminho entre as máquinas e, com o JMeter, seus milissegundos inteiros."
    ),
    "variance_note": (
        "Partes da variância de um tempo de resposta, uma barra por célula: o que difere entre repetições, o que o "
        "tamanho explica, o que varia entre os segundos de uma execução, e o resto dentro de um segundo."
    ),
    "indicators_note": (
        "Entre {nouns} de um sistema, como fez o artigo. A correlação mostra o que anda junto, não o que causa."
    ),
    "choose_scenario": "{Noun}",
    "choose_run": "Execução",
    "choose_moment": "Momento, s",
    "choose_moment_hint": "Mova o controle para ler os valores de um segundo.",
    "part_between_repeats_pct": "Entre repetições",
    "part_size_pct": "Tamanho",
    "part_drift_pct": "Variação ao longo da execução",
    "part_within_pct": "Dentro de um segundo",
    "part_client_mean_ms": "Gerador de carga",
    "part_connect_mean_ms": "Abertura da conexão",
    "part_wire_receive_ms": "Servidor: recebendo a requisição",
    "part_wire_answer_ms": "Servidor: até ter respondido",
    "panel_latency": "tempo de resposta, ms (linhas: mediana e percentil 99)",
    "panel_requests": "requisições por segundo",
    "panel_cpu": "CPU dos núcleos do servidor, % (tracejado: do gerador de carga)",
    "panel_wait": "espera de E/S, % (tracejado: steal)",
    "panel_switches": "trocas de contexto por segundo",
    "panel_queue": "espera dos threads do servidor por um núcleo, ms por segundo",
    "panel_runtime": "coleta de lixo, ms por segundo (tracejado: atraso do laço de eventos, ms)",
    "panel_trouble": "segmentos retransmitidos (tracejado: transbordos da fila de conexões)",
    "tip_run": "execução",
    "tip_system": "sistema",
    "tip_scenario": "cenário",
    "tip_interval_lo": "intervalo de 95\u00a0% de",
    "tip_interval_hi": "a",
    "tip_n": "execuções válidas",
    "tip_requests": "requisições",
    "tip_second": "segundo",
    "tip_quantile": "parte das requisições",
    "claim": "Afirmação",
    "verdict": "Aqui",
    "paper_verdict": "Nos números do próprio artigo",
    "rounds_verdict": "Nas rodadas dos próprios autores",
    "figure": "Valor (intervalo de 95\u00a0%)",
    "holds": "se sustenta",
    "fails": "falha",
    "no_claims": "O estudo desta campanha não declara afirmações.",
    "tables_note": (
        "O nosso é a média das execuções válidas; "
        "abaixo, o que o artigo imprimiu, e o nosso como múltiplo dele. Vazio: não medido aqui, ou não impresso lá."
    ),
    "no_tables": "A análise não escreveu tabelas para esta campanha.",
    "shares": "O que uma parte do núcleo muda",
    "shares_caption": "Cada servidor com menos de seu núcleo, comparado a si mesmo com a maior parte",
    "cells": "Todas as células em números",
    "cells_caption": "Médias das execuções válidas com intervalos de 95\u00a0%, e ao lado a parte do gerador de carga",
    "clock_caption": (
        "O relógio do JMeter conta milissegundos inteiros, o que sozinho soma 1/6\u00a0ms² a toda variância"
    ),
    "generator_caption": (
        "O gerador de carga sozinho é a mesma carga enviada a um servidor que não faz nada: os usuários enviam tão "
        "logo são respondidos, então ele trabalha no seu próprio limite e demora mais do que com um servidor mais "
        "lento. É um limite superior da parte do gerador de carga"
    ),
    "export": (
        "Para citar, ao lado desta página: export/method.pt.txt, export/results.pt.tex (LaTeX). Para calcular: "
        "analysis/runs.csv e timeline.csv, os mesmos em Parquet."
    ),
    "problems": "Execuções que não contam",
    "problems_caption": "Cada execução deixada de fora, com o motivo",
    "no_problems": "Toda execução planejada está presente, completa e válida.",
    "events": "O que mais aconteceu",
    "events_caption": "Execuções com algo que aparece na cauda; isso não invalida a execução",
    "event": "ocorrência",
    "event_unsettled": "os tempos de resposta nunca estabilizaram",
    "missing_run": "Planejada, mas sem execução completa.",
    "gates": "Critérios",
    "gates_caption": "O que se exigiu de cada execução, e o que resultou",
    "gate": "Critério",
    "limit": "Limite",
    "passed": "Passaram",
    "extremes": "Do menor ao maior valor",
    "not_passed": "Não passaram",
    "none": "nenhuma",
    "machine": "Máquina",
    "versions": "Versões",
    "settings": "Configurações",
    "inputs": "Entradas",
    "rig": "Montagem",
    "command": "Comando",
    "raw": "Todas as execuções",
    "raw_caption": "Toda execução com todos os valores de analysis/runs.csv",
    "raw_on_paper": "Larga demais para o papel: a tabela está na página e em analysis/runs.csv.",
    "all_systems": "todos os sistemas",
    "all_scenarios": "todos os {nouns}",
    "only_valid": "só as execuções que contam",
    "runs_shown": "execuções mostradas",
    "system": "Sistema",
    "run": "Execução",
    "reason": "Motivo",
    "yes": "sim",
    "no": "não",
    "load_by": "gerador de carga:",
    "generated": (
        "Calculado pelo Upload Lab a partir dos arquivos brutos da campanha. Esta página não carrega nada da rede."
    ),
    "valid_of": "execuções válidas",
    "wait_share": "espera do gerador de carga, % da média",
    "paper": "artigo",
    "invalid": "inválida",
    "failed": "com falha",
    "damaged": "danificada",
    "no_reason_failed": "A execução falhou; nenhum motivo foi registrado.",
    "no_reason_invalid": "A execução está marcada como inválida; nenhum motivo foi registrado.",
    "terminal_scenario": "cenário",
    "terminal_system": "sistema",
    "terminal_runs": "execuções",
    "terminal_mean_ms": "média ms",
    "terminal_p99_ms": "p99 ms",
    "terminal_cv": "CV",
    "terminal_throughput_rps": "req/s",
    "terminal_cpu_pct": "CPU %",
    "terminal_server_cpu_us_per_request": "CPU µs",
    "terminal_error_pct": "erros %",
    "terminal_better_mean_ms": "mais rápido",
    "terminal_better_cv": "mais estável",
    "terminal_better_server_cpu_us_per_request": "menos CPU",
}

COLUMNS = {
    "cell": "célula",
    "generator": "gerador de carga",
    "scenario": "cenário",
    "system": "sistema",
    "stack": "pilha",
    "threads": "threads",
    "loops": "repetições do teste",
    "repeat": "repetição",
    "block": "bloco",
    "order": "ordem",
    "status": "estado",
    "valid": "válida",
    "reason": "motivo",
    "requests": "requisições",
    "errors": "erros",
    "error_pct": "erros, %",
    "mean_ms": "média, ms",
    "sd_ms": "desvio padrão, ms",
    "mad_ms": "desvio médio, ms",
    "cv": "CV",
    "min_ms": "mín., ms",
    "p50_ms": "p50, ms",
    "p90_ms": "p90, ms",
    "p95_ms": "p95, ms",
    "p99_ms": "p99, ms",
    "p999_ms": "p99,9, ms",
    "p9999_ms": "p99,99, ms",
    "max_ms": "máx., ms",
    "ttfb_ms": "primeiro byte, ms",
    "connect_ms": "conexão, ms",
    "throughput_rps": "requisições/s",
    "cpu_pct": "CPU, %",
    "cpu_sd": "desvio da CPU, %",
    "wait_pct": "espera de E/S, %",
    "steal_pct": "steal, %",
    "pswitch_per_s": "trocas de contexto/s",
    "switches_per_s": "trocas de contexto/s",
    "server_switches_per_s": "trocas de contexto do servidor/s",
    "server_wait_ms_per_s": "espera do servidor por núcleo, ms/s",
    "nmon_snapshots": "instantâneos do nmon",
    "server_cpu_pct": "CPU do servidor, % de um núcleo",
    "server_cpu_us_per_request": "CPU do servidor por {operation}, µs",
    "server_cpu_of_thirds": "CPU do servidor por {operation}, terço mais caro / mais barato",
    "server_switches_per_request": "trocas de contexto do servidor por {operation}",
    "server_voluntary_per_request": "trocas de contexto voluntárias por {operation}",
    "server_involuntary_per_request": "trocas de contexto involuntárias por {operation}",
    "server_wait_ms_per_request": "espera do servidor por núcleo, por {operation}, ms",
    "injector_cpu_pct": "CPU do gerador de carga, %",
    "injector_wait_ms_per_request": "espera do gerador de carga por núcleo, por {operation}, ms",
    "listen_overflows": "transbordos da fila",
    "retransmits": "retransmissões",
    "psi_cpu_pct": "pressão de CPU, %",
    "psi_io_pct": "pressão de E/S, %",
    "dirty_mb_max": "páginas sujas, MB",
    "dirty_mb": "páginas sujas, MB",
    "core_work_ms": "trabalho fixo no núcleo do servidor, ms",
    "generator_mean_ms": "gerador de carga sozinho, média, ms",
    "generator_cv": "gerador de carga sozinho, CV",
    "wire_requests": "requisições achadas na rede",
    "wire_joined_pct": "achadas na rede, %",
    "wire_mean_ms": "no servidor, média, ms",
    "wire_sd_ms": "no servidor, desvio padrão, ms",
    "wire_cv": "no servidor, CV",
    "wire_p99_ms": "no servidor, p99, ms",
    "wire_receive_ms": "recebendo, ms",
    "wire_answer_ms": "até responder, ms",
    "client_mean_ms": "no gerador de carga, ms",
    "connect_mean_ms": "abrindo a conexão, ms",
    "wire_variance_pct": "parte do servidor na variância, %",
    "client_variance_pct": "parte do gerador de carga na variância, %",
    "connect_variance_pct": "parte da conexão na variância, %",
    "retransmitted_requests": "requisições com pacotes retransmitidos",
    "retransmitted_variance_pct": "sua parte da variância, %",
    "gc_pauses": "coletas de lixo",
    "gc_pct": "coleta de lixo, % do tempo",
    "gc_ms": "coleta de lixo, ms/s",
    "safepoint_pct": "safepoints, % do tempo",
    "safepoint_ms": "safepoints, ms/s",
    "loop_delay_mean_ms": "atraso do laço de eventos, ms",
    "loop_delay_max_ms": "atraso do laço de eventos, o maior, ms",
    "clock_mean_error_us": "erro da média pelo relógio, µs",
    "clock_variance_pct": "parte do relógio na variância, %",
    "sd_without_clock_ms": "desvio padrão sem o relógio, ms",
    "cv_without_clock": "CV sem o relógio",
    "steady_from_s": "estável a partir de, s",
    "steady_to_s": "estável até, s",
    "steady_requests": "requisições no trecho estável",
    "steady_mean_ms": "média estável, ms",
    "steady_cv": "CV estável",
    "steady_cv_without_clock": "CV estável sem o relógio",
    "steady_p99_ms": "p99 estável, ms",
    "steady_late_over_early": "requisições no trecho estável, último terço / primeiro",
    "first_requests": "primeiras requisições",
    "first_mean_ms": "média das primeiras requisições, ms",
    "first_max_ms": "primeira requisição mais longa, ms",
    "first_variance_pct": "parte das primeiras requisições na variância, %",
    "later_mean_ms": "média depois das primeiras requisições, ms",
    "later_cv": "CV depois das primeiras requisições",
    "later_p99_ms": "p99 depois das primeiras requisições, ms",
    "settled": "estabilizada",
    "cut_requests": "requisições cortadas antes de estabilizar",
    "whole_mean_ms": "média com o que foi cortado, ms",
    "whole_cv": "CV com o que foi cortado",
    "whole_p99_ms": "p99 com o que foi cortado, ms",
    "scheduled_mean_ms": "média desde a hora marcada, ms",
    "scheduled_p50_ms": "p50 desde a hora marcada, ms",
    "scheduled_p90_ms": "p90 desde a hora marcada, ms",
    "scheduled_p99_ms": "p99 desde a hora marcada, ms",
    "scheduled_p999_ms": "p99,9 desde a hora marcada, ms",
    "scheduled_max_ms": "máximo desde a hora marcada, ms",
    "late_mean_ms": "atraso no envio, média, ms",
    "late_p99_ms": "atraso no envio, p99, ms",
    "sent_bytes": "bytes enviados",
    "mean_sent_bytes": "média enviada, bytes",
    "mean_bytes": "tamanho médio, bytes",
    "sd_bytes": "desvio do tamanho, bytes",
    "scale": "escala",
    "pareto_k": "k de Pareto",
    "load_gb": "carga, GB",
    "max_error_pct": "erros, %, pior repetição",
    "series": "sistema",
    "ours": "r de Pearson, nosso",
    "lo": "95\u00a0% de",
    "hi": "a",
    "printed": "impresso no artigo",
    "recomputed": "recalculado de suas tabelas",
    "ratio": "nosso / artigo",
}

PORTUGUESE = Language(
    code="pt",
    name="Português",
    figures=Figures(decimal=",", group="."),
    format_locale={"decimal": ",", "thousands": ".", "grouping": [3], "currency": ["R$ ", ""]},
    phrases=PHRASES,
    nouns=NOUNS,
    labels=LABELS,
    columns=COLUMNS,
)
