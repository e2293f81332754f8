"""Rankings: from a number per draw to an order, and how sure it is."""
