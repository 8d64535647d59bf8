import { type TSchema, Type, Value } from "#core/schema";

/*
 * Stand-ins for what alerts are sent to. Each takes and refuses what the service itself documents: Slack's incoming
 * webhooks and Block Kit, Teams workflows and Adaptive Cards 1.4, PagerDuty's Events API v2.
 */

const text = (most: number) => Type.String({ minLength: 1, maxLength: most });
const oneOf = (...values: readonly string[]) => Type.Union(values.map((value) => Type.Literal(value)));
const closed = { additionalProperties: false } as const;

const SlackText = Type.Object(
  { type: oneOf("mrkdwn", "plain_text"), text: text(3_000), emoji: Type.Optional(Type.Boolean()) },
  closed,
);
const SlackBlock = Type.Union([
  Type.Object({ type: Type.Literal("section"), text: SlackText }, closed),
  Type.Object(
    { type: Type.Literal("context"), elements: Type.Array(SlackText, { minItems: 1, maxItems: 10 }) },
    closed,
  ),
]);
const SlackMessage = Type.Object(
  {
    text: text(40_000),
    attachments: Type.Array(
      Type.Object(
        {
          color: Type.String({ pattern: "^#[0-9a-f]{6}$" }),
          blocks: Type.Array(SlackBlock, { minItems: 1, maxItems: 50 }),
        },
        closed,
      ),
    ),
  },
  closed,
);

const TextRun = Type.Object({ type: Type.Literal("TextRun"), text: Type.String({ minLength: 1 }) });
const RichText = Type.Object({ type: Type.Literal("RichTextBlock"), inlines: Type.Array(TextRun, { minItems: 1 }) });
const Container = Type.Object({
  type: Type.Literal("Container"),
  style: oneOf("default", "emphasis", "good", "attention", "warning", "accent"),
  items: Type.Array(RichText, { minItems: 1 }),
});
const TeamsMessage = Type.Object({
  type: Type.Literal("message"),
  attachments: Type.Array(
    Type.Object({
      contentType: Type.Literal("application/vnd.microsoft.card.adaptive"),
      contentUrl: Type.Null(),
      content: Type.Object({
        $schema: Type.Literal("http://adaptivecards.io/schemas/adaptive-card.json"),
        type: Type.Literal("AdaptiveCard"),
        version: oneOf("1.2", "1.3", "1.4"),
        body: Type.Array(Type.Union([Container, RichText]), { minItems: 1 }),
        actions: Type.Array(
          Type.Object({
            type: Type.Literal("Action.OpenUrl"),
            title: Type.String(),
            url: Type.String({ pattern: "^https?://" }),
          }),
        ),
      }),
    }),
    { minItems: 1, maxItems: 1 },
  ),
});

const event = { routing_key: Type.String({ pattern: "^[0-9A-Za-z]{32}$" }), dedup_key: text(255) };
const PagerDutyEvent = Type.Union([
  Type.Object({ ...event, event_action: oneOf("acknowledge", "resolve") }, closed),
  Type.Object(
    {
      ...event,
      event_action: Type.Literal("trigger"),
      payload: Type.Object(
        {
          summary: text(1_024),
          source: text(1_024),
          severity: oneOf("critical", "error", "warning", "info"),
          timestamp: Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" }),
          component: Type.String(),
          group: Type.String(),
          class: Type.String(),
          custom_details: Type.Record(Type.String(), Type.String()),
        },
        closed,
      ),
      client: Type.String(),
      client_url: Type.String(),
      links: Type.Array(Type.Object({ href: Type.String({ pattern: "^https?://" }), text: Type.String() }, closed)),
    },
    closed,
  ),
]);

type Said = ReturnType<typeof JSON.parse>;

/** A service that takes what it documents, and refuses the rest as it says it does. */
export class AlertReceiver implements AsyncDisposable {
  /** What it took. */
  readonly taken: Said[] = [];
  /** What it refused. */
  readonly refused: Said[] = [];
  /** Ids of what is open, as PagerDuty counts incidents. */
  readonly open = new Set<string>();
  private readonly server: Bun.Server<undefined>;

  private constructor(
    private readonly schema: TSchema,
    private readonly answers: { readonly good: (body: Said) => Response; readonly bad: () => Response },
  ) {
    this.server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.take(request) });
  }

  static slack(): AlertReceiver {
    return new AlertReceiver(SlackMessage, {
      good: () => new Response("ok"),
      bad: () => new Response("invalid_payload", { status: 400 }),
    });
  }

  static teams(): AlertReceiver {
    return new AlertReceiver(TeamsMessage, {
      good: () => new Response(null, { status: 202 }),
      bad: () => Response.json({ error: { code: "TriggerInputSchemaMismatch" } }, { status: 400 }),
    });
  }

  static pagerDuty(): AlertReceiver {
    return new AlertReceiver(PagerDutyEvent, {
      good: ({ dedup_key }) =>
        Response.json({ status: "success", message: "Event processed", dedup_key }, { status: 202 }),
      bad: () => Response.json({ status: "invalid event", message: "Event object is invalid" }, { status: 400 }),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/services/T0/B0/x`;
  }

  private fits(body: Said): boolean {
    return Value.Check(this.schema, body);
  }

  private async take(request: Request): Promise<Response> {
    // What is no JSON is refused and kept, as the service does: the schema does not allow null.
    const body: Said = await request.json().catch(() => null);
    const isJson = request.headers.get("content-type") === "application/json";
    if (request.method !== "POST" || !isJson || !this.fits(body)) {
      this.refused.push(body);
      return this.answers.bad();
    }
    this.taken.push(body);
    if (body.event_action === "trigger") this.open.add(body.dedup_key);
    if (body.event_action === "resolve") this.open.delete(body.dedup_key);
    return this.answers.good(body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop(true);
  }
}
