"""A mail server for tests: prints its port, then one JSON line per connection and per message.

Ends when its standard input does. Needs aiosmtpd (Debian: python3-aiosmtpd).
"""

import argparse
import asyncio
import json
import logging
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


def say(**line):
    print(json.dumps(line), flush=True)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return f"550 5.1.1 <{address}>: Recipient address rejected: User unknown"
        if address.startswith("greylisted@"):
            return "451 4.7.1 Try again later"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        if b"hang up" in envelope.content:
            server.transport.abort()
            return "250 unheard"
        if b"fall silent" in envelope.content:
            await asyncio.sleep(60)
        if b"SPAM" in envelope.content:
            return "554 5.7.1 Message contains spam"
        say(
            sender=envelope.mail_from,
            recipients=envelope.rcpt_tos,
            content=envelope.content.decode(),
            user=session.auth_data,
            encrypted=server.transport.get_extra_info("cipher") is not None,
        )
        return "250 2.0.0 Ok: queued as 4F6D"


def authenticator(user, password):
    def authenticate(server, session, envelope, mechanism, data):
        found = (data.login.decode(), data.password.decode())
        if found == (user, password):
            return AuthResult(success=True, auth_data=user)
        return AuthResult(success=False, handled=False)

    return authenticate


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--user")
    parser.add_argument("--password")
    parser.add_argument("--tls", choices=["none", "starttls", "implicit"], default="none")
    parser.add_argument("--cert")
    parser.add_argument("--key")
    parser.add_argument("--patience", type=float, default=300, help="seconds until it hangs up")
    arguments = parser.parse_args()

    tls = None
    if arguments.tls != "none":
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(arguments.cert, arguments.key)

    options = {"hostname": "localhost", "enable_SMTPUTF8": False, "timeout": arguments.patience}
    if arguments.user:
        options |= {
            "authenticator": authenticator(arguments.user, arguments.password),
            "auth_required": True,
            "auth_require_tls": False,
        }
    if arguments.tls == "starttls":
        options |= {"tls_context": tls, "require_starttls": True}

    def connection():
        say(connected=True)
        return SMTP(Handler(), **options)

    # Clients that refuse the certificate are part of the tests.
    logging.disable(logging.CRITICAL)
    loop = asyncio.get_running_loop()
    implicit = tls if arguments.tls == "implicit" else None
    server = await loop.create_server(connection, "127.0.0.1", 0, ssl=implicit)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
