"""Robots and states that several tests share."""
