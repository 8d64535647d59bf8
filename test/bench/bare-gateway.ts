/**
 * The least that a guarding gateway does, part by part: it accepts, authenticates, parses, forwards and answers; with
 * `scan` it scans what goes either way; with `record` a record is durable before the answer, and one before the first
 * byte of a stream, in a plain table; with `audit` the hub's own writer chains and indexes that record. With `walk` requests
 * and whole answers are looked at with the hub's own parts: texts by the API's table, verdicts remembered, scans in turns, exact
 * numbers, the client's abort, the headers of an answer. With `call` it knows of each call what a hub has to: see
 * `bare-calls.ts`. It has no provenance, tuning, redaction, errors, retries or metrics: a gateway that has these too cannot
 * cost less on this runtime.
 */
import { join } from "node:path";
import { isRecord, type JsonRecord } from "#core/json/json";
import { parseExactly, readJson } from "#core/json/json-reader";
import { CHAT } from "#guard/apis/chat";
import { ScanBatcher } from "#guard/scan-batcher";
import { Scanner } from "#guard/scanner";
import { systemIds } from "#platform/ids";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { labelsBy } from "#scan/label";
import { compilePolicy } from "#scan/policy";
import { scanText } from "#scan/scan";
import { StreamScanner } from "#scan/stream-scanner";
import type { Walk } from "#scan/texts/text-walk";
import { AuditWriter } from "#store/sqlite/audit-writer";
import { openSqliteStore } from "#store/sqlite/index";
import { callRecord } from "#test/support/call-record";
import { type Answered, type BareCall, type BareCaller, BareCalls } from "./bare-calls.ts";
import { serveParent } from "./child.ts";

const [upstream = "", token = "", parts = "", dataDir = ""] = process.argv.slice(2);
const withScan = parts.includes("scan");
const withWalk = parts.includes("walk");
const calls = parts.includes("call") ? new BareCalls(systemIds) : null;

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("base64url");
const tokens = new Map([[sha256(token), { user: "user-1", agent: "agent-1" }]]);
const LABELS = labelsBy(() => new Uint8Array(0));
const policy = compilePolicy(DEFAULT_POLICY, 1, DETECTORS);

const JSON_DEPTH = 64;
const CACHED_VERDICTS = 50_000;
const scanner = new Scanner(policy, crypto.getRandomValues(new Uint8Array(32)), CACHED_VERDICTS);
const open = { size: 0 };
const batcher = new ScanBatcher(open);

type Append = (line: string) => Promise<void> | undefined;

/** Resolves when the record is on disk. */
const append: Append = await recorder();

function recorder(): Append | Promise<Append> {
  if (parts.includes("record")) return plainRecorder();
  return parts.includes("audit") ? auditRecorder() : () => undefined;
}

/** As a hub records, without its files of content. */
async function auditRecorder(): Promise<Append> {
  const store = await openSqliteStore({ dataDir, writer: "inline" });
  const { database, auditKey, nodeLogs } = store.directory;
  await store.close();
  const writer = new AuditWriter({ database, auditKey, nodeLogs, node: null, durability: "full" }, {});
  await writer.open();
  return (line) => writer.append(line);
}

async function plainRecorder(): Promise<Append> {
  const waiting = new Map<number, () => void>();
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const thread = new Worker(new URL("./bare-records.ts", import.meta.url));
  thread.onmessage = ({ data }: MessageEvent<string>) => {
    resolve();
    for (const text of data.split(",")) {
      const id = Number(text);
      waiting.get(id)?.();
      waiting.delete(id);
    }
  };
  thread.postMessage(join(dataDir, "records.db"));
  await ready;
  let last = 0;
  return (line) =>
    new Promise((done) => {
      last += 1;
      waiting.set(last, done);
      thread.postMessage(`${last} ${line}`);
    });
}

const recordOf = ({ user, agent }: BareCaller, phase: "request" | "final"): string => {
  const id = systemIds();
  return JSON.stringify({ ...callRecord({ at: Date.now(), id, call_id: id, user, agent }), phase });
};

/** Every string of a body that may hold text. */
function scanAll(value: unknown, origin: "user" | "output"): void {
  if (typeof value === "string") {
    if (value.length > 20 && scanText(policy, value, origin).findings.length > 1_000) throw new Error("found");
  } else if (Array.isArray(value)) for (const item of value) scanAll(item, origin);
  else if (isRecord(value)) for (const item of Object.values(value)) scanAll(item, origin);
}

