"""Reads the log of the responder's charon, and prints the keys of its flows as esp-tun takes them.

Usage: keys-of-charon.py ALGORITHM <LOG. The log has the level 4 of the group chd.
"""

import re
import sys

algorithm = sys.argv[1]
keys, spis, blob, direction = {}, {}, None, None
for line in sys.stdin:
    text = line.partition("[CHD]")[2]
    if found := re.search(r"(encryption|integrity) (initiator|responder) key => \d+ bytes", text):
        blob = keys[found.groups()] = bytearray()
    elif blob is not None and (found := re.match(r" *\d+: ((?:[0-9A-F]{2} ?){1,16})", text)):
        blob += bytes.fromhex(found[1])
    elif found := re.search(r"adding (inbound|outbound) ESP SA", text):
        direction = found[1]
    elif found := re.search(r"SPI 0x([0-9a-f]{8})", text):
        spis[direction] = found[1]
    else:
        blob = None
# The initiator's keys are those of what it sends.
for word, direction, sender in (("in", "inbound", "initiator"), ("out", "outbound", "responder")):
    key = keys["encryption", sender] + keys.get(("integrity", sender), b"")
    print(word, f"0x{spis[direction]}", algorithm, key.hex())
