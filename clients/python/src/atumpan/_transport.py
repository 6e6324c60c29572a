"""One attempt over httpx2."""

import time
from collections.abc import Mapping

import anyio
import httpx2

from ._core import Answer, Attempt, Failure, Secret
from ._sockets import end_of_attempt, limit_attempts
from ._version import __version__

USER_AGENT = f"atumpan-python/{__version__}"
FAILURES = (httpx2.TransportError, httpx2.DecodingError, httpx2.InvalidURL, TimeoutError)
NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
INVALID = (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL)


def client() -> httpx2.Client:
    """Returns a client whose attempts end in time."""
    made = httpx2.Client()
    limit_attempts(made)
    return made


def async_client() -> httpx2.AsyncClient:
    """Returns a client; `send_async` ends its attempts in time."""
    return httpx2.AsyncClient()


def failure(error: Exception) -> Failure:
    """Returns what is known of an attempt that failed. The request, which has credentials, is left behind."""
    name = type(error).__name__
    if isinstance(error, NOT_SENT):
        return Failure("NOT_SENT", name)
    if isinstance(error, (httpx2.TimeoutException, TimeoutError)):
        return Failure("TIMED_OUT", name)
    return Failure("INVALID" if isinstance(error, INVALID) else "LOST", name)


def _request(
    http: httpx2.Client | httpx2.AsyncClient, attempt: Attempt, secrets: Mapping[str, Secret]
) -> httpx2.Request:
    headers = {**attempt.headers, "user-agent": USER_AGENT}
    for name, secret in secrets.items():
        headers[name] = secret.value
    return http.build_request(
        attempt.method,
        attempt.url,
        headers=headers,
        content=attempt.content,
        timeout=httpx2.Timeout(attempt.timeout),
    )


def send(http: httpx2.Client, attempt: Attempt, secrets: Mapping[str, Secret]) -> Answer | Failure:
    """Sends a request once."""
    end = None if attempt.timeout is None else time.monotonic() + attempt.timeout
    mark = end_of_attempt.set(end)
    try:
        request = _request(http, attempt, secrets)
        response = http.send(request, stream=True, auth=None, follow_redirects=False)
        if attempt.is_stream and response.status_code < 300:
            return Answer(response.status_code, response.headers, stream=response)
        try:
            content = bytearray()
            for part in response.iter_bytes():
                content += part
                if end is not None and time.monotonic() > end:
                    return Failure("TIMED_OUT", "ReadTimeout")
        finally:
            response.close()
        return Answer(response.status_code, response.headers, bytes(content))
    except FAILURES as error:
        return failure(error)
    finally:
        end_of_attempt.reset(mark)


async def send_async(
    http: httpx2.AsyncClient, attempt: Attempt, secrets: Mapping[str, Secret]
) -> Answer | Failure:
    """Sends a request once."""
    try:
        request = _request(http, attempt, secrets)
        with anyio.fail_after(attempt.timeout):
            response = await http.send(request, stream=True, auth=None, follow_redirects=False)
            if attempt.is_stream and response.status_code < 300:
                return Answer(response.status_code, response.headers, stream=response)
            try:
                content = await response.aread()
            finally:
                await response.aclose()
        return Answer(response.status_code, response.headers, content)
    except FAILURES as error:
        return failure(error)
