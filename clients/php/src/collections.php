<?php

declare(strict_types=1);

namespace Atumpan;

/** Things that are listed and created. Fields and filters are named as in the API. */
abstract class Collection
{
    public function __construct(protected readonly Transport $transport, private readonly string $path)
    {
    }

    public function list(mixed ...$filters): Pages
    {
        return new Pages($this->transport, $this->path, $filters, false);
    }

    /** @return array<string, mixed> */
    public function create(mixed ...$fields): array
    {
        return $this->transport->send('POST', $this->path, [], ...Atumpan::keyed($fields))['data'];
    }

    protected function at(string $id): string
    {
        return $this->path . '/' . Atumpan::segment($id);
    }
}

/** People whom the organization writes to. */
final class Contacts extends Collection
{
    /** @return array<string, mixed> */
    public function get(string $id): array
    {
        return $this->transport->send('GET', $this->at($id))['data'];
    }

    /** @return array<string, mixed> the contact, with the changed fields */
    public function update(string $id, mixed ...$fields): array
    {
        return $this->transport->send('PATCH', $this->at($id), [], $fields)['data'];
    }

    /** Deletes a contact, and erases the person from the log. */
    public function delete(string $id): void
    {
        $this->transport->send('DELETE', $this->at($id));
    }
}

/** Numbers and addresses that get no messages. */
final class Suppression extends Collection
{
    public function delete(string $id): void
    {
        $this->transport->send('DELETE', $this->at($id));
    }
}

/** Texts that the service keeps. */
final class Templates extends Collection
{
    /** @return array<string, mixed> */
    public function get(string $id): array
    {
        return $this->transport->send('GET', $this->at($id))['data'];
    }

    /** @return array<string, mixed> the template; a changed text is judged anew */
    public function update(string $id, mixed ...$fields): array
    {
        return $this->transport->send('PATCH', $this->at($id), [], $fields)['data'];
    }
}
