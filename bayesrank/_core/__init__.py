"""What everything uses: checks, errors, notes, random streams, draws, labels, the two generations of ArviZ."""
