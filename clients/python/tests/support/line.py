"""A line to the service that breaks connections."""

import http.client
import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Self
from urllib.parse import urlsplit


@dataclass
class Request:
    """A request that came over the line."""

    verb: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Connection:
    """A connection of a client, for the faults."""

    socket: socket.socket
    line: "Line"
    request: Request | None = None

    def read(self) -> Request | None:
        """Reads a whole request."""
        head = b""
        while b"\r\n\r\n" not in head:
            part = self.socket.recv(65536)
            if not part:
                return None
            head += part
        text, _, body = head.partition(b"\r\n\r\n")
        first, *lines = text.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", "0")):
            body += self.socket.recv(65536)
        verb, path, _ = first.split(" ")
        self.request = Request(verb, path, headers, body)
        self.line.requests.append(self.request)
        return self.request

    def forward(self) -> bytes:
        """Lets the service do the work, and returns its answer as bytes."""
        assert self.request is not None
        address = urlsplit(self.line.target)
        service = http.client.HTTPConnection(str(address.hostname), address.port, timeout=30)
        service.request(self.request.verb, self.request.path, self.request.body, self.request.headers)
        answer = service.getresponse()
        body = answer.read()
        service.close()
        self.line.done.append(answer.status)
        head = f"HTTP/1.1 {answer.status} {answer.reason}\r\n"
        kept = ("content-type", "content-encoding", "x-request-id", "retry-after")
        lines = [f"{name}: {value}\r\n" for name, value in answer.getheaders() if name.lower() in kept]
        return f"{head}{''.join(lines)}content-length: {len(body)}\r\n\r\n".encode() + body

    def send(self, content: bytes) -> None:
        self.socket.sendall(content)

    def reset(self) -> None:
        """Closes the connection in the hard way."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


Fault = Callable[[Connection], None]


@dataclass
class Line:
    """Passes requests on to the service, but for the first ones, which meet a fault."""

    target: str
    fault: Fault
    times: int = 1
    requests: list[Request] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    connections: int = 0

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            is_faulty = self.connections <= self.times
            threading.Thread(
                target=self._serve, args=(Connection(accepted, self), is_faulty), daemon=True
            ).start()

    def _serve(self, connection: Connection, is_faulty: bool) -> None:
        try:
            if is_faulty:
                self.fault(connection)
            else:
                while connection.read():
                    connection.send(connection.forward())
        except OSError:
            pass
        finally:
            connection.socket.close()


def split(answer: bytes) -> tuple[bytes, bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return head, body


def status(code: int, *headers: str, error: str | None = None) -> bytes:
    """Returns an answer of the service, or of a proxy before it."""
    body = b"upstream trouble"
    kind = "text/plain"
    if error:
        kind = "application/json"
        body = json.dumps(
            {"success": False, "error": {"code": error, "message": "no", "details": {}}}
        ).encode()
    lines = "".join(f"{header}\r\n" for header in headers)
    head = f"HTTP/1.1 {code} No\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n{lines}\r\n"
    return head.encode() + body


def before_the_request(connection: Connection) -> None:
    connection.socket.close()


def reset_before_the_request(connection: Connection) -> None:
    connection.reset()


def amid_the_request(connection: Connection) -> None:
    connection.socket.recv(50)
    connection.reset()


def after_the_request(connection: Connection) -> None:
    connection.read()


def after_the_work(connection: Connection) -> None:
    connection.read()
    connection.forward()


def reset_after_the_work(connection: Connection) -> None:
    connection.read()
    connection.forward()
    connection.reset()


def amid_the_head(connection: Connection) -> None:
    connection.read()
    connection.send(connection.forward()[:30])


def after_the_head(connection: Connection) -> None:
    connection.read()
    connection.send(split(connection.forward())[0] + b"\r\n\r\n")


def amid_the_body(connection: Connection) -> None:
    connection.read()
    answer = connection.forward()
    connection.send(answer[: len(answer) - 100])


def reset_amid_the_body(connection: Connection) -> None:
    amid_the_body(connection)
    time.sleep(0.05)
    connection.reset()


def length_too_long(connection: Connection) -> None:
    connection.read()
    connection.send(connection.forward().replace(b"content-length: ", b"content-length: 9"))


def length_too_short(connection: Connection) -> None:
    connection.read()
    head, body = split(connection.forward())
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"content-length")]
    connection.send(b"\r\n".join([*lines, b"content-length: 40", b"", body]))


def without_length_and_half(connection: Connection) -> None:
    connection.read()
    head, body = split(connection.forward())
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"content-length")]
    connection.send(b"\r\n".join([*lines, b"connection: close", b"", body[:60]]))


def half_of_the_chunks(connection: Connection) -> None:
    connection.read()
    head, body = split(connection.forward())
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"content-length")]
    connection.send(
        b"\r\n".join([*lines, b"transfer-encoding: chunked", b"", b"3c\r\n" + body[:60] + b"\r\n"])
    )


def no_answer(connection: Connection) -> None:
    connection.read()
    connection.forward()
    time.sleep(3)


def slow_head(connection: Connection) -> None:
    connection.read()
    _drip(connection, connection.forward())


def slow_body(connection: Connection) -> None:
    connection.read()
    head, body = split(connection.forward())
    connection.send(head + b"\r\n\r\n")
    _drip(connection, body)


def _drip(connection: Connection, content: bytes) -> None:
    for at in range(len(content)):
        connection.send(content[at : at + 1])
        time.sleep(0.1)


def not_http(connection: Connection) -> None:
    connection.read()
    connection.forward()
    connection.send(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")


def answered(content: bytes, *, after_the_work: bool = False) -> Fault:
    """Returns the fault of another answer."""

    def fault(connection: Connection) -> None:
        connection.read()
        if after_the_work:
            connection.forward()
        connection.send(content)

    return fault


FAULTS: dict[str, Fault] = {
    "closed before the request": before_the_request,
    "reset before the request": reset_before_the_request,
    "reset amid the request": amid_the_request,
    "closed after the request, not forwarded": after_the_request,
    "closed after the work, no answer": after_the_work,
    "reset after the work, no answer": reset_after_the_work,
    "closed amid the head": amid_the_head,
    "closed after the head": after_the_head,
    "closed amid the body": amid_the_body,
    "reset amid the body": reset_amid_the_body,
    "length too long": length_too_long,
    "length too short": length_too_short,
    "half a body without length": without_length_and_half,
    "half of the chunks": half_of_the_chunks,
    "no answer in time": no_answer,
    "head, byte by byte": slow_head,
    "body, byte by byte": slow_body,
    "not HTTP": not_http,
    "429": answered(status(429, error="RATE_LIMITED")),
    "429, Retry-After: 1": answered(status(429, "retry-after: 1", error="RATE_LIMITED")),
    "429, Retry-After as a date": answered(status(429, f"retry-after: {formatdate(0, usegmt=True)}")),
    "503": answered(status(503)),
    "503, Retry-After: 1": answered(status(503, "retry-after: 1", error="SERVICE_UNAVAILABLE")),
    "502 after the work": answered(status(502), after_the_work=True),
    "504 after the work": answered(status(504), after_the_work=True),
    "409, the first is in progress": answered(
        status(409, "retry-after: 0", error="IDEMPOTENCY_IN_PROGRESS"), after_the_work=True
    ),
}
