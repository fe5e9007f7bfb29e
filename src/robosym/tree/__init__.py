"""The tree over which every recursion runs: its bodies, their frames, and the motion that goes from link to link."""
