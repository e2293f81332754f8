"""What may be said of a ranking: the caps, which limit its claims."""
