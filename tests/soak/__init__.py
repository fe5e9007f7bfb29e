"""Random robots of every kind through every model, for as long as wanted; what fails is shrunk and kept."""
