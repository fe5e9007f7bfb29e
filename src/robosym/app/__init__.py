"""The application: commands, command line, session and page."""
