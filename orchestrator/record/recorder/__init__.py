"""The recorder: runs host_orch.py once against stand-ins and prints the plan stream."""
