"""Source rows and XML bytes → checked frames of nodes and relationships, and what was not loaded, with its reason."""
