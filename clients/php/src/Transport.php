<?php

declare(strict_types=1);

namespace Atumpan;

/** Sends requests until they are answered, or must not be repeated. */
final class Transport
{
    public const VERSION = '0.1.0';
    private const RETRIED = [429, 502, 503, 504];
    private const LONGEST_WAIT = 60.0;
    /** Seconds before the first repetition; the next waits are twice as long each. */
    public static float $firstWait = 0.5;
    private readonly \CurlHandle $curl;

    /**
     * @param \Closure(): list<string> $credentials returns headers; a closure keeps them out of dumps
     * @param ?\Closure(string, string, list<string>, ?string): array{int, array<string, string>, string} $http
     *     makes a request instead of curl: gets verb, address, headers and body, and returns status, headers and body
     */
    public function __construct(
        private readonly string $baseUrl,
        private readonly \Closure $credentials,
        private readonly float $timeout,
        private readonly float $deadline,
        private readonly int $maxRetries,
        private readonly ?\Closure $http = null,
    ) {
        $this->curl = curl_init();
    }

    /** @return array<string, mixed> what `var_dump` shows: no credentials */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /** @return array<string, mixed> */
    public function __serialize(): array
    {
        throw new \LogicException('a client holds credentials and connections: it is not serialized');
    }

    /**
     * Returns the whole answer.
     *
     * @param array<string, mixed> $query
     * @param ?array<string, mixed> $body
     * @return array<string, mixed>
     */
    public function send(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        ?string $key = null,
        ?float $deadline = null,
    ): array {
        $ends = microtime(true) + min($deadline ?? $this->deadline, $this->deadline);
        $url = $this->baseUrl . $path . self::query($query);
        $isSafe = $method === 'GET' || $key !== null;
        for ($retry = 0;; $retry++) {
            $left = max(0.001, $ends - microtime(true));
            [$answer, $error, $isSent] = $this->attempt($method, $url, $body, $key, min($left, $this->timeout));
            if ($error === null) {
                return $answer;
            }
            $isPassing = $error->status === null || in_array($error->status, self::RETRIED, true);
            $mayRepeat = !$isSent || ($isSafe && ($isPassing || $error->errorCode === 'IDEMPOTENCY_IN_PROGRESS'));
            $wait = $error->retryAfter ?? min(8.0, self::$firstWait * 2 ** $retry) * (0.5 + mt_rand() / mt_getrandmax() / 2);
            if (!$mayRepeat || $retry >= $this->maxRetries || $wait > self::LONGEST_WAIT || microtime(true) + $wait >= $ends) {
                throw $error;
            }
            usleep((int) ($wait * 1_000_000));
        }
    }

    /** @param array<string, mixed> $query */
    private static function query(array $query): string
    {
        $texts = [];
        foreach ($query as $name => $value) {
            if ($value !== null) {
                $texts[$name] = is_bool($value) ? ($value ? 'true' : 'false') : $value;
            }
        }
        return $texts ? '?' . http_build_query($texts) : '';
    }

    /**
     * @param ?array<string, mixed> $body
     * @return array{array<string, mixed>, ?AtumpanError, bool} the answer, what is wrong, and if a byte has left
     */
    private function attempt(string $method, string $url, ?array $body, ?string $key, float $timeout): array
    {
        $json = $body === null ? null : json_encode($body ?: new \stdClass(), JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        $headers = array_merge(($this->credentials)(), [
            'Accept: application/json',
            'User-Agent: atumpan-php/' . self::VERSION,
            'Expect:',
        ], $body === null ? [] : ['Content-Type: application/json'], $key === null ? [] : ["Idempotency-Key: $key"]);
        try {
            [$status, $found, $content] = $this->http === null
                ? $this->call($method, $url, $headers, $json, $key, $timeout)
                : ($this->http)($method, $url, $headers, $json);
        } catch (ConnectionError | TimeoutError $error) {
            return [[], $error, $this->isSent()];
        }
        return [...self::judge($status, $found, $content, $key), $this->isSent()];
    }

    private function isSent(): bool
    {
        return $this->http !== null || curl_getinfo($this->curl, CURLINFO_REQUEST_SIZE) > 0;
    }

    /**
     * @param list<string> $sent
     * @return array{int, array<string, string>, string} status, headers and body of the answer
     */
    private function call(string $method, string $url, array $sent, ?string $json, ?string $key, float $timeout): array
    {
        $headers = [];
        $isWhole = false;
        curl_reset($this->curl);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            CURLOPT_TIMEOUT_MS => max(1, (int) ($timeout * 1000)),
            CURLOPT_NOSIGNAL => true,
            // Curl itself repeats what it sent over a connection that it kept and that was closed.
            CURLOPT_FRESH_CONNECT => $method !== 'GET' && $key === null,
            CURLOPT_HTTPHEADER => $sent,
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$headers, &$isWhole): int {
                $isWhole = trim($line) === '';
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        if ($json !== null) {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, $json);
        }
        $content = curl_exec($this->curl);
        if (!is_string($content) || !$isWhole) { // Curl takes a head that is cut off for an answer.
            $isLate = curl_errno($this->curl) === CURLE_OPERATION_TIMEDOUT;
            $class = $isLate ? TimeoutError::class : ConnectionError::class;
            $code = $isLate ? 'TIMED_OUT' : 'CONNECTION_FAILED';
            throw new $class('the connection failed: ' . curl_strerror(curl_errno($this->curl)), $code, idempotencyKey: $key);
        }
        return [curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE), $headers, $content];
    }

    /**
     * @param array<string, string> $headers
     * @return array{array<string, mixed>, ?AtumpanError}
     */
    private static function judge(int $status, array $headers, string $content, ?string $key): array
    {
        $answer = json_decode($content, true);
        $requestId = $headers['x-request-id'] ?? null;
        if ($status === 204) {
            return [['data' => null], null];
        }
        if ($status >= 200 && $status < 300) {
            if (is_array($answer) && array_key_exists('data', $answer)) {
                return [$answer, null];
            }
            $isCut = str_contains($headers['content-type'] ?? '', 'json') && $answer === null;
            $error = $isCut
                ? new ConnectionError('the answer is cut off', 'CONNECTION_FAILED', idempotencyKey: $key)
                : new ServerError('the answer is not one of the service: is baseUrl right?', 'INVALID_ANSWER', $status);
            return [[], $error];
        }
        $fault = is_array($answer) && is_array($answer['error'] ?? null) ? $answer['error'] : [];
        $message = $fault['message'] ?? ($status < 400 ? 'redirects are not followed' : "the service answered $status");
        $after = self::seconds($headers['retry-after'] ?? null);
        $class = AtumpanError::classOf($status);
        $code = $fault['code'] ?? "HTTP_$status";
        return [[], new $class($message, $code, $status, $requestId, $fault['details'] ?? [], $after, $key)];
    }

    private static function seconds(?string $value): ?float
    {
        if ($value === null || is_numeric($value)) {
            return $value === null ? null : (float) $value;
        }
        $time = strtotime($value);
        return $time === false ? null : (float) max(0, $time - time());
    }
}
