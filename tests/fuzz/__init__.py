"""Damaged and hostile inputs for every reader: an answer or an error of ours, soon and in bounds."""
