"""The engine of every page: one document of texts, tables and charts, one template, one file that opens offline."""
