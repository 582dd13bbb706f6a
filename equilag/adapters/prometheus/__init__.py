"""Groups from the metrics of lag exporters: of a Prometheus server, or as text."""
