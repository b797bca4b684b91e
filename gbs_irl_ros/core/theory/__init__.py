"""What the paper proves: coherence, neighbours, the error bound; and forecasts."""
