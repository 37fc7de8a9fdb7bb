"""Child processes: started, limited, pooled, spoken to over pipes; they know no solver."""
