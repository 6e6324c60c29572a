<?php

// For programs without Composer.

declare(strict_types=1);

require_once __DIR__ . '/src/errors.php';
require_once __DIR__ . '/src/Transport.php';
require_once __DIR__ . '/src/Pages.php';
require_once __DIR__ . '/src/groups.php';
require_once __DIR__ . '/src/collections.php';
require_once __DIR__ . '/src/Webhooks.php';
require_once __DIR__ . '/src/Atumpan.php';
require_once __DIR__ . '/src/FakeService.php';
