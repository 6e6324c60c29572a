<?php

// For programs without Composer.

declare(strict_types=1);

require_once __DIR__ . '/src/errors.php';
require_once __DIR__ . '/src/Transport.php';
require_once __DIR__ . '/src/Pages.php';
require_once __DIR__ . '/src/groups.php';
require_once __DIR__ . '/src/Webhooks.php';
require_once __DIR__ . '/src/Atumpan.php';
