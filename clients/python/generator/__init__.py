"""Makes the types and methods of the library from the OpenAPI document."""
