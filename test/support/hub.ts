import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asDocumented } from "./answer-check.ts";
import { begunFor } from "./begun.ts";
import { Logbook, type LogLine } from "./logbook.ts";
import { heldPort } from "./port.ts";
import {
  type Child,
  executable,
  executableOf,
  inProcess,
  type Program,
  type Result,
  runProcess,
  type Serving,
  type Signal,
  spawnProgram,
} from "./program.ts";

/** Beside other suites everything takes its time: what does not come at all is found out late, and nothing by chance. */
const READY_WITHIN_MS = 45_000;
const PATIENCE_MS = 60_000;

const WAITS = "The change is stored; waiting for every process of the hub to apply it\n";

/** What one run of the command line gave. */
export type CliResult = Result & {
  /** What is on stderr beside the note that a process of the hub takes its time, as on a busy machine. */
  readonly complaints: string;
  /** The one JSON value on stdout. Throws, with both outputs, when there is none. */
  json(): unknown;
};

export type HubOptions = {
  /** Flags for `serve`, e.g. `["--durability", "normal"]`. */
  readonly serve?: readonly string[];
  /** Environment for every command of this hub, besides PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the temporary directory is made; the system's place for such unless said. */
  readonly within?: string;
  /** Whether every answer that is fetched is held against the hub's own document of its addresses; it is unless said. */
  readonly documented?: boolean;
  /** The path of the public URL given to it, e.g. `/hub`. */
  readonly basePath?: string;
  /**
   * What is the executable, in processes of its own; the rest runs inside the test, which takes a tenth of the time. The
   * hub where it is killed, where its pid, memory or environment matter, or where the test must not slow it down. All
   * where commands race, are killed, or take locks. Nothing unless said.
   */
  readonly processes?: "hub" | "all";
  /** Another executable for all of it, in processes of its own. */
  readonly binary?: string;
  /** Another executable for its commands, asked for at each of them. */
  readonly commandsOf?: () => readonly string[];
};

/** How `serve` came up. */
export type Start = { readonly url: string; readonly pid: number; readonly readyMs: number };

type Running = { readonly serving: Serving; readonly start: Start };

/** How long calls under way hold up the end of a hub inside the test. */
const SHUTDOWN_GRACE_MS = 500;

/**
 * The hub as its users run it: by command lines, with a clean environment and a temporary data directory. Nothing is
 * shared with the test but HTTP, the command line and the log, and the process unless `processes` says otherwise.
 *
 *     await using hub = await Hub.create();
 *     await hub.createUser("eve@example.com");
 *     await hub.start();
 */
export class Hub implements AsyncDisposable {
  readonly dataDir: string;
  readonly #workDir: string;
  readonly #program: Program;
  readonly #commands: Pick<Program, "run">;
  #running: Running | undefined;
  #logbook = new Logbook();
  readonly #held = heldPort();
  #port = this.#held?.port ?? 0;
  #files = 0;

  private constructor(
    private readonly home: string,
    private readonly options: HubOptions,
  ) {
    this.dataDir = join(home, "data");
    this.#workDir = join(home, "empty");
    const { binary, commandsOf } = options;
    const isApart = process.env.GUARDHOUSE_BIN !== undefined || binary !== undefined;
    const processes = isApart ? "all" : options.processes;
    const apart = binary === undefined ? executable : executableOf(() => [binary]);
    this.#program = processes === undefined ? inProcess : apart;
    const usual = processes === "all" ? apart : inProcess;
    this.#commands =
      commandsOf === undefined ? usual : { run: (args, place) => runProcess([...commandsOf(), ...args], place) };
  }