async function serve(request: Request): Promise<Response> {
  const token = (request.headers.get("authorization") ?? "").slice("Bearer ".length);
  const caller = tokens.get(sha256(token));
  if (caller === undefined) return new Response(null, { status: 401 });
  return withWalk ? await guarded(request, caller) : await passedOn(request, caller);
}

async function passedOn(request: Request, caller: BareCaller): Promise<Response> {
  const { url, headers } = request;
  const body: unknown = JSON.parse(await request.text());
  if (withScan) scanAll(body, "user");
  const passed = { "content-type": "application/json", accept: headers.get("accept") ?? "*/*" };
  const path = url.slice(url.indexOf("/", 8));
  const answer = await fetch(upstream + path, { method: "POST", headers: passed, body: JSON.stringify(body) });
  if (isStream(answer)) return stream(answer, caller);
  const said: unknown = JSON.parse(await answer.text());
  if (withScan) scanAll(said, "output");
  await append(recordOf(caller, "final"));
  return new Response(JSON.stringify(said), { headers: { "content-type": "application/json" } });
}

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

/** As the hub looks at requests and whole answers. */
async function guarded(request: Request, caller: BareCaller): Promise<Response> {
  open.size += 1;
  const gone = new AbortController();
  const onGone = () => gone.abort();
  request.signal.addEventListener("abort", onGone, { once: true });
  try {
    const text = await request.text();
    let call: BareCall | undefined;
    const body = await batcher.run(text.length, () => {
      const asked = recordIn(parseExactly(text));
      // A tool's call names none.
      call = calls?.begin(caller, CHAT.request.modelOf(asked) || "bench-tool", text.length);
      scanWalk(CHAT.request.walk(asked, JSON_DEPTH, null));
      return JSON.stringify(asked);
    });
    const path = request.url.slice(request.url.indexOf("/", 8));
    const headers = { "content-type": "application/json", "accept-encoding": "identity" };
    const { signal } = gone;
    const answer = await fetch(upstream + path, { method: "POST", headers, body, signal, redirect: "manual" });
    if (isStream(answer)) return await stream(answer, caller, call);
    const said = await answer.text();
    await batcher.run(said.length, () => scanWalk(CHAT.answer.walk(recordIn(readJson(said).value), JSON_DEPTH)));
    await append(finalOf(caller, call, { stream: false, asked: text.length, answered: said.length }));
    return new Response(said, { headers: headersOf(call) });
  } finally {
    open.size -= 1;
    request.signal.removeEventListener("abort", onGone);
  }
}

const finalOf = (caller: BareCaller, call: BareCall | undefined, how: Answered): string =>
  call && calls ? calls.end(call, how) : recordOf(caller, "final");

const headersOf = (call: BareCall | undefined): Record<string, string> => ({
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-request-id": call?.id ?? ANSWER_ID,
  "x-guard-action": "allow",
  "x-guard-overhead-ms": call ? (Date.now() - call.begun).toFixed(3) : "1.000",
});

const ANSWER_ID = systemIds();

function recordIn(value: unknown): JsonRecord {
  if (!isRecord(value)) throw new Error("not an object");
  return value;
}

function scanWalk(walk: Walk): void {
  walk.run();
  for (const { text, origin } of walk.slots) {
    if (scanner.scan(policy, text, origin).scan.findings.length > 1_000) throw new Error("found");
  }
}

/** Each event is parsed, the texts of one read are scanned in one push, and what came is written as it came. */
async function stream(answer: Response, caller: BareCaller, call?: BareCall): Promise<Response> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return new Response(null, { status: 502 });
  await append(recordOf(caller, "request"));
  const scanner = new StreamScanner(policy, "output", LABELS);
  const decoder = new TextDecoder();
  let rest = "";
  let chars = 0;
  const read = (bytes: Uint8Array): void => {
    const events = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    let text = "";
    for (const event of events) if (event !== "data: [DONE]") text += deltaOf(JSON.parse(event.slice("data: ".length)));
    chars += text.length;
    if (withScan && text !== "") {
      scanner.push(text);
      scanner.release(scanner.clearedTo);
    }
  };
  const out = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) {
        read(value);
        controller.enqueue(value);
        return;
      }
      if (withScan) scanner.end();
      await append(finalOf(caller, call, { stream: true, asked: 0, answered: chars }));
      controller.close();
    },
  });
  return new Response(out, { headers: { "content-type": "text/event-stream" } });
}

const deltaOf = (event: unknown): string => {
  const choices = isRecord(event) ? event["choices"] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const delta = isRecord(choice) ? choice["delta"] : undefined;
  const content = isRecord(delta) ? delta["content"] : undefined;
  return typeof content === "string" ? content : "";
};

const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: serve });
serveParent(`http://127.0.0.1:${server.port}`);
