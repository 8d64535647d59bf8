import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ReviewWorld, type Who } from "#test/flow/review-world";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

type Message = { readonly id: string; readonly event: string; readonly data: ReturnType<typeof JSON.parse> };

/** One open stream, read as it comes. */
class Stream {
  readonly messages: Message[] = [];
  text = "";
  isOver = false;

  private constructor(
    readonly response: Response,
    private readonly stop: AbortController,
  ) {
    void this.read();
  }

  static async open(key: string, lastId?: string): Promise<Stream> {
    const stop = new AbortController();
    const headers = new Headers({ authorization: `Bearer ${key}` });
    if (lastId !== undefined) headers.set("last-event-id", lastId);
    return new Stream(await fetch(`${world.hub.url}/api/events`, { headers, signal: stop.signal }), stop);
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of this.response.body ?? []) {
        this.text += decoder.decode(bytes, { stream: true });
        const whole = this.text.split("\n\n").slice(0, -1);
        this.messages.splice(0, this.messages.length, ...whole.flatMap(messageIn));
      }
    } catch (error) {
      if (!this.stop.signal.aborted) throw error;
    }
    this.isOver = true;
  }

  async next(wanted: (message: Message) => boolean): Promise<Message> {
    return world.eventually(async () => this.messages.find(wanted) ?? null);
  }

  close(): void {
    this.stop.abort();
  }
}

const messageIn = (text: string): Message[] => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1] ?? "";
  return field("event") === "" ? [] : [{ id: field("id"), event: field("event"), data: JSON.parse(field("data")) }];
};

const ECHO = "guardhouse/echo";
let world: ReviewWorld;
let agent: string;
let token: string;
const keys = new Map<Who, { key: string; id: string }>();

const keyOf = async (who: Who): Promise<string> => {
  const made = Object((await world.hub.cli("session", "create", world.email(who))).json());
  keys.set(who, { key: made.key, id: made.id });
  return made.key;
};

const say = async (content: string, by = token): Promise<string> => {
  const json = { model: ECHO, messages: [{ role: "user", content }] };
  const response = await world.hub.fetch("/v1/chat/completions", { token: by, json });
  await response.text();
  return response.headers.get("x-request-id") ?? "";
};

beforeAll(async () => {
  world = await ReviewWorld.open();
  agent = await world.agent("owner");
  token = await world.token("owner", agent);
});
afterAll(() => world[Symbol.asyncDispose]());

test("event stream sends ids of calls and changes to permitted users only", async () => {
  verifies("events.thin");
  const [auditor, owner, stranger] = await Promise.all(
    (["auditor", "owner", "stranger"] as const).map(async (who) => Stream.open(await keyOf(who))),
  );
  if (!auditor || !owner || !stranger) throw new Error("a stream is missing");
  expect(auditor.response.headers.get("content-type")).toContain("text/event-stream");
  const call = await say("A text that nobody else is to read");
  const isCall = ({ event, data }: Message) =>
    event === "call.finished" && data.calls.some((one: { call_id: string }) => one.call_id === call);
  expect((await auditor.next(isCall)).data).toMatchObject({ count: 1, decisions: { allow: 1 } });
  expect((await owner.next(isCall)).data.calls).toEqual([
    expect.objectContaining({
      ...{ call_id: call, agent_id: agent, kind: "chat.completion", category: "call", decision: "allow" },
      ...{ status: 200, model: "guardhouse/echo", flags: [], user: world.email("owner"), cost_usd: 0 },
    }),
  ]);
  // By the command line: a process of its own.
  await world.hub.cli("agent", "suspend", agent);
  const isChange = ({ event, data }: Message) => event === "agent.changed" && data.agent_id === agent;
  expect((await owner.next(isChange)).data).toMatchObject({ type: "agent.suspend", subject_id: agent });
  await auditor.next(isChange);
  await world.hub.cli("agent", "resume", agent);
  const isResumed = ({ data }: Message) => data.type === "agent.resume";
  await auditor.next(isResumed);
  expect(stranger.messages).toEqual([]);
  expect(`${auditor.text}${owner.text}`).not.toContain("nobody else");
  expect(auditor.messages.map(({ id }) => Number(id))).toEqual(
    auditor.messages.map(({ id }) => Number(id)).toSorted((one, other) => one - other),
  );
  for (const stream of [auditor, owner, stranger]) stream.close();
});

