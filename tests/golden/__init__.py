"""Operation counts and names of the models of the library, and four complete listings, as readable texts."""
