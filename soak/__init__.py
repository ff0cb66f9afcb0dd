"""Breaking the refresh on purpose, over and over: kills at random moments and other faults, on real servers.

A tool beside the pipeline, as bench/ is: it runs the commands as a user does and looks at what they leave.
"""
