<?php

declare(strict_types=1);

namespace Atumpan;

/** Messages: sending and following them. Fields are named as in the API. */
final class Messages
{
    private const PART = 100;

    public function __construct(private readonly Transport $transport)
    {
    }

    /** @return array<string, mixed> the message, after its first attempt */
    public function send(mixed ...$fields): array
    {
        return $this->transport->send('POST', '/messages/send', [], ...Atumpan::keyed($fields))['data'];
    }

    /**
     * Sends any number of messages, in hundreds. Each hundred is accepted or refused as a whole.
     *
     * @param iterable<array<string, mixed>> $messages
     * @return array{messages: list<?array<string, mixed>>, failures: array<int, AtumpanError>} logs in the
     *     order of the messages, null where it failed, and the errors by their places; if nothing was
     *     accepted, the first error is thrown
     */
    public function sendBulk(iterable $messages, mixed ...$settings): array
    {
        $all = is_array($messages) ? array_values($messages) : iterator_to_array($messages, false);
        ['body' => $settings, 'key' => $key] = Atumpan::keyed($settings);
        $sent = [];
        $failures = [];
        $accepted = 0;
        foreach (array_chunk($all, self::PART) ?: [[]] as $at => $part) {
            $own = count($all) > self::PART ? "$key-" . ($at + 1) : $key;
            try {
                $body = [...$settings, 'messages' => $part];
                $logs = $this->transport->send('POST', '/messages/bulk', [], $body, $own)['data'];
                $accepted++;
            } catch (AtumpanError $error) {
                $logs = array_fill(0, count($part), $error);
            }
            foreach ($logs as $log) {
                $isRefused = is_array($log) && ($log['id'] ?? null) === null;
                $failure = $isRefused ? new ValidationError('the message is not valid', $log['errorCode'], details: $log) : $log;
                if ($failure instanceof AtumpanError) {
                    $failures[count($sent)] = $failure;
                }
                $sent[] = $failure instanceof AtumpanError ? null : $log;
            }
        }
        if ($failures && $accepted === 0) {
            throw reset($failures);
        }
        return ['messages' => $sent, 'failures' => $failures];
    }

    /** @return array<string, mixed> */
    public function get(string $id, ?float $deadline = null): array
    {
        $path = '/messages/' . Atumpan::segment($id);
        return $this->transport->send('GET', $path, deadline: $deadline)['data'];
    }

    /** @return array<string, mixed> the message once it is DELIVERED or FAILED */
    public function waitUntilFinal(string $id, float $timeout = 60): array
    {
        $ends = microtime(true) + $timeout;
        for ($wait = 0.25;; $wait = min($wait * 1.5, 5.0)) {
            $message = $this->get($id, $ends - microtime(true));
            if (in_array($message['status'], ['DELIVERED', 'FAILED'], true)) {
                return $message;
            }
            if (microtime(true) + $wait >= $ends) {
                throw new TimeoutError("the message is still {$message['status']}", 'TIMED_OUT');
            }
            usleep((int) ($wait * 1_000_000));
        }
    }
}

/** Events that the organization notifies people of. */
final class Events
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /** @return array<string, mixed> the first message */
    public function trigger(mixed ...$fields): array
    {
        return $this->transport->send('POST', '/events/trigger', [], ...Atumpan::keyed($fields))['data'];
    }
}

/** The log of messages. */
final class DeliveryLogs
{
    public function __construct(private readonly Transport $transport)
    {
    }

    public function list(mixed ...$filters): Pages
    {
        return new Pages($this->transport, '/delivery-logs', $filters, true);
    }
}
