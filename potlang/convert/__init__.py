"""From one language to another: derivations as traces and solutions, traces as programs."""
