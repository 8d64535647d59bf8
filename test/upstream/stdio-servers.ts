import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { JsonRecord } from "#core/json/json";
import { jsonLog } from "#platform/log";
import { type StdioOptions, StdioUpstream } from "#upstream/mcp/stdio";
import { sweepOrphans } from "#upstream/mcp/stdio-orphans";
import { ToolFailure, type UpstreamToolCall } from "#upstream/tool-port";

export const child = (name: string): string => join(import.meta.dir, "children", `${name}.ts`);
/** One of the servers of the MCP project. */
export const official = (name: string): string =>
  resolve(import.meta.dir, `../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

/** A place to start servers in; `await using` ends them and takes their files away. */
export class StdioServers implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), "guardhouse-stdio-"));
  readonly pidDirectory = join(this.path, "children");
  readonly logged: string[] = [];
  readonly log = jsonLog("debug", (line) => this.logged.push(line), Date.now);
  changes = 0;
  now = 1_000_000;
  readonly #started: StdioUpstream[] = [];

  /** `args` are given to `bun`. */
  start(
    args: readonly string[],
    options: Partial<StdioOptions> & { readonly handshakeMs?: number } = {},
  ): StdioUpstream {
    const { handshakeMs = 10_000, ...given } = options;
    const upstream = new StdioUpstream({
      slug: "files",
      version: "1.2.3",
      limits: { connectMs: 10_000, handshakeMs, listMs: 10_000, resultBytes: 200_000 },
      events: {
        onListChanged: () => {
          this.changes += 1;
        },
      },
      command: [process.execPath, ...args],
      pidDirectory: this.pidDirectory,
      serverId: "s1",
      log: this.log,
      now: () => this.now,
      environment: process.env,
      variables: () => ({}),
      ...given,
    });
    this.#started.push(upstream);
    return upstream;
  }

  /** The process numbers there are notes of. */
  get notes(): string[] {
    return readdirSync(this.pidDirectory);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((upstream) => upstream.close()));
    sweepOrphans(this.pidDirectory, this.log);
    rmSync(this.path, { recursive: true, force: true });
  }
}

export const aCall = (name: string, given: Partial<UpstreamToolCall> = {}): UpstreamToolCall => ({
  name,
  arguments: {},
  extra: {},
  meta: {},
  clientCapabilities: null,
  inputSchema: null,
  silenceMs: 10_000,
  signal: new AbortController().signal,
  onProgress: null,
  ...given,
});

type Callable = { call(call: UpstreamToolCall): ReturnType<StdioUpstream["call"]> };

/** The result of a call that is to succeed. */
export const result = async (upstream: Callable, name: string, given: Partial<UpstreamToolCall> = {}) => {
  const answer = await upstream.call(aCall(name, given));
  if (answer.kind !== "result") throw new Error(`error ${answer.code}: ${answer.message}`);
  return answer.result;
};

export const structured = async (upstream: Callable, name: string, given: Partial<UpstreamToolCall> = {}) => {
  const { structuredContent } = await result(upstream, name, given);
  return structuredContent;
};

/** How a call that is to fail failed. */
export const failureOf = async (work: Promise<unknown>): Promise<ToolFailure> => {
  const outcome = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof ToolFailure) return outcome;
  throw new Error("no ToolFailure", { cause: outcome });
};

/** Waits for a condition, not for a duration. */
export const until = async (holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> => {
  for (const end = performance.now() + withinMs; !(await holds()); await Bun.sleep(10)) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${holds}`);
  }
};

/** Whether a process runs. A dead one that nobody has asked after does not. */
export const runs = (pid: unknown): boolean => {
  const { stdout } = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)]);
  const state = stdout.toString().trim();
  return state !== "" && !state.startsWith("Z");
};

export const names = (tools: readonly unknown[]): unknown[] => tools.map((tool) => (tool as JsonRecord)["name"]);
