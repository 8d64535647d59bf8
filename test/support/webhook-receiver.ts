import { createHmac, timingSafeEqual } from "node:crypto";

/** One request as a receiver got it. */
export type Received = {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  readonly headers: Headers;
};

/**
 * Whether a message is signed with this secret, as a receiver finds out: written from the text of Standard Webhooks
 * 1.0, beside what signs.
 */
export const isSignedWith = (secret: string, { id, timestamp, body, signature }: Received): boolean => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  return signature.split(" ").some((part) => {
    const [version, value = ""] = part.split(",");
    const given = Buffer.from(value, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
};

/** A receiver of webhooks on this machine: keeps what comes and answers as told. */
export class WebhookReceiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** What is answered next, and from then on when it is the last. */
  readonly answers: (number | Response)[] = [204];
  private readonly server: Bun.Server<undefined>;

  constructor(port = 0) {
    this.server = Bun.serve({ port, hostname: "127.0.0.1", fetch: (request) => this.take(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/hook`;
  }

  get port(): number {
    return this.server.port ?? 0;
  }

  /** The types of what came, in order. */
  get types(): string[] {
    return this.received.map(({ body }) => String(JSON.parse(body).type));
  }

  private async take(request: Request): Promise<Response> {
    const { headers } = request;
    const text = (name: string) => headers.get(name) ?? "";
    this.received.push({
      id: text("webhook-id"),
      timestamp: text("webhook-timestamp"),
      signature: text("webhook-signature"),
      body: await request.text(),
      headers,
    });
    const next = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    return next instanceof Response ? next : new Response(null, { status: next ?? 204 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }
}
