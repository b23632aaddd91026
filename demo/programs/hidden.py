# Refused as well: the same need, hidden behind an alias that a list of forbidden words misses.
import os as helper

act = helper.system
act("id")
