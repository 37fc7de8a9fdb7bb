"""What a verification answers: results, evidence, their JSON form."""
