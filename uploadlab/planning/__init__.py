"""What is to be measured: studies, systems and rigs as they are declared, and the order of the runs."""
