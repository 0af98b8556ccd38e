"""Incoming mail: sources, decoding, authentication, quarantine, processing."""
