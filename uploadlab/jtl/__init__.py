"""Any JMeter result file: its figures, its page of charts, a recording of the server beside it, two files compared."""
