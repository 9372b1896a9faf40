#!/usr/bin/env python3
"""Initializes, finalizes and forks with the PKCS #11 module whose path is given.

A program of its own, because a process has one module, and because Rust has no fork.
"""

import ctypes
import os
import signal
import sys
import threading

OK, ARGUMENTS_BAD, CANT_LOCK = 0, 7, 10
SESSION_HANDLE_INVALID, SESSION_EXISTS = 0xB3, 0xB6
NOT_INITIALIZED, ALREADY_INITIALIZED = 0x190, 0x191
SERIAL, WRITES, SHA256 = 4, 2, 0x250

ULONG, POINTER = ctypes.c_ulong, ctypes.c_void_p
library = ctypes.CDLL(sys.argv[1])
table = POINTER()
assert library.C_GetFunctionList(ctypes.byref(table)) == OK
addresses = ctypes.cast(table, ctypes.POINTER(POINTER))


def function(place, *types):
    """The function at a place of the list: the first follows the version."""
    return ctypes.CFUNCTYPE(ULONG, *types)(addresses[1 + place])


initialize = function(0, POINTER)
finalize = function(1, POINTER)
get_info = function(2, POINTER)
init_token = function(9, ULONG, ctypes.c_char_p, ULONG, ctypes.c_char_p)
open_session = function(12, ULONG, ULONG, POINTER, POINTER, POINTER)
close_session = function(13, ULONG)
create_object = function(20, ULONG, POINTER, ULONG, POINTER)
destroy_object = function(22, ULONG, ULONG)
digest_init = function(37, ULONG, POINTER)
digest = function(38, ULONG, ctypes.c_char_p, ULONG, POINTER, POINTER)


def sha256(session):
    mechanism = (ULONG * 3)(SHA256, 0, 0)
    code = digest_init(session, mechanism)
    if code != OK:
        return code
    room, length = ctypes.create_string_buffer(32), ULONG(32)
    assert digest(session, b"abc", 3, room, ctypes.byref(length)) == OK
    assert room.raw.hex().startswith("ba7816bf8f01cfea"), room.raw.hex()
    return OK


# An object of data, which is in the token.
data, yes = ULONG(0), ctypes.c_ubyte(1)
template = (ULONG * 6)(0, ctypes.addressof(data), 8, 1, ctypes.addressof(yes), 1)


def write(session):
    """Writes to the token, under the lock that all processes share."""
    handle = ULONG()
    code = create_object(session, template, 2, ctypes.byref(handle))
    return code if code != OK else destroy_object(session, handle)


def initialize_token():
    return init_token(0, b"12345678", 8, b"lifecycle".ljust(32))


def session():
    handle = ULONG()
    code = open_session(0, SERIAL | WRITES, None, None, ctypes.byref(handle))
    assert code == OK, hex(code)
    return handle.value


info = ctypes.create_string_buffer(256)
assert get_info(info) == NOT_INITIALIZED
assert finalize(None) == NOT_INITIALIZED
only_one = (POINTER * 6)(1, None, None, None, None, None)
assert initialize(only_one) == ARGUMENTS_BAD
all_four = (POINTER * 6)(1, 1, 1, 1, None, None)
assert initialize(all_four) == CANT_LOCK
assert initialize(None) == OK
assert initialize(None) == ALREADY_INITIALIZED
assert initialize_token() == OK

first = session()
assert sha256(first) == OK

# The child of a process starts anew, also where threads of the parent are in the module. It gets
# none of the parent's locks: it would hold them for ever, against itself and everybody else.
stop = threading.Event()


def work():
    own = session()
    while not stop.is_set():
        assert sha256(own) == OK


def keep_writing():
    own = session()
    while not stop.is_set():
        assert write(own) == OK


threads = [threading.Thread(target=work) for _ in range(4)]
threads.append(threading.Thread(target=keep_writing))
for thread in threads:
    thread.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        # It waits for a lock that the parent takes again and again.
        signal.alarm(300)
        fine = sha256(first) == NOT_INITIALIZED and get_info(info) == NOT_INITIALIZED
        fine = fine and initialize(None) == OK and sha256(first) == SESSION_HANDLE_INVALID
        fine = fine and initialize_token() == SESSION_EXISTS
        own = session()
        fine = fine and sha256(own) == OK and write(own) == OK and finalize(None) == OK
        os._exit(0 if fine else 1)
    assert os.waitpid(child, 0)[1] == 0, "the child of a fork"
stop.set()
for thread in threads:
    thread.join()
assert write(first) == OK

# The token is made anew only where no process has a session.
child = os.fork()
if child == 0:
    fine = initialize(None) == OK and initialize_token() == SESSION_EXISTS
    os._exit(0 if fine else 1)
assert os.waitpid(child, 0)[1] == 0, "a token that somebody uses was made anew"

# The parent goes on. Open sessions end with the module.
assert sha256(first) == OK
assert finalize(None) == OK
assert sha256(first) == NOT_INITIALIZED
assert initialize(None) == OK
assert sha256(first) == SESSION_HANDLE_INVALID
assert close_session(first) == SESSION_HANDLE_INVALID
assert sha256(session()) == OK
assert finalize(None) == OK
child = os.fork()
if child == 0:
    os._exit(0 if initialize(None) == OK and initialize_token() == OK else 1)
assert os.waitpid(child, 0)[1] == 0, "a token that nobody uses"
print("initialized, forked 20 times and finalized")
