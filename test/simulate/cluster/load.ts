import { isRecord } from "#core/json/json";
import type { HubProcess } from "./hub-process";

/* Callers that go on until they are stopped, over all hubs by turns, and what each of them sent and was answered. */

export const KINDS = ["chat", "stream", "tool"] as const;
export type Kind = (typeof KINDS)[number];

/** One call as its caller knows it. */
export type Sent = {
  readonly hub: string;
  readonly kind: Kind;
  readonly began: number;
  /** Null where no answer came. */
  readonly id: string | null;
  readonly status: number | null;
  /** The code of a refusal. */
  readonly code: string | null;
  /** Of a connection that broke: what the system says of it. */
  readonly broken: string | null;
  /** The whole answer came, and it was the right one. */
  readonly isWhole: boolean;
  readonly ended: number;
};

/** What every call of a caller says. */
export type Asking = {
  readonly token: string;
  readonly model: string;
  /** The name of a tool that answers its `message`. */
  readonly tool: string;
  /** Whether connections are used again; otherwise each call may reach another process behind an address. */
  readonly isKept: boolean;
};

export type LoadOptions = Asking & {
  readonly callers: number;
  /** Between two calls of one caller. Milliseconds. */
  readonly pauseMs: number;
};

/** What a caller gives up after: nothing that hangs goes unseen. Milliseconds. */
const PATIENCE_MS = 30_000;

type Answer = Pick<Sent, "id" | "status" | "code" | "broken" | "isWhole">;
const NOTHING: Answer = { id: null, status: null, code: null, broken: null, isWhole: false };

export class Load {
  readonly sent: Sent[] = [];
  #isOn = true;
  readonly #callers: Promise<unknown>;

  constructor(
    private readonly hubs: readonly HubProcess[],
    private readonly options: LoadOptions,
  ) {
    this.#callers = Promise.all(Array.from({ length: options.callers }, (_, at) => this.#caller(at)));
  }

  /** Waits until so many more calls have ended. */
  async more(count: number): Promise<void> {
    const wanted = this.sent.length + count;
    while (this.sent.length < wanted) await Bun.sleep(5);
  }

  /** Of the calls that have ended, the one that began last at a hub, after a moment. */
  latest(hub: HubProcess, moment: number): Sent | null {
    const calls = this.sent.filter(({ hub: id, began }) => id === hub.id && began >= moment);
    return calls.reduce<Sent | null>((last, one) => (last === null || one.began > last.began ? one : last), null);
  }

  async stop(): Promise<readonly Sent[]> {
    this.#isOn = false;
    await this.#callers;
    return this.sent;
  }

  async #caller(at: number): Promise<void> {
    for (let turn = at; this.#isOn; turn++) {
      const hub = this.hubs[turn % this.hubs.length];
      const kind = KINDS[Math.floor(turn / this.hubs.length) % KINDS.length];
      // What spreads calls over hubs leaves out the ones that are known to be down.
      if (hub?.isUp === true && kind !== undefined) this.sent.push(await call(hub, kind, this.options));
      await Bun.sleep(this.options.pauseMs);
    }
  }
}

/** One call, of which everything that goes wrong is an answer too. */
export const call = async (hub: HubProcess, kind: Kind, options: Asking): Promise<Sent> => {
  const began = performance.now();
  let answer = NOTHING;
  hub.unheard += 1;
  const heard = (so: Answer): void => {
    if (answer === NOTHING) hub.unheard -= 1;
    answer = so;
  };
  try {
    heard(await ask(hub.url, kind, options, heard));
  } catch (error) {
    // A connection that breaks leaves what was known of the answer by then.
    const { code, name } = Object(error);
    heard({ ...answer, broken: `${code ?? name ?? "broken"}` });
  }
  return { hub: hub.id, kind, began, ...answer, ended: performance.now() };
};

const ask = async (
  url: string,
  kind: Kind,
  { token, model, tool, isKept }: Asking,
  heard: (answer: Answer) => void,
): Promise<Answer> => {
  const message = "hello";
  const chat = { model, stream: kind === "stream", messages: [{ role: "user", content: message }] };
  const body = kind === "tool" ? { method: "tools/call", params: { name: tool, arguments: { message } } } : chat;
  const response = await fetch(url + (kind === "tool" ? "/mcp/gateway" : "/v1/chat/completions"), {
    method: "POST",
    keepalive: isKept,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { status } = response;
  const begun = { ...NOTHING, status, id: response.headers.get("x-request-id") };
  heard(begun);
  const text = await response.text();
  if (status !== 200) return { ...begun, code: codeIn(text) };
  return { ...begun, isWhole: isRight(kind, text, message) };
};

const isRight = (kind: Kind, text: string, message: string): boolean => {
  if (kind === "stream") return text.endsWith("data: [DONE]\n\n");
  const value: unknown = JSON.parse(text);
  if (kind === "tool") return JSON.stringify(value).includes(`"text":"${message}"`);
  return isRecord(value) && JSON.stringify(value["choices"]).includes('"finish_reason":"stop"');
};

const codeIn = (text: string): string | null => /"code":"([a-z_]+)"/.exec(text)?.[1] ?? null;