  /** Makes the directories; starts nothing yet, so that set-up by command line can come first. */
  static async create(options: HubOptions = {}): Promise<Hub> {
    const home = await mkdtemp(join(options.within ?? tmpdir(), "guardhouse-test-"));
    const hub = new Hub(home, options);
    await mkdir(hub.#workDir);
    return hub;
  }

  /** Makes the directories and starts `serve`. */
  static async started(options: HubOptions = {}): Promise<Hub> {
    const hub = await Hub.create(options);
    await hub.start();
    return hub;
  }

  /** Starts `serve` and waits until it is ready. The port stays the same, and the hub's while it is down. */
  async start(): Promise<Start> {
    if (this.#running !== undefined) throw new Error("the hub runs already");
    const serve = ["serve", "--listen", `127.0.0.1:${this.#port}`, ...(this.options.serve ?? [])];
    const began = performance.now();
    const serving = this.#program.serve([...serve, "--data-dir", this.dataDir], this.#place);
    this.#logbook = serving.logbook;
    try {
      const url = await this.#listening(serving);
      await ready(url + (this.options.basePath ?? ""), serving, began + READY_WITHIN_MS);
      const start = { url, pid: serving.pid, readyMs: performance.now() - began };
      this.#running = { serving, start };
      this.#port = Number(new URL(url).port);
      return start;
    } catch (fault) {
      await serving.end(this.#lastSignal);
      throw new Error(`the hub did not start\n${await this.#logbook.text()}`, { cause: fault });
    }
  }

  /** Sends the signal and waits for the end. Gives the exit code, or the signal that ended it. */
  async kill(signal: Signal): Promise<number | string> {
    const ended = await this.#alive.serving.end(signal);
    this.#running = undefined;
    return ended;
  }

  /** Stops the hub in order, if it runs, and starts it again on the same data and the same port. */
  async restart(): Promise<Start> {
    if (this.#running !== undefined) await this.kill("SIGTERM");
    return this.start();
  }

  /** The address it listens on, without a slash at the end. */
  get url(): string {
    return this.#alive.start.url;
  }

  /** Of its own process. */
  get pid(): number {
    if (this.#program === inProcess) throw new Error("the hub is part of the test: give it a process of its own");
    return this.#alive.start.pid;
  }

  /** Log lines since the last start. */
  get logs(): readonly LogLine[] {
    return this.#logbook.lines;
  }

  /** Waits for what `serve` writes on stderr to match. */
  async said(pattern: RegExp, withinMs = PATIENCE_MS): Promise<RegExpExecArray> {
    for (const deadline = performance.now() + withinMs; ; await Bun.sleep(10)) {
      const found = pattern.exec(this.#logbook.errors);
      if (found) return found;
      if (performance.now() > deadline) throw new Error(`nothing on stderr matches ${pattern} within ${withinMs} ms`);
    }
  }

  /** Everything the last `serve` wrote to both outputs. Waits for its end. */
  written(): Promise<string> {
    return this.#logbook.text();
  }

  /** Waits for a log line of this event. */
  log(event: string, withinMs = PATIENCE_MS): Promise<LogLine> {
    return this.#logbook.line((line) => line.event === event, withinMs);
  }

  /** Sends a request: a gateway token as bearer, `json` as a POST body unless `method` says otherwise. */
  async fetch(path: string, request: HubRequest = {}): Promise<Response> {
    const { token, json, ...init } = request;
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    if (json !== undefined) headers.set("content-type", "application/json");
    const sent = json === undefined ? init : { method: "POST", ...init, body: JSON.stringify(json) };
    const answer = await fetch(this.url + path, { ...sent, headers });
    const { basePath = "", documented = true } = this.options;
    if (!documented || !path.startsWith(basePath)) return answer;
    const load = async () => (await fetch(`${this.url}${basePath}/openapi.json`)).text();
    return asDocumented(answer, { method: sent.method ?? "GET", path: path.slice(basePath.length), load });
  }

  /** Runs one command with `--data-dir` and `--json`. */
  cli(...args: readonly string[]): Promise<CliResult> {
    return this.cliWith({}, ...args);
  }

  /** The same with text on stdin, or more environment. */
  async cliWith(
    { stdin = "", env = {} }: { stdin?: string; env?: Readonly<Record<string, string>> },
    ...args: readonly string[]
  ): Promise<CliResult> {
    await begunFor(args, this.dataDir, this.options.binary);
    // What follows `--` belongs to another program's command line.
    const dashes = args.includes("--") ? args.indexOf("--") : args.length;
    const flags = ["--data-dir", this.dataDir, "--json"];
    const line = [...args.slice(0, dashes), ...flags, ...args.slice(dashes)];
    const { cwd, env: own } = this.#place;
    const result = await this.#commands.run(line, { cwd, env: { ...own, ...env }, stdin });
    const complaints = result.stderr.replace(WAITS, "");
    return { ...result, complaints, json: () => parse(args, result.stdout, result.stderr) };
  }

  /** Starts one command and does not wait for it. */
  begin(...args: readonly string[]): Child {
    return spawnProgram([...args, "--data-dir", this.dataDir], this.#place);
  }

  async createUser(email: string, ...flags: readonly string[]): Promise<User> {
    const user = await this.#record("user", "create", email, ...flags);
    return { id: user.text("id"), email: user.text("email"), role: user.text("role") };
  }

  async createAdmin(email: string, ...flags: readonly string[]): Promise<User> {
    const user = await this.#record("admin", "create", email, ...flags);
    return { id: user.text("id"), email: user.text("email"), role: user.text("role") };
  }

  /** A session key. */
  async createSession(email: string): Promise<string> {
    return (await this.#record("session", "create", email)).text("key");
  }

  async createAgent(name: string, owner: string): Promise<{ id: string; name: string }> {
    const agent = await this.#record("agent", "create", name, "--owner", owner);
    return { id: agent.text("id"), name: agent.text("name") };
  }

  async createToken(user: string, agent?: string, ...flags: readonly string[]): Promise<Token> {
    const bound = agent === undefined ? [] : ["--agent", agent];
    const token = await this.#record("token", "create", "--user", user, ...bound, ...flags);
    return { id: token.text("id"), token: token.text("token"), display: token.text("display") };
  }

  async addProvider(name: string, options: ProviderOptions): Promise<void> {
    const { baseUrl, models, apiKey, priority, kind, apis } = options;
    const key = apiKey === undefined ? [] : ["--api-key-file", await this.writeFile(apiKey)];
    const rank = priority === undefined ? [] : ["--priority", `${priority}`];
    const form = [...(kind ? ["--kind", kind] : []), ...(apis ? ["--apis", apis.join(",")] : [])];
    const flags = ["--base-url", baseUrl, "--models", models.join(","), ...key, ...rank, ...form];
    await this.#record("provider", "add", name, ...flags);
  }

  async addToolServer(slug: string, options: ToolServerOptions): Promise<ToolServer> {
    const { owner, url, transport, headers, stdio, flags: more = [] } = options;
    const address = url === undefined ? ["--stdio"] : ["--url", url];
    const kind = transport === undefined ? [] : ["--transport", transport];
    const file = headers === undefined ? [] : ["--header-file", await this.writeFile(headers)];
    const command = stdio === undefined ? [] : ["--", ...stdio];
    const flags = ["--owner", owner, ...address, ...kind, ...file, ...more, ...command];
    const server = await this.#record("tool-server", "add", slug, ...flags);
    return { id: server.text("id"), slug: server.text("slug"), status: server.text("status") };
  }

  /** Gives an agent the tools of a server: all of them, or those named. */
  async assignTools(slug: string, owner: string, agent: string, tools?: readonly string[]): Promise<void> {
    const some = tools === undefined ? [] : ["--tools", tools.join(",")];
    await this.#record("tool-server", "assign", slug, "--owner", owner, "--agent", agent, ...some);
  }

  /** Puts a text into a private file of the hub's temporary directory and gives its path. */
  async writeFile(text: string): Promise<string> {
    this.#files += 1;
    const path = join(this.home, `file-${this.#files}`);
    await Bun.write(path, text, { mode: 0o600 });
    return path;
  }

  /** Ends what runs and removes the directories. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#running !== undefined) await this.kill(this.#lastSignal);
    this.#held?.[Symbol.dispose]();
    await rm(this.home, { recursive: true, force: true });
  }

  get #alive(): Running {
    if (this.#running === undefined) throw new Error("the hub does not run");
    return this.#running;
  }

  /** Where its commands run, and with what environment. */
  get #place(): { readonly cwd: string; readonly env: Readonly<Record<string, string>> } {
    const grace = this.#program === inProcess ? { GUARDHOUSE_SHUTDOWN_GRACE_MS: `${SHUTDOWN_GRACE_MS}` } : {};
    const env = { PATH: process.env.PATH ?? "", HOME: this.#workDir, ...grace, ...this.options.env };
    return { cwd: this.#workDir, env };
  }

  get #lastSignal(): Signal {
    return this.#program === inProcess ? "SIGTERM" : "SIGKILL";
  }

  async #listening(serving: Serving): Promise<string> {
    const line = this.#logbook.line((candidate) => candidate.event === "listening", READY_WITHIN_MS);
    const gone = serving.ended.then((code) => Promise.reject(new Error(`serve ended with ${code}`)));
    const { url } = await Promise.race([line, gone]);
    if (typeof url !== "string") throw new Error("the listening line names no url");
    return url.replace(/\/$/, "");
  }

  async #record(...args: readonly string[]): Promise<Fields> {
    const result = await this.cli(...args);
    if (result.code !== 0) throw new Error(`${args.join(" ")} ended with ${result.code}: ${result.stderr}`);
    return new Fields(args.slice(0, 2).join(" "), result.json());
  }
}

export type HubRequest = RequestInit & { readonly token?: string; readonly json?: unknown };
export type User = { readonly id: string; readonly email: string; readonly role: string };
export type Token = { readonly id: string; readonly token: string; readonly display: string };
export type ToolServer = { readonly id: string; readonly slug: string; readonly status: string };
/** An address or a command, and lines of headers for the former. */
export type ToolServerOptions = {
  readonly owner: string;
  readonly url?: string;
  readonly transport?: "streamable-http" | "sse";
  readonly headers?: string;
  readonly stdio?: readonly string[];
  /** Further flags of `tool-server add`. */
  readonly flags?: readonly string[];
};
export type ProviderOptions = {
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly apiKey?: string;
  readonly priority?: number;
  readonly kind?: string;
  readonly apis?: readonly string[];
};

/** A JSON object of the command line, read field by field. */
class Fields {
  readonly #of: string;
  readonly #fields: object;

  constructor(of: string, value: unknown) {
    if (typeof value !== "object" || value === null) throw new Error(`${of} gave no JSON object`);
    this.#of = of;
    this.#fields = value;
  }

  text(name: string): string {
    const value: unknown = Reflect.get(this.#fields, name);
    if (typeof value !== "string") throw new Error(`${this.#of} gave no "${name}"`);
    return value;
  }
}

function parse(args: readonly string[], stdout: string, stderr: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch (fault) {
    throw new Error(`${args.join(" ")} gave no JSON\nstdout: ${stdout}\nstderr: ${stderr}`, { cause: fault });
  }
}

async function ready(url: string, { ended }: Serving, deadline: number): Promise<void> {
  let code: number | undefined;
  void ended.then((ending) => {
    code = ending;
  });
  for (;;) {
    const response = await fetch(`${url}/readyz`);
    await response.body?.cancel();
    if (response.status === 200) return;
    if (code !== undefined) throw new Error(`serve ended with ${code}`);
    if (performance.now() > deadline) throw new Error(`/readyz still answers ${response.status}`);
    await Bun.sleep(5);
  }
}
