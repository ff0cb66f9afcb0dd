"""A source made from a seed, with its ground truth: rows and XML documents of an invented luminaire maker."""
