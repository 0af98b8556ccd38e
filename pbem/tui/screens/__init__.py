"""The rooms of the UI and its dialogs: each shows one desk, in one language, and asks the app for everything else."""
