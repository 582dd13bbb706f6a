"""The JSON Schemas in docs/schemas, as far as they are made from dataclasses."""
