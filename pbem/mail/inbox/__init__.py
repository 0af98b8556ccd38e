"""Mail in: sources, decoding, whose letter it is, quarantine, intake."""
