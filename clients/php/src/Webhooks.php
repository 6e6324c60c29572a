<?php

declare(strict_types=1);

namespace Atumpan;

/** Checks and makes the signatures of webhooks. */
final class Webhooks
{
    /**
     * Returns the event of a request, if one of the secrets signed it in the last five minutes.
     *
     * @param mixed $body the body as it was received: `file_get_contents('php://input')`
     * @param array<string, string|list<string>> $headers such as of `getallheaders()`
     * @param string|list<string> $secrets
     * @return array<string, mixed>
     */
    public static function verify(
        mixed $body,
        array $headers,
        #[\SensitiveParameter] string|array $secrets,
        int $tolerance = 300,
    ): array {
        if (!is_string($body)) {
            throw new WebhookVerificationError('BODY_PARSED', 'the body is already parsed; pass it as it was received');
        }
        $found = array_change_key_case($headers);
        $values = [];
        foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
            $value = $found[$name] ?? '';
            $values[] = is_array($value) ? implode(' ', $value) : $value;
            if (end($values) === '') {
                throw new WebhookVerificationError('HEADER_MISSING', "the header $name is missing");
            }
        }
        [$id, $sent, $given] = $values;
        $isKnown = false;
        foreach ((array) $secrets as $secret) {
            $expected = self::signature("$id.$sent.$body", $secret);
            foreach (explode(' ', $given) as $signature) {
                $isKnown = hash_equals($expected, $signature) || $isKnown;
            }
        }
        if (!$isKnown) {
            throw new WebhookVerificationError('SIGNATURE', 'the signature is not of this body and secret');
        }
        if (!ctype_digit($sent) || abs(time() - (int) $sent) > $tolerance) {
            throw new WebhookVerificationError('CLOCK', "the request is more than $tolerance seconds old or early");
        }
        return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    }

    /** @return array<string, string> the headers with which the service would send a body, for tests of receivers */
    public static function sign(string $body, #[\SensitiveParameter] string $secret, ?int $timestamp = null): array
    {
        $event = json_decode($body, true) ?? [];
        $id = $event['id'] ?? bin2hex(random_bytes(16));
        $sent = (string) ($timestamp ?? time());
        return [
            'content-type' => 'application/json',
            'x-service-event' => $event['event'] ?? '',
            'x-service-signature' => hash_hmac('sha256', $body, $secret),
            'webhook-id' => $id,
            'webhook-timestamp' => $sent,
            'webhook-signature' => self::signature("$id.$sent.$body", $secret),
        ];
    }

    private static function signature(string $signed, #[\SensitiveParameter] string $secret): string
    {
        $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : false;
        if (!is_string($key) || $key === '') {
            throw new \InvalidArgumentException('a secret of a webhook endpoint begins with whsec_');
        }
        return 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    }
}
