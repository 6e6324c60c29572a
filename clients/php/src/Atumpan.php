<?php

declare(strict_types=1);

namespace Atumpan;

/** Client of the service. */
final class Atumpan
{
    public readonly Messages $messages;
    public readonly Events $events;
    public readonly DeliveryLogs $deliveryLogs;
    public readonly Contacts $contacts;
    public readonly Suppression $suppression;
    public readonly Templates $templates;
    private readonly Transport $transport;

    /**
     * @param ?string $apiKey from `ATUMPAN_API_KEY` if there is neither a key nor a token
     * @param ?string $token session of a person, with the organization in which it acts
     * @param ?string $baseUrl from `ATUMPAN_BASE_URL` if absent
     * @param float $timeout seconds for each attempt
     * @param float $deadline seconds for all attempts
     * @param ?\Closure $http makes the requests instead of curl, as `FakeService` does
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey = null,
        #[\SensitiveParameter] ?string $token = null,
        ?string $organizationId = null,
        ?string $baseUrl = null,
        float $timeout = 30,
        float $deadline = 120,
        int $maxRetries = 2,
        ?\Closure $http = null,
    ) {
        if ($apiKey !== null && $token !== null) {
            throw new \InvalidArgumentException('apiKey and token exclude each other');
        }
        if ($organizationId !== null && $token === null) {
            throw new \InvalidArgumentException('organizationId belongs to a token; a key has its organization');
        }
        $apiKey ??= $token === null ? (getenv('ATUMPAN_API_KEY') ?: null) : null;
        $credentials = [];
        if ($token !== null) {
            $credentials[] = "Authorization: Bearer $token";
        }
        if ($organizationId !== null) {
            $credentials[] = "X-Organization-Id: $organizationId";
        }
        if ($apiKey !== null) {
            $credentials[] = "X-API-Key: $apiKey";
        }
        $url = self::address($baseUrl ?? (getenv('ATUMPAN_BASE_URL') ?: ''));
        $this->transport = new Transport($url, static fn (): array => $credentials, $timeout, $deadline, $maxRetries, $http);
        $this->messages = new Messages($this->transport);
        $this->events = new Events($this->transport);
        $this->deliveryLogs = new DeliveryLogs($this->transport);
        $this->contacts = new Contacts($this->transport, '/contacts');
        $this->suppression = new Suppression($this->transport, '/compliance/suppression');
        $this->templates = new Templates($this->transport, '/templates');
    }

    /**
     * Calls any operation of the API, and returns `data` of the answer. Give `$key`, an idempotency key,
     * to operations that take one: then the call is repeated if the connection fails.
     *
     * @param array<string, mixed> $query
     * @param ?array<string, mixed> $body
     */
    public function request(string $method, string $path, array $query = [], ?array $body = null, ?string $key = null): mixed
    {
        return $this->transport->send($method, $path, $query, $body, $key)['data'];
    }

    /** Lists what any path of the API lists in pages, such as `/contacts`. */
    public function list(string $path, mixed ...$filters): Pages
    {
        return new Pages($this->transport, $path, $filters, false);
    }

    /**
     * @internal
     * @param array<string, mixed> $fields
     * @return array{body: array<string, mixed>, key: string} the body without its key, and the key
     */
    public static function keyed(array $fields): array
    {
        $fields = is_array($fields[0] ?? null) ? $fields[0] : $fields;
        $key = $fields['idempotencyKey'] ?? bin2hex(random_bytes(16));
        unset($fields['idempotencyKey']);
        return ['body' => $fields, 'key' => $key];
    }

    /** @internal */
    public static function segment(string $id): string
    {
        if (in_array($id, ['', '.', '..'], true)) {
            throw new \InvalidArgumentException('an identifier is empty, or a path');
        }
        return rawurlencode($id);
    }

    private static function address(string $url): string
    {
        $parts = parse_url($url);
        if (!isset($parts['host']) || !in_array($parts['scheme'] ?? '', ['http', 'https'], true)) {
            throw new \InvalidArgumentException('baseUrl (or ATUMPAN_BASE_URL) is not an address such as https://notify.example.com');
        }
        if (isset($parts['user']) || isset($parts['pass'])) {
            throw new \InvalidArgumentException('baseUrl must not hold a user or a password');
        }
        $isLoopback = preg_match('/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/', $parts['host']) === 1;
        if ($parts['scheme'] === 'http' && !$isLoopback) {
            throw new \InvalidArgumentException('baseUrl must begin with https://, except for this machine');
        }
        return rtrim($url, '/');
    }
}
