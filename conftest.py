"""Import the components before any test module is.

pytest derives a test module's name from its path (`harness.tests.test_plan`) and would take the folder `harness/` for
the package of that name if the package were not imported already.
"""

import importlib

for component in ("workload_gen", "monitoring", "upload_study", "harness", "analysis", "conformance"):
    importlib.import_module(component)
