<?php

declare(strict_types=1);

namespace Atumpan;

/**
 * List. Iterating goes through all of its pages; `page` reads one.
 *
 * @implements \IteratorAggregate<int, array<string, mixed>>
 */
final class Pages implements \IteratorAggregate
{
    /** @param array<string, mixed> $query */
    public function __construct(
        private readonly Transport $transport,
        private readonly string $path,
        private readonly array $query,
        private readonly bool $hasCursor,
    ) {
    }

    /** @return array<string, mixed> `data` and `pagination` of the page that the filters select */
    public function page(): array
    {
        return $this->transport->send('GET', $this->path, $this->query);
    }

    public function getIterator(): \Generator
    {
        $byCursor = $this->hasCursor && !isset($this->query['page']);
        $position = $byCursor ? ['after' => $this->query['after'] ?? ''] : ['page' => $this->query['page'] ?? 1];
        do {
            $page = $this->transport->send('GET', $this->path, [...$this->query, ...$position]);
            foreach ($page['data'] as $item) {
                yield $item;
            }
            $about = $page['pagination'];
            $next = $byCursor ? $about['nextCursor'] ?? null : $position['page'] + 1;
            $hasMore = $byCursor ? $next !== null : $page['data'] && $next <= $about['totalPages'];
            $position = [$byCursor ? 'after' : 'page' => $next];
        } while ($hasMore);
    }
}
