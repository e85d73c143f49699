"""The columns of `*.samples.csv`, in their order."""

COLUMNS = (
    "time_ns",
    "ctxt",
    "procs_running",
    "procs_blocked",
    "cpu_user_ticks",
    "cpu_system_ticks",
    "cpu_idle_ticks",
    "cpu_iowait_ticks",
    "cpu_softirq_ticks",
    "cpu_steal_ticks",
    "role_cpu_ns",
    "role_wait_ns",
    "role_voluntary_switches",
    "role_involuntary_switches",
    "role_threads",
    "role_rss_bytes",
    "role_pss_bytes",
    "psi_cpu_some_us",
    "psi_io_some_us",
    "psi_io_full_us",
    "psi_memory_some_us",
    "psi_memory_full_us",
    "tcp_listen_overflows",
    "tcp_listen_drops",
    "tcp_retransmitted_segments",
    "tcp_syn_retransmits",
    "tcp_sockets",
    "tcp_sockets_time_wait",
    "memory_available_bytes",
    "memory_dirty_bytes",
    "memory_writeback_bytes",
    "disk_read_bytes",
    "disk_written_bytes",
    "disk_busy_ms",
    "disk_queue_ms",
    "sampler_cpu_ns",
)

GAUGES = frozenset(
    {
        "procs_running",
        "procs_blocked",
        "role_threads",
        "role_rss_bytes",
        "role_pss_bytes",
        "tcp_sockets",
        "tcp_sockets_time_wait",
        "memory_available_bytes",
        "memory_dirty_bytes",
        "memory_writeback_bytes",
    }
)

COUNTERS = tuple(name for name in COLUMNS if name not in GAUGES and name != "time_ns")
