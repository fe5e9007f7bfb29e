"""Every public function on every kind of robot: a number that an oracle confirms, or an error."""
