<?php

declare(strict_types=1);

namespace Atumpan;

/**
 * Service in memory, for tests of programs that send. It accepts messages, keeps idempotency keys, and fails as it
 * is told to. As in the sandbox, recipients that end in 0000 fail, and those that end in 0001 stay SENT.
 */
final class FakeService
{
    /** @var list<array{operation: string, body: ?array<string, mixed>, idempotencyKey: ?string}> all requests */
    public array $requests = [];
    /** @var list<array<string, mixed>> accepted messages, oldest first */
    public array $messages = [];
    /** @var list<string|int|array<string, mixed>> */
    private array $ways = [];
    /** @var array<string, mixed> */
    private array $answers = [];
    /** @var array<string, array{int, mixed}> */
    private array $kept = [];

    /** Returns a client of this service. */
    public function client(int $maxRetries = 2): Atumpan
    {
        return new Atumpan('ak_fake', baseUrl: 'http://localhost', maxRetries: $maxRetries, http: $this->respond(...));
    }

    /**
     * Lets the next requests fail, one for each of the ways: `connection` (lost before anything is done),
     * `lost-answer` (the work is done), `timeout`, a status, or an error such as
     * `['status' => 402, 'code' => 'INSUFFICIENT_BALANCE']`.
     *
     * @param string|int|array<string, mixed> ...$ways
     */
    public function failNext(string|int|array ...$ways): self
    {
        array_push($this->ways, ...$ways);
        return $this;
    }

    /** Lets an operation, such as `GET /contacts/1`, answer with data from now on. */
    public function answer(string $operation, mixed $data): self
    {
        $this->answers[$operation] = $data;
        return $this;
    }

    /**
     * @param list<string> $headers
     * @return array{int, array<string, string>, string}
     */
    private function respond(string $method, string $url, array $headers, ?string $json): array
    {
        $operation = "$method " . parse_url($url, PHP_URL_PATH);
        $body = $json === null ? null : json_decode($json, true);
        $prefix = 'Idempotency-Key: ';
        $keys = array_filter($headers, static fn (string $header): bool => str_starts_with($header, $prefix));
        $key = $keys ? substr(reset($keys), strlen($prefix)) : null;
        $this->requests[] = ['operation' => $operation, 'body' => $body, 'idempotencyKey' => $key];
        $way = array_shift($this->ways);
        if (is_int($way) || is_array($way)) {
            $way = is_int($way) ? ['status' => $way] : $way;
            return self::refusal($way + ['code' => "HTTP_{$way['status']}", 'message' => 'told to fail']);
        }
        if ($way === null || $way === 'lost-answer') {
            [$status, $data] = $this->kept[$key ?? ''] ?? $this->work($operation, $body ?? []);
            if ($key !== null && $status < 300) {
                $this->kept[$key] = [$status, $data];
            }
        }
        if ($way !== null) {
            throw $way === 'timeout'
                ? new TimeoutError('there is no answer', 'TIMED_OUT', idempotencyKey: $key)
                : new ConnectionError('the connection is lost', 'CONNECTION_FAILED', idempotencyKey: $key);
        }
        if ($status === 404) {
            $text = "the fake service has no answer to $operation: give one with answer()";
            return self::refusal(['status' => 404, 'code' => 'NOT_FOUND', 'message' => $text]);
        }
        $answer = ['success' => true, 'data' => $data];
        if (is_array($data) && array_is_list($data)) {
            $answer['pagination'] = ['page' => 1, 'limit' => 100, 'total' => count($data), 'totalPages' => 1];
        }
        return [$status, [], json_encode($answer, JSON_THROW_ON_ERROR)];
    }

    /**
     * @param array<string, mixed> $body
     * @return array{int, mixed} status and data
     */
    private function work(string $operation, array $body): array
    {
        $created = empty($body['async']) ? 201 : 202;
        if (array_key_exists($operation, $this->answers)) {
            return [200, $this->answers[$operation]];
        }
        if ($operation === 'POST /messages/send' || $operation === 'POST /events/trigger') {
            return [$created, $this->accept($body)];
        }
        if ($operation === 'POST /messages/bulk') {
            return [$created, array_map(fn (array $one): array => $this->accept($one + $body), $body['messages'])];
        }
        foreach ($this->messages as $message) {
            if ($operation === "GET /messages/{$message['id']}") {
                return [200, $message];
            }
        }
        return [404, null];
    }

    /**
     * Keeps a message with its outcome, and returns it as it is at first.
     *
     * @param array<string, mixed> $body
     * @return array<string, mixed>
     */
    private function accept(array $body): array
    {
        $to = (string) ($body['to'] ?? '');
        $end = substr(explode('@', $to)[0], -4);
        $outcome = ['0000' => 'FAILED', '0001' => 'SENT'][$end] ?? 'DELIVERED';
        $message = [
            'id' => bin2hex(random_bytes(16)),
            'channel' => $body['channel'] ?? 'SMS',
            'recipient' => $to,
            'subject' => $body['subject'] ?? null,
            'body' => $body['body'] ?? '',
            'status' => $outcome,
            'errorCode' => $outcome === 'FAILED' ? 'UNDELIVERED' : null,
            'cost' => 0,
            'isSandbox' => true,
        ];
        $this->messages[] = $message;
        return ['status' => empty($body['async']) ? 'SENT' : 'QUEUED', 'errorCode' => null] + $message;
    }

    /**
     * @param array<string, mixed> $way
     * @return array{int, array<string, string>, string}
     */
    private static function refusal(array $way): array
    {
        $error = ['code' => $way['code'], 'message' => $way['message'], 'details' => $way['details'] ?? new \stdClass()];
        $headers = isset($way['retryAfter']) ? ['retry-after' => (string) $way['retryAfter']] : [];
        return [$way['status'], $headers, json_encode(['success' => false, 'error' => $error], JSON_THROW_ON_ERROR)];
    }
}
