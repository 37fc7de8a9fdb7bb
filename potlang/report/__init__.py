"""Reports: results, evidence, their JSON form and their text."""
