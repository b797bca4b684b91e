"""What nodes share: conversions, names, QoS, parameters, running."""