test("event stream sends calls of an agent to its present owner", async () => {
  verifies("calls.whose");
  const handed = await world.agent("owner");
  await world.as("root", "PATCH", `/agents/${handed}`, { owner: world.email("sponsor") });
  const [owner, sponsor] = [await Stream.open(await keyOf("owner")), await Stream.open(await keyOf("sponsor"))];
  const call = await say("Whose is it?", await world.token("sponsor", handed));
  const own = await say("And this?");
  const has = (id: string) => (message: Message) => JSON.stringify(message.data).includes(id);
  await sponsor.next(has(call));
  await owner.next(has(own));
  expect([owner.text.includes(call), sponsor.text.includes(own)]).toEqual([false, false]);
  for (const stream of [owner, sponsor]) stream.close();
});

test("event stream: a reconnect before the first event gets the missed events", async () => {
  verifies("events.resume");
  const key = await keyOf("owner");
  const first = await Stream.open(key);
  const id = await world.eventually(async () => /^id: (\d+)$/m.exec(first.text)?.[1] ?? null);
  first.close();
  const missed = await say("While nobody listened");
  const second = await Stream.open(key, id);
  await second.next(({ data }) => JSON.stringify(data).includes(missed));
  expect(second.messages.some(({ event }) => event === "resync")).toBe(false);
  second.close();
});

test("event stream: a reconnect gets missed events or resync", async () => {
  verifies("events.resume");
  const key = await keyOf("auditor");
  const first = await Stream.open(key);
  const seen = await say("One");
  const has = (id: string) => (message: Message) => JSON.stringify(message.data).includes(id);
  const { id } = await first.next(has(seen));
  first.close();
  const missed = await say("Two");
  const second = await Stream.open(key, id);
  await second.next(has(missed));
  expect(second.messages.some(has(seen))).toBe(false);
  for (const lastId of ["1", String(Number(id) + 10 ** 9)]) {
    const lost = await Stream.open(key, lastId);
    expect((await lost.next(() => true)).event).toBe("resync");
    lost.close();
  }
  second.close();
});

test("event stream: a reconnect gets no calls that now belong to another user", async () => {
  verifies("events.resume", "calls.whose");
  const handed = await world.agent("owner");
  const key = await keyOf("owner");
  const before = await Stream.open(key);
  const has = (id: string) => (message: Message) => JSON.stringify(message.data).includes(id);
  const own = await say("Before all of it");
  const { id } = await before.next(has(own));
  const call = await say("Hers for now", await world.token("owner", handed));
  await before.next(has(call));
  before.close();
  const auditor = await Stream.open(await keyOf("auditor"));
  await world.as("root", "PATCH", `/agents/${handed}`, { owner: world.email("sponsor") });
  await auditor.next(({ data }) => data.type === "agent.update" && data.agent_id === handed);
  const after = await Stream.open(key, id);
  expect((await after.next(() => true)).event).toBe("resync");
  expect(after.text).not.toContain(call);
  for (const stream of [after, auditor]) stream.close();
});

test("a stream ends with its session, and a person holds eight at most", async () => {
  verifies("events.ended");
  const key = await keyOf("bob");
  const streams: Stream[] = [];
  for (let open = 0; open < 8; open += 1) streams.push(await Stream.open(key));
  const ninth = await Stream.open(key);
  expect([ninth.response.status, ninth.text.includes("data:")]).toEqual([429, false]);
  const { code } = await world.hub.cli("session", "revoke", keys.get("bob")?.id ?? "");
  expect(code).toBe(0);
  await world.eventually(async () => (streams.every(({ isOver }) => isOver) ? true : null), 30_000);
  const gone = await Stream.open(key);
  expect(gone.response.status).toBe(401);
});

test("event stream ends at a role change; a reconnect follows the new role", async () => {
  verifies("events.ended");
  const key = await keyOf("auditor");
  const before = await Stream.open(key);
  expect((await world.as("root", "PATCH", `/users/${world.id("auditor")}`, { role: "member" })).status).toBe(200);
  await world.eventually(async () => (before.isOver ? true : null));
  const after = await Stream.open(key);
  expect(after.response.status).toBe(200);
  const call = await say("Not for members");
  const owner = await Stream.open(await keyOf("owner"), "1");
  await owner.next(() => true);
  expect(await world.hub.cli("agent", "suspend", agent)).toMatchObject({ code: 0 });
  await owner.next(({ data }) => data.type === "agent.suspend");
  expect([before.text, after.text].filter((text) => text.includes(call) || text.includes("suspend"))).toEqual([]);
  for (const stream of [after, owner]) stream.close();
});
