"""Answers to editors: functions of a text that is being written and a place in it."""
