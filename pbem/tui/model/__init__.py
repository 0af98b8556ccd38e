"""The data that screens show, as plain values; tested without Textual."""
