"""The four tables of the RPC paper, and what it leaves out."""

from uploadlab.tables.study_tables import Columned, Measured, beside_paper


def table1(measured: Measured) -> Columned:
    """Table 1: gRPC: client and server on one machine"""
    return _as_printed(measured, "grpc", "loopback")


def table2(measured: Measured) -> Columned:
    """Table 2: gRPC: client and server on distant machines

    The printed far means lie in two bands, 176 to 187 ms (21 of 30) and 190 to 200 ms (9 of 30), in both systems, as if
    the path had changed between operations: which operation is in which band decides what the paper says of single
    ones.
    """
    return _as_printed(measured, "grpc", "far")


def table3(measured: Measured) -> Columned:
    """Table 3: Avro: client and server on one machine"""
    return _as_printed(measured, "avro", "loopback")


def table4(measured: Measured) -> Columned:
    """Table 4: Avro: client and server on distant machines

    The two bands of table 2 are in both systems.
    """
    return _as_printed(measured, "avro", "far")


def sides(measured: Measured) -> Columned:
    """What a call costs each side (not in the paper)

    Bytes on the connection are those that TCP carries, without its own headers. They are counted after the measurement
    with the same arguments, over a connection of their own; what a connection carries only once, such as a handshake,
    is left out.
    """
    values = ["cpu_client", "cpu_server", "sent_bytes", "wire_sent", "received_bytes", "wire_received"]
    return beside_paper(measured, values, rows=["operation", "system"], where={"link": "loopback"})


def first(measured: Measured) -> Columned:
    """Connecting, and the first call in a process (not in the paper)"""
    of_the_first = {"operation": "void"}
    return beside_paper(measured, ["connect", "first"], rows=["system"], where=of_the_first)


def _as_printed(measured: Measured, system: str, link: str) -> Columned:
    values, where = ["paper", "paper_sd", "paper_cv"], {"system": system, "link": link}
    return beside_paper(measured, values, rows=["operation"], where=where, published="calls.csv")
