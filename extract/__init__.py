"""PostgreSQL → frames and byte streams, all of one snapshot."""
