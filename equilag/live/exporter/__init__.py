"""What is said of many groups: answers, how many processes to run, and the exporter."""
