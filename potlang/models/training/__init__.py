"""What trains models: rewards, losses, and records of traces."""
