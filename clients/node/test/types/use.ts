// Read by compilers alone: what must be typed, and what must be refused.
import {
  Atumpan,
  ValidationError,
  webhooks,
  type DeliveryLog,
  type Logger,
  type Page,
  type SendMessageRequest,
  type WebhookMessage,
} from "atumpan";
import { FakeService } from "atumpan/testing";

const logger: Logger = console;
const client = new Atumpan({ apiKey: "k", baseUrl: "https://example.com", logger, fetch: new FakeService().fetch });

export const use = async (request: SendMessageRequest): Promise<void> => {
  const message = await client.messages.send(request, { timeout: 1000, signal: new AbortController().signal });
  const cost: number = message.cost;
  const sentAt: string | null = message.sentAt;
  await client.messages.send({ channel: "SMS", to: "0241234567", body: "Akwaaba!" });
  // @ts-expect-error A channel that there is not.
  await client.messages.send({ channel: "PIGEON", to: "x" });
  // @ts-expect-error The recipient is missing.
  await client.messages.send({ channel: "SMS" });
  // @ts-expect-error A field that there is not.
  await client.messages.send({ channel: "SMS", to: "x", text: "x" });
  for await (const log of client.deliveryLogs.list({ status: "FAILED" })) {
    const one: DeliveryLog = log;
    void one;
  }
  const page: Page<DeliveryLog> = await client.deliveryLogs.list().page();
  const { messages, failures } = await client.messages.sendBulk([{ channel: "SMS", to: "x", body: "x" }], {
    async: true,
  });
  const id: string | undefined | null = messages[0]?.id;
  const places: number[] = failures.map((failure) => failure.index);
  const stream: ReadableStream<Uint8Array> = await client.deliveryLogs.export();
  const gone: void = await client.organizations.leave();
  await client.contacts.import("phone\n", { onProgress: ({ created }) => created.toFixed() });
  // @ts-expect-error An identifier is required.
  await client.contacts.get();
  void [cost, sentAt, page, id, places, stream, gone];
};

export const receive = async (body: string, headers: Headers): Promise<string> => {
  const event: WebhookMessage = await webhooks.verify(body, headers, ["a", "b"]);
  switch (event.event) {
    case "message.status.updated":
      return event.data.recipient;
    case "campaign.completed":
      return event.data.name;
    default:
      return event.id;
  }
};

export const explain = (error: unknown): string[] =>
  error instanceof ValidationError ? Object.keys(error.fieldErrors) : [];
