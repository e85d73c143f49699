"""The one table of the groups paper that has numbers."""

from uploadlab.tables.study_tables import Columned, Measured, beside_paper


def table1(measured: Measured) -> Columned:
    """Table 1: Bytes handed over for a message (by the two stand-ins as many as printed, by construction)"""
    columns = ["system", "transport"]
    return beside_paper(measured, ["handed"], rows=["message_bytes"], columns=columns, published="table1.csv")
