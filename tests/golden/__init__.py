"""What every model of every library robot looks like, as hashes: a change of the inside must not change them."""
