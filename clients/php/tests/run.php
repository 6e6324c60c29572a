<?php

// Runs code against a service: php run.php CODE. Prints the result or the error as JSON.

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

use Atumpan\Atumpan;
use Atumpan\AtumpanError;
use Atumpan\Transport;
use Atumpan\ValidationError;

Transport::$firstWait = 0.05;
$client = new Atumpan(
    apiKey: getenv('KEY') ?: null,
    token: getenv('TOKEN') ?: null,
    organizationId: getenv('ORGANIZATION') ?: null,
    timeout: (float) (getenv('TIMEOUT') ?: 30),
    maxRetries: (int) (getenv('RETRIES') !== false ? getenv('RETRIES') : 2),
);
try {
    $result = eval($argv[1]);
} catch (AtumpanError $error) {
    $result = [
        'class' => $error::class,
        'code' => $error->errorCode,
        'status' => $error->status,
        'key' => $error->idempotencyKey,
        'retryAfter' => $error->retryAfter,
        'fieldErrors' => $error instanceof ValidationError ? $error->fieldErrors() : null,
    ];
}
echo json_encode($result);
