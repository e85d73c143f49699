"""What the page and the terminal say of result files, in the report's languages; the charts' words are the report's."""

from collections.abc import Mapping
from dataclasses import replace

from uploadlab.jtl.result_file import ALL, TRANSACTION, Note
from uploadlab.results.declarations import declarations
from uploadlab.tables.table_file import Value
from uploadlab.words.catalogue import Text, in_language
from uploadlab.words.language import Language
from uploadlab.words.languages import ENGLISH, PORTUGUESE

_PHRASES: Mapping[str, Text] = {
    "run": ("{system}", "{system}"),
    "answered": (
        "{system} answered {times} (n\u00a0=\u00a0{requests})",
        "{system} respondeu {times} (n\u00a0=\u00a0{requests})",
    ),
    "size_explains": (
        "{scenario}: of the variance of response times, a straight line on the bytes explains {parts}.",
        "{scenario}: da variância dos tempos de resposta, uma reta sobre os bytes explica {parts}.",
    ),
    "note_timeline": (
        "All panels share one clock; 0 is the first request's start. Shading: how many requests ended at that "
        "time with that response time; darker is more.",
        "Todos os painéis têm o mesmo relógio; 0 é o início da primeira requisição. Sombreado: "
        "quantas requisições terminaram naquele momento com aquele tempo de resposta; mais forte é mais.",
    ),
    "headline_one": (
        "{requests} in {duration}, half of them within {p50}\u00a0ms, 99 of 100 within {p99}\u00a0ms; {failed} failed",
        "{requests} em {duration}, metade em até {p50}\u00a0ms, 99 de 100 em até {p99}\u00a0ms; {failed} falharam",
    ),
    "headline_untimed": (
        "{requests}, half of them within {p50}\u00a0ms, 99 of 100 within {p99}\u00a0ms; {failed} failed",
        "{requests}, metade em até {p50}\u00a0ms, 99 de 100 em até {p99}\u00a0ms; {failed} falharam",
    ),
    "headline_two": (
        "{after}'s mean response time is {change} {before}'s{interval}",
        "O tempo médio de resposta de {after} é {change} de {before}{interval}",
    ),
    "change": ("{percent}\u00a0% {direction} than", "{percent}\u00a0% {direction} que o"),
    "higher": ("higher", "maior"),
    "lower": ("lower", "menor"),
    "as_high": ("the same as", "igual ao"),
    "times": ("{ratio} times", "{ratio} vezes o"),
    "interval": (
        " (95\u00a0% interval of the ratio {low} to {high})",
        " (intervalo de 95\u00a0% da razão: {low} a {high})",
    ),
    "without_interval": (", without an interval", ", sem intervalo"),
    "from_to": ("{begin} to {end}", "{begin} a {end}"),
    "failed_unknown": ("an unknown number", "um número desconhecido de"),
    "interval_over": (
        "The interval is over {blocks} blocks of time in each run ({before} and {after} seconds long), because "
        "requests of one run are not independent. It says how certain the two means are, not what another run would "
        "give: that takes repeated runs.",
        "O intervalo é sobre {blocks} blocos de tempo de cada execução (de {before} e {after} segundos), porque as "
        "requisições de uma execução não são independentes. Ele diz quão certas são as duas médias, não o que outra "
        "execução daria: isso exige execuções repetidas.",
    ),
    "no_interval_short": (
        "no interval: a run is too short to be cut into 20 blocks of at least a second",
        "sem intervalo: uma execução é curta demais para 20 blocos de ao menos um segundo",
    ),
    "no_interval_few": (
        "no interval: a block of time has fewer than 10 requests",
        "sem intervalo: um bloco de tempo tem menos de 10 requisições",
    ),
    "no_interval_drift": (
        "no interval: the response time drifts within a run, so neighbouring blocks of time are alike and don't show "
        "how certain its mean is",
        "sem intervalo: o tempo de resposta muda ao longo de uma execução (blocos vizinhos se parecem), de modo que "
        "eles não dizem quão certa é a média",
    ),
    "no_interval_zero": ("no interval: a mean of 0 ms", "sem intervalo: uma média de 0 ms"),
    "no_interval_untimed": (
        "no interval: a file does not say when requests started",
        "sem intervalo: um arquivo não diz quando as requisições começaram",
    ),
    "note_cut": (
        "The last line has no line end, as when JMeter is stopped while it writes: it is left out ({text}).",
        "A última linha não tem fim de linha, como quando o JMeter é parado enquanto escreve: ela "
        "fica de fora ({text}).",
    ),
    "note_cut_xml": (
        "The file ends before its last element does: what was complete is counted.",
        "O arquivo termina antes de seu último elemento: conta o que estava completo.",
    ),
    "note_encoding": (
        "The file is not UTF-8: it was read as {encoding}.",
        "O arquivo não está em UTF-8: foi lido como {encoding}.",
    ),
    "note_parts": (
        "{parts} samples inside other samples (redirects, embedded resources) are part of those and not counted "
        "separately.",
        "{parts} amostras dentro de outras (redirecionamentos, recursos embutidos) são partes delas e não contam.",
    ),
    "note_dates": (
        "timeStamp is a date without a zone: it is taken as UTC, and files from different zones do not line up.",
        "timeStamp é uma data sem fuso: vale como UTC, e os tempos de arquivos de fusos diferentes não se encaixam.",
    ),
    "note_transactions": (
        "Transactions (of {count} labels: {labels}) have rows of their own below and are not part of the figures over "
        "all requests, because the requests inside them are in the file too.",
        "As linhas de transações (de {count} rótulos: {labels}) têm linhas próprias abaixo e não entram nos números de "
        "todas as requisições, porque as requisições dentro delas também estão no arquivo.",
    ),
    "note_transactions_unknown": (
        "The file has no {column}: whether the requests inside transactions are in it too is not known. Transactions "
        "(of {count} labels: {labels}) have rows of their own below and are not part of the figures over all requests.",
        "O arquivo não tem {column}: não se sabe se as requisições dentro das transações também estão nele. As "
        "transações (de {count} rótulos: {labels}) têm linhas próprias abaixo e não entram nos números de todas as "
        "requisições.",
    ),
    "note_shared_names": (
        "Requests of the thread {thread} overlap in time, so several threads have that name, as in a file joined from "
        "several hosts without the column Hostname. Whether the requests inside transactions are in the file is "
        "inferred from the threads' names, so it may be wrong here: check each label.",
        "Requisições da thread {thread} se sobrepõem no tempo: várias threads têm esse nome, como num arquivo que "
        "junta os de várias máquinas e não tem a coluna Hostname. Se as requisições dentro das transações estão no "
        "arquivo é decidido pelos nomes das threads e pode estar errado aqui: veja cada rótulo.",
    ),
    "note_no_times": (
        "The file has no timeStamp: there is no throughput and nothing over time.",
        "O arquivo não tem timeStamp: não há vazão nem nada ao longo do tempo.",
    ),
    "note_no_success": (
        "The file has no column success: errors are not known.",
        "O arquivo não tem a coluna success: os erros não são conhecidos.",
    ),
    "note_long": (
        "The requests span {days} days: nothing is drawn over time. Is a timeStamp wrong?",
        "As requisições abrangem {days} dias: nada é desenhado ao longo do tempo. Há um timeStamp errado?",
    ),
    "note_few_snapshots": (
        "Only {count} snapshots lie entirely inside the load; correlations need {least}.",
        "Só {count} amostras do nmon ficam inteiras dentro da carga; correlações precisam de {least}.",
    ),
    "note_boot_zone": (
        "The recording says when its host booted, which puts its clock {offset} from UTC: every time zone that fits "
        "what it says had that offset then.",
        "A gravação diz quando sua máquina foi ligada, o que põe seu relógio a {offset} do UTC: todo fuso que combina "
        "com o que ela diz tinha essa diferença então.",
    ),
    "note_damages": (
        "Damaged places in the recording: {count}, the first on line {line}. What is doubtful there is left out; "
        "./lab nmon lists them.",
        "Lugares danificados na gravação: {count}, o primeiro na linha {line}. O que neles é duvidoso fica de fora; "
        "./lab nmon os lista.",
    ),
    "note_zone": (
        "The recording does not say the zone of its clock: {offset} from UTC is the only one in "
        "which it covers the load.",
        "A gravação não diz o fuso de seu relógio: {offset} em relação ao UTC é o único em que ela cobre a carga.",
    ),
    "correlations_note": (
        "Pearson's r over the snapshots that lie entirely inside the load, with the requests that ended in each. "
        "Neighbouring snapshots are alike: the interval rests on as many as are independent, not on all. It holds for "
        "one pair: the largest of many r is more often large by chance. A correlation does not say which is the cause.",
        "r de Pearson sobre as amostras do nmon que ficam inteiras dentro da carga, com as "
        "requisições que terminaram em cada uma. Amostras vizinhas se parecem: o intervalo se apoia em quantas são "
        "independentes, não em todas. Ele vale para um só par: o maior de muitos r é grande por acaso mais vezes. "
        "Uma correlação não diz qual é a causa.",
    ),
    "strongest": (
        "{file}: of the server's figures, “{indicator}” follows {outcome} most closely: r\u00a0=\u00a0{r}{interval}, "
        "n\u00a0=\u00a0{n} snapshots, worth {independent} independent ones.",
        "{file}: dos números do servidor, o que mais acompanha {outcome} é “{indicator}”: r\u00a0=\u00a0{r}{interval}, "
        "n\u00a0=\u00a0{n} amostras do nmon, que valem {independent} independentes.",
    ),
    "strongest_unsure": (
        "{file}: none of the server's figures reliably follows {outcome}. The closest, “{indicator}”, has "
        "r\u00a0=\u00a0{r}{interval}, n\u00a0=\u00a0{n} snapshots, worth {independent} independent ones.",
        "{file}: nenhum dos números do servidor acompanha com certeza {outcome}. O mais próximo, “{indicator}”, tem "
        "r\u00a0=\u00a0{r}{interval}, n\u00a0=\u00a0{n} amostras do nmon, que valem {independent} independentes.",
    ),
    "between": (" (95\u00a0% interval {low} to {high})", " (intervalo de 95\u00a0%: {low} a {high})"),
    "more_labels": ("{count} more labels are in summary.csv.", "Mais {count} rótulos estão em summary.csv."),
}
_LABELS: Mapping[str, Text] = {
    "all_requests": ("All requests", "Todas as requisições"),
    "no_label": ("(no label)", "(sem rótulo)"),
    "bytes_sent": ("Bytes sent", "Bytes enviados"),
    "bytes_received": ("Bytes received", "Bytes recebidos"),
    "by_label": ("By label", "Por rótulo"),
    "comparison": ("Compared", "Comparação"),
    "server": ("The server during the load", "O servidor enquanto isso"),
    "transaction": ("transaction", "transação"),
    "file": ("File", "Arquivo"),
    "label": ("Label", "Rótulo"),
    "ratio": ("mean, ratio", "média, razão"),
    "ratio_interval": ("95\u00a0% interval", "intervalo de 95\u00a0%"),
    "mean_before": ("mean before, ms", "média antes, ms"),
    "mean_after": ("mean after, ms", "média depois, ms"),
    "p99_ratio": ("p99, ratio", "p99, razão"),
    "throughput_ratio": ("throughput, ratio", "vazão, razão"),
    "indicator": ("Server", "Servidor"),
    "outcome": ("Requests", "Requisições"),
    "n_independent": ("independent", "independentes"),
    "panel_cpu": ("CPU of the server, %", "CPU do servidor, %"),
    "panel_disk": ("busiest disk, % of the time busy", "disco mais ocupado, % do tempo"),
    "chart_timeline": ("Over time", "Ao longo do tempo"),
    "chart_sizes": ("Size and response time", "Tamanho e tempo de resposta"),
    "axis_second": ("seconds since the first request started", "segundos desde o início da primeira requisição"),
    "axis_size": ("bytes", "bytes"),
    "choose_scenario": ("Label", "Rótulo"),
    "choose_run": ("File", "Arquivo"),
    "percentiles_note": (
        "The axis stretches the tail: each step to the right looks at requests ten times rarer. Every row counts.",
        "O eixo estica a cauda: cada passo à direita olha para requisições dez vezes mais raras. Toda linha conta.",
    ),
    "sizes_note": (
        "Darker means more requests. Both axes are logarithmic.",
        "Mais escuro significa mais requisições. Os dois eixos são logarítmicos.",
    ),
    "tip_system": ("file", "arquivo"),
    "no_script": (
        "The charts need JavaScript; the tables beside this page hold the same figures.",
        "Os gráficos precisam de JavaScript; as tabelas ao lado desta página têm os mesmos números.",
    ),
    "generated": (
        "Computed by Upload Lab from the result files. This page loads nothing from a network.",
        "Calculado pelo Upload Lab a partir dos arquivos de resultados. Esta página não carrega nada da rede.",
    ),
    "files_beside": ("Tables beside this page, as CSV and Parquet", "Tabelas ao lado desta página, em CSV e Parquet"),
    "answer": ("Summary", "Resumo"),
    "skip": ("Skip to the summary", "Ir para o resumo"),
    "gap_s": ("seconds in which no request ended", "segundos sem nenhum fim"),
    "longest_gap_s": ("longest gap, s", "maior lacuna, s"),
    "cpu_pct": ("CPU, %", "CPU, %"),
    "wait_pct": ("I/O wait, %", "espera de E/S, %"),
    "steal_pct": ("steal, %", "steal, %"),
    "switches_per_s": ("context switches per second", "trocas de contexto por segundo"),
    "run_queue": ("run queue", "fila de execução"),
    "disk_busy_pct": ("busiest disk, % busy", "disco mais ocupado, %"),
    "disk_mb_per_s": ("busiest disk, MiB/s", "disco mais ocupado, MiB/s"),
    "net_mb_per_s": ("network, MiB/s", "rede, MiB/s"),
    "mean_ms": ("the mean response time", "o tempo médio de resposta"),
    "cv": ("the coefficient of variation", "o coeficiente de variação"),
    "p99_ms": ("the 99th percentile", "o percentil 99"),
}


def _of_files(language: Language) -> Language:
    words = language.of(declarations({}))
    phrases, labels = (in_language(texts, words.code) for texts in (_PHRASES, _LABELS))
    return replace(words, phrases={**words.phrases, **phrases}, labels={**words.labels, **labels})


ENGLISH_JTL, PORTUGUESE_JTL = _of_files(ENGLISH), _of_files(PORTUGUESE)
LANGUAGES = (ENGLISH_JTL, PORTUGUESE_JTL)


def note(words: Language, found: Note) -> str:
    """Return a note as a sentence."""
    parts = {
        name: words.figures.count(value) if isinstance(value, int) else value for name, value in found.parts.items()
    }
    return words.say(found.phrase, **parts)


def label_of(words: Language, row: Mapping[str, Value]) -> str:
    """Return what a row of a summary is called."""
    if row.get("kind") == ALL:
        return words["all_requests"]
    name = " ".join(str(row["label"]).split()) or words["no_label"]
    return f"{name} ({words['transaction']})" if row.get("kind") == TRANSACTION else name
