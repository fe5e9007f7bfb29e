"""Every public function on every kind of robot: a value confirmed by an oracle, or an error."""
