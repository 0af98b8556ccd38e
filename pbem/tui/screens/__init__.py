"""The screens and dialogs: each shows a seat view in one language, and asks the app for everything else."""
