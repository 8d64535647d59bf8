import { closeSync, writeSync } from "node:fs";
import { isRecord } from "#core/json/json";

/*
 * `scripted.ts [MODE]`: a tool server over standard streams, as well or badly behaved as its tools' names say.
 * Modes: `mute` never answers; `chatty` writes what is no JSON between its messages; `stubborn` ends for nothing
 * but SIGKILL; `refuses` answers the handshake with an error; `rounds` and `many` never come to their list's end.
 */
const mode = process.argv[2] ?? "";

type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown };

const write = (text: string) => {
  for (let bytes = Buffer.from(text); bytes.length > 0; ) bytes = bytes.subarray(writeSync(1, bytes));
};
const send = (message: object) => {
  if (mode === "chatty") write(`Listening on stdio…\n\n{"half": \n`);
  write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};
const says = (id: unknown, structuredContent: unknown) => send({ id, result: { content: [], structuredContent } });

const logs = (data: string, level = "info") => send({ method: "notifications/message", params: { level, data } });

let late: unknown;
const cancelled: unknown[] = [];
const fromHub: Message[] = [];
let listed = 0;

const grandchild = (): number =>
  Bun.spawn(["sh", "-c", 'trap "" HUP INT TERM; while :; do sleep 1; done'], {
    stdio: ["inherit", "inherit", "ignore"],
  }).pid;

const tools: Record<string, (id: unknown, params: Record<string, unknown>) => unknown> = {
  echo: (id, params) => says(id, params),
  environment: (id) => says(id, process.env),
  pid: (id) => says(id, { pid: process.pid }),
  grandchild: (id) => says(id, { pid: process.pid, grandchild: grandchild() }),
  dies: () => process.exit(3),
  "answers-and-dies": (id, params) => {
    const args = params["arguments"];
    const count = isRecord(args) ? Number(args["count"]) : 0;
    says(id, { rows: Array.from({ length: count }, (_, at) => ({ at })) });
    process.exit(0);
  },
  "closes-output": () => closeSync(1),
  waits: () => {},
  late: (id) => {
    late = id;
  },
  "logs-much": (id) => {
    logs("not asked for", "debug");
    for (let at = 0; at < 5_000; at += 1) logs(`${at}`);
    says(id, {});
  },
  "speaks-of-late": (id) => {
    logs("of the call before");
    says(late, {});
    logs("of this call");
    says(id, {});
  },
  cancelled: (id) => says(id, cancelled),
  flood: () => write(`${"x".repeat(1_000_000)}\n`),
  nothing: (id) => send({ id, result: null }),
  refused: (id) => send({ id, error: { code: -32602, message: "No", data: { a: 1 } } }),
  changes: (id) => {
    send({ method: "notifications/tools/list_changed" });
    says(id, {});
  },
  progress: async (id, { _meta }) => {
    const progressToken = isRecord(_meta) ? _meta["progressToken"] : null;
    send({ method: "notifications/progress", params: { progressToken: 999, progress: 0 } });
    for (let progress = 1; progress <= 8; progress += 1) {
      send({
        method: "notifications/progress",
        params: { progressToken, progress, total: 8, message: `step ${progress}` },
      });
      await Bun.sleep(250);
    }
    says(id, {});
    send({ method: "notifications/progress", params: { progressToken, progress: 9 } });
  },
  asks: async (id) => {
    send({ id: "p", method: "ping" });
    send({ id: "s", method: "sampling/createMessage", params: {} });
    while (fromHub.length < 2) await Bun.sleep(5);
    says(id, fromHub);
  },
  deaf: (id) => {
    says(id, {});
    // Holds the one thread there is: nothing is read any more.
    for (;;) Bun.sleepSync(1_000);
  },
};

const answer = ({ id, method, params = {}, ...rest }: Message): void => {
  if (method === undefined) fromHub.push({ ...(id !== undefined && { id }), ...rest });
  else if (method === "initialize" && mode === "refuses")
    send({ id, error: { code: -32603, message: "secret reason" } });
  else if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    send({ id, result: { protocolVersion: "2025-03-26", capabilities, instructions: "Be kind.", serverInfo: params } });
  } else if (method === "notifications/cancelled") cancelled.push(params);
  else if (method === "tools/list") {
    listed += 1;
    const nextCursor = mode === "rounds" ? "again" : String(listed);
    const page = Array.from({ length: mode === "many" ? 300 : 1 }, (_, n) => ({ name: `t${listed}-${n}` }));
    send({ id, result: { tools: page, ...((mode === "rounds" || mode === "many") && { nextCursor }) } });
  } else if (method === "tools/call") tools[String(params["name"])]?.(id, params);
};

if (mode === "stubborn") for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, () => {});
for await (const line of console) if (mode !== "mute" && line !== "") answer(JSON.parse(line));
if (mode === "stubborn") for (;;) await Bun.sleep(1_000);
