<?php

declare(strict_types=1);

namespace Atumpan;

/** Call that failed. */
class AtumpanError extends \RuntimeException
{
    /**
     * @param string $errorCode stable name of the reason
     * @param array<string, mixed> $details
     * @param ?string $idempotencyKey key of the call: repeated with it, nothing is sent or created twice
     */
    final public function __construct(
        string $message,
        public readonly string $errorCode,
        public readonly ?int $status = null,
        public readonly ?string $requestId = null,
        public readonly array $details = [],
        public readonly ?float $retryAfter = null,
        public readonly ?string $idempotencyKey = null,
    ) {
        parent::__construct("$errorCode: $message" . ($requestId ? " (request $requestId)" : ''));
    }

    /** @return class-string<AtumpanError> the class of a status */
    public static function classOf(int $status): string
    {
        return match (true) {
            $status === 401 => AuthenticationError::class,
            $status === 402 => InsufficientBalanceError::class,
            $status === 403 => PermissionError::class,
            $status === 404 => NotFoundError::class,
            $status === 409, $status === 422 => ConflictError::class,
            $status === 429 => RateLimitedError::class,
            $status >= 400 && $status < 500 => ValidationError::class,
            default => ServerError::class,
        };
    }
}

/** 401: credentials are missing, wrong, or of the wrong kind. */
class AuthenticationError extends AtumpanError
{
}

/** 402: the wallet or a spending limit does not suffice. */
class InsufficientBalanceError extends AtumpanError
{
}

/** 403: the credentials do not allow this. */
class PermissionError extends AtumpanError
{
}

/** 404: there is no such thing in the organization. */
class NotFoundError extends AtumpanError
{
}

/** 409 and 422: the state of a thing, or an earlier use of the idempotency key, forbids it. */
class ConflictError extends AtumpanError
{
}

/** 400, and other answers that say that the request is wrong. */
class ValidationError extends AtumpanError
{
    /** @return array<string, list<string>> what is wrong with each field, by its path, such as `messages.3.to` */
    public function fieldErrors(): array
    {
        return $this->details['fieldErrors'] ?? [];
    }
}

/** 429: too many requests; `retryAfter` is in seconds. */
class RateLimitedError extends AtumpanError
{
}

/** 5xx, redirects, and answers that are not the service's. */
class ServerError extends AtumpanError
{
}

/** No whole answer came. The call may have had its effect: see `idempotencyKey`. */
class ConnectionError extends AtumpanError
{
}

/** The time of an attempt, of all attempts, or of waiting is over. */
class TimeoutError extends AtumpanError
{
}

/** Request that is not a webhook of the service: HEADER_MISSING, BODY_PARSED, SIGNATURE or CLOCK. */
class WebhookVerificationError extends \UnexpectedValueException
{
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}
