# The other end of the tests with scapy: reads a request from each line, and prints the answer.
#
# A request is: what to do ("decrypt" or "encrypt"), the names of the cipher and of the MAC, the key
# with the salt behind it, the key of the MAC, the mode ("transport" or "tunnel"), the ports in UDP
# ("-" for none), the sequence number, and the packet. Keys and packets are hexadecimal, "-" if empty.

import sys

from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.ipsec import ESP, SecurityAssociation


def parse(packet):
    return IP(packet) if packet[0] >> 4 == 4 else IPv6(packet)


for line in sys.stdin:
    what, cipher, mac, key, mac_key, mode, ports, number, packet = line.split()
    key, mac_key, packet = (bytes.fromhex(text.strip("-")) for text in (key, mac_key, packet))
    number = int(number)
    tunnel = IP(src="203.0.113.1", dst="203.0.113.200") if mode == "tunnel" else None
    nat = None
    if ports != "-":
        source, destination = (int(port) for port in ports.split(","))
        nat = UDP(sport=source, dport=destination)
    association = SecurityAssociation(
        ESP,
        spi=0xC0DE1234,
        crypt_algo=cipher,
        crypt_key=key or None,
        crypt_icv_size=16 if cipher in ("AES-GCM", "AES-CCM") else None,
        auth_algo=mac,
        auth_key=mac_key or None,
        tunnel_header=tunnel,
        nat_t_header=nat,
        esn_en=number >> 32 != 0,
        esn=number >> 32,
    )
    if what == "decrypt":
        answer = association.decrypt(parse(packet))
    else:
        answer = association.encrypt(parse(packet), seq_num=number & 0xFFFFFFFF)
        if nat:
            # scapy 2.5 writes the length of an empty datagram.
            answer[UDP].len = len(bytes(answer[UDP]))
    print(bytes(answer).hex(), flush=True)
