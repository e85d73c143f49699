"""The one table of the sockets paper that has numbers."""

from uploadlab.tables.study_tables import Columned, Measured, beside_paper


def table2(measured: Measured) -> Columned:
    """Tabela 2: Lines of the smallest client that creates, connects, sends, receives and closes"""
    return beside_paper(measured, ["lines"], rows=["system"], published="table2.csv")
