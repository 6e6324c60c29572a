<?php

// What needs no service. Ends with 1 if something is wrong.

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

use Atumpan\Atumpan;
use Atumpan\AtumpanError;
use Atumpan\ConflictError;
use Atumpan\FakeService;
use Atumpan\InsufficientBalanceError;
use Atumpan\ServerError;
use Atumpan\TimeoutError;
use Atumpan\Transport;
use Atumpan\ValidationError;
use Atumpan\WebhookVerificationError;
use Atumpan\Webhooks;

const KEY = 'ak_live_0123456789abcdef';
const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
const FORMER = 'whsec_NzY1NDMyMTBmZWRjYmE5ODc2NTQzMjEw';

function check(bool $isTrue, string $what): void
{
    if (!$isTrue) {
        fwrite(STDERR, "wrong: $what\n");
        exit(1);
    }
}

function thrown(callable $work): ?Throwable
{
    try {
        $work();
    } catch (Throwable $error) {
        return $error;
    }
    return null;
}

foreach (['http://notify.example.com', 'http://127.0.0.1.example.com', 'ftp://localhost', '', 'https://u:p@x.example'] as $url) {
    $error = thrown(fn () => new Atumpan(apiKey: KEY, baseUrl: $url));
    check($error instanceof InvalidArgumentException, "'$url' is refused");
    check(!str_contains((string) $error, KEY), 'no key in a stack trace');
}
foreach (['https://notify.example.com/', 'http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:80'] as $url) {
    $client = new Atumpan(apiKey: KEY, baseUrl: $url);
    ob_start();
    var_dump($client);
    print_r($client);
    var_export((array) $client);
    check(!str_contains((string) ob_get_clean(), KEY), 'no key in dumps');
}
check(thrown(fn () => serialize($client)) !== null, 'a client is not serialized');
check(thrown(fn () => $client->messages->get('..')) instanceof InvalidArgumentException, 'no path as identifier');
check(thrown(fn () => new Atumpan(apiKey: 'a', token: 'b')) instanceof InvalidArgumentException, 'one credential');

check(AtumpanError::classOf(422) === ConflictError::class, '422');
check(AtumpanError::classOf(418) === ValidationError::class, '418');
check(AtumpanError::classOf(302) === ServerError::class, '302');

Transport::$firstWait = 0.001;
$fake = new FakeService();
$shop = $fake->client();
$ready = ['channel' => 'SMS', 'to' => '0241234567', 'body' => 'Order 17 is ready.'];
check($shop->messages->send(...$ready)['status'] === 'SENT', 'a message is sent');
check($shop->messages->waitUntilFinal($fake->messages[0]['id'])['status'] === 'DELIVERED', 'it is delivered');
$fake->failNext('lost-answer', 'connection', 503);
check(thrown(fn () => $shop->messages->send(...$ready)) instanceof ServerError, 'the last of three failures');
check(count($fake->messages) === 2, 'what was done before the answer was lost');
check(count(array_unique(array_column(array_slice($fake->requests, -3), 'idempotencyKey'))) === 1, 'one key');
$fake->failNext('timeout', 'timeout', 'timeout');
$late = thrown(fn () => $shop->messages->send(...$ready));
check($late instanceof TimeoutError, 'no answer in time');
$shop->messages->send(...$ready, idempotencyKey: $late->idempotencyKey);
$shop->messages->send(...$ready, idempotencyKey: $late->idempotencyKey);
check(count($fake->messages) === 3, 'a key is used once');
$fake->failNext(['status' => 402, 'code' => 'INSUFFICIENT_BALANCE']);
check(thrown(fn () => $shop->messages->send(...$ready)) instanceof InsufficientBalanceError, 'an error of the API');
check(count($shop->messages->sendBulk(array_fill(0, 150, $ready))['messages']) === 150, 'a bulk');
$lost = $shop->messages->send(...['to' => '0241230000'] + $ready);
check($shop->messages->get($lost['id'])['errorCode'] === 'UNDELIVERED', 'a number that fails');
$fake->answer('GET /contacts', [['id' => '1']])->answer('DELETE /contacts/1', null);
check(iterator_to_array($shop->contacts->list(), false) === [['id' => '1']], 'an answer of the test');
$shop->contacts->delete('1');
check(end($fake->requests)['operation'] === 'DELETE /contacts/1', 'the last request');
check(thrown(fn () => $shop->contacts->get('2'))->errorCode === 'NOT_FOUND', 'no answer of the test');
$fake->failNext('connection');
check(thrown(fn () => $shop->contacts->delete('1'))->errorCode === 'CONNECTION_FAILED', 'a deletion is not repeated');

$body = '{"id": "1", "event": "message.status.updated", "data": {"status": "DELIVERED"}}';
$headers = Webhooks::sign($body, SECRET);
$reason = function (mixed $body, array $headers, string|array $secrets = SECRET): string {
    $error = thrown(fn () => Webhooks::verify($body, $headers, $secrets));
    check(!str_contains((string) $error, SECRET), 'no secret in a stack trace');
    return $error instanceof WebhookVerificationError ? $error->reason : 'none';
};
check(Webhooks::verify($body, $headers, SECRET)['data']['status'] === 'DELIVERED', 'the event');
check(Webhooks::verify($body, array_change_key_case($headers, CASE_UPPER), [FORMER, SECRET])['id'] === '1', 'two secrets');
check($reason($body, ['webhook-id' => ''] + $headers) === 'HEADER_MISSING', 'header');
check($reason(json_decode($body, true), $headers) === 'BODY_PARSED', 'parsed');
check($reason("$body ", $headers) === 'SIGNATURE', 'signature');
check($reason($body, $headers, FORMER) === 'SIGNATURE', 'secret');
check($reason($body, Webhooks::sign($body, SECRET, time() - 301)) === 'CLOCK', 'clock');
check(thrown(fn () => Webhooks::verify($body, $headers, 'secret')) instanceof InvalidArgumentException, 'no secret');
echo json_encode(['body' => $body, 'headers' => $headers, 'secret' => SECRET]), "\n";
