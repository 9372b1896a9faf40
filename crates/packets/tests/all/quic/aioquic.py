# Both ends of a connection of aioquic, whose datagrams go through the program that runs this.
#
# Arguments: the version (1 or 2), the cipher suite, and the files of the certificate and its key
# (DER). It prints lines:
#
#   secret LINE             a line of a key log
#   client DATAGRAM...      what an end sends, in hexadecimal digits. The answer is a line with the
#   server DATAGRAM...      datagrams that the other end is to receive.
#   text TEXT               all that each end has received, in hexadecimal digits.
#
# It ends when the texts have arrived and both ends have updated their keys, and fails if they do
# not.

import random
import ssl
import sys

from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted, StreamDataReceived
from aioquic.quic.packet import QuicProtocolVersion
from aioquic.tls import CipherSuite
from cryptography.hazmat.primitives.serialization import load_der_private_key
from cryptography.x509 import load_der_x509_certificate

version, suite, certificate, key = sys.argv[1:]
version = {"1": QuicProtocolVersion.VERSION_1, "2": QuicProtocolVersion.VERSION_2}[version]


class KeyLog:
    """Prints the secrets that an end writes to its key log."""

    def write(self, line):
        print("secret", line.strip(), flush=True)

    def flush(self):
        pass


def configuration(is_client):
    """Returns the configuration of an end that has one version and one suite."""
    made = QuicConfiguration(
        is_client=is_client,
        secrets_log_file=KeyLog(),
        supported_versions=[version],
        original_version=version,
        verify_mode=ssl.CERT_NONE,
        server_name="localhost",
    )
    made.cipher_suites = [CipherSuite[suite]]
    return made


def read(name):
    with open(name, "rb") as file:
        return file.read()


server_configuration = configuration(is_client=False)
server_configuration.certificate = load_der_x509_certificate(read(certificate))
server_configuration.private_key = load_der_private_key(read(key), password=None)

now = 0.0
client = QuicConnection(configuration=configuration(is_client=True))
client.connect(("server", 443), now)
server = QuicConnection(
    configuration=server_configuration,
    original_destination_connection_id=client.original_destination_connection_id,
)
connected, received = set(), {client: bytearray(), server: bytearray()}


def pass_on(name, sender, receiver):
    """Sends what an end has through the other program. Returns True if it has something."""
    datagrams = [data.hex() for data, _ in sender.datagrams_to_send(now)]
    if datagrams:
        print(name, *datagrams, flush=True)
        for datagram in sys.stdin.readline().split():
            receiver.receive_datagram(bytes.fromhex(datagram), (name, 443), now)
    while event := receiver.next_event():
        if isinstance(event, HandshakeCompleted):
            connected.add(receiver)
        elif isinstance(event, StreamDataReceived):
            received[receiver] += event.data
        elif isinstance(event, ConnectionTerminated):
            sys.exit(f"the connection ended: {event.reason_phrase}")
    return bool(datagrams)


def exchange(rounds):
    """Lets both ends send, and their clocks go on."""
    global now
    for _ in range(rounds):
        now += 0.02
        for end in (client, server):
            timer = end.get_timer()
            if timer is not None and timer <= now:
                end.handle_timer(now)
        pass_on("client", client, server)
        pass_on("server", server, client)


exchange(50)
assert connected == {client, server}, "the handshake did not end"
text = random.Random(7).randbytes(20_000)
expected = b""
for updater in (client, server, client, None):
    for sender, receiver in ((client, server), (server, client)):
        sender.send_stream_data(sender.get_next_available_stream_id(), text, end_stream=True)
        exchange(50)
    expected += text
    for receiver in (client, server):
        assert received[receiver] == expected, "another text arrived"
    if updater is not None:
        updater.request_key_update()
print("text", expected.hex(), flush=True)
