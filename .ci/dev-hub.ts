import { existsSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
const MAIN = join(ROOT, "src/main.ts");
const EMAIL = "admin@dev.test";
const AGENT = "dev";
/** Calls under way end with the old hub. */
const ENVIRONMENT = { GUARDHOUSE_SHUTDOWN_GRACE_MS: "0" };
/** A hub that has not ended by then is killed. */
const STOP_WITHIN_MS = 5_000;
/** What of the error output the page shows. */
const MAX_OUTPUT_CHARACTERS = 8_000;

/** Who signs in, and the agent's gateway token. Kept beside the data directory they belong to. */
export type SignIn = { readonly email: string; readonly password: string; readonly token: string };

export type HubState =
  | { readonly kind: "starting" }
  | { readonly kind: "ready"; readonly url: string }
  /** It did not start, or ended: with what it said. */
  | { readonly kind: "failed"; readonly output: string };

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

/** The hub from its sources, in a process of its own: started, stopped, started anew. */
export class DevHub {
  readonly #dataDir: string;
  readonly #signIn: string;
  #child: Child | null = null;
  #state: HubState = { kind: "starting" };
  #settled = Promise.withResolvers<void>();
  #output = "";

  constructor(
    private readonly directory: string,
    private readonly publicUrl: string,
  ) {
    this.#dataDir = join(directory, "data");
    this.#signIn = join(directory, "sign-in.json");
  }

  get isStarting(): boolean {
    return this.#state.kind === "starting";
  }

  /** The state once it is not starting any more. */
  async settled(): Promise<Exclude<HubState, { kind: "starting" }>> {
    while (this.#state.kind === "starting") await this.#settled.promise;
    return this.#state;
  }

  /** Null before the first start that succeeded. */
  async signIn(): Promise<SignIn | null> {
    return existsSync(this.#signIn) ? Bun.file(this.#signIn).json() : null;
  }

  /** Ends the hub, if it runs, and starts it from the sources as they are now. Resolves when it answers or has failed. */
  async restart(): Promise<void> {
    this.#begin();
    await this.stop();
    this.#output = "";
    try {
      if (!existsSync(this.#signIn)) await this.#setUp();
      this.#settle({ kind: "ready", url: await this.#serve() });
    } catch (error) {
      if (!(error instanceof HubFailed)) throw error;
      this.#settle({ kind: "failed", output: this.#output });
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
    await child.exited;
    clearTimeout(late);
  }

  #begin(): void {
    if (this.#state.kind !== "starting") this.#settled = Promise.withResolvers();
    this.#state = { kind: "starting" };
  }

  #settle(state: HubState): void {
    this.#state = state;
    this.#settled.resolve();
  }

  /** An administrator and an agent with a token, in a data directory of their own. */
  async #setUp(): Promise<void> {
    // What an earlier set-up left that did not come to its end.
    rmSync(this.#dataDir, { recursive: true, force: true });
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    const { password } = await this.#run("admin", "create", EMAIL, "--random-password");
    await this.#run("agent", "create", AGENT, "--owner", EMAIL);
    const { token } = await this.#run("token", "create", "--user", EMAIL, "--agent", AGENT);
    await Bun.write(this.#signIn, JSON.stringify({ email: EMAIL, password, token }), { mode: 0o600 });
  }

  async #run(...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    const child = this.#spawn([...words, "--json"]);
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (code === 0) return JSON.parse(stdout);
    this.#say(stderr);
    throw new HubFailed();
  }

  /** Gives the address once it listens. */
  async #serve(): Promise<string> {
    const child = this.#spawn(["serve", "--listen", "127.0.0.1:0", "--public-url", this.publicUrl]);
    const listening = Promise.withResolvers<string>();
    const reading = Promise.all([
      eachLine(child.stdout, (line) => {
        console.log(line);
        const url = /"event":"listening","url":"([^"]+)"/.exec(line)?.[1];
        if (url !== undefined) listening.resolve(url);
      }),
      eachLine(child.stderr, (line) => this.#say(`${line}\n`)),
    ]);
    const ended = Promise.all([child.exited, reading]).then(() => {
      if (this.#child === child) {
        this.#child = null;
        if (this.#state.kind === "ready") this.#settle({ kind: "failed", output: this.#output });
      }
      throw new HubFailed();
    });
    return Promise.race([listening.promise, ended]);
  }

  #spawn(words: readonly string[]): Child {
    const child = Bun.spawn([process.execPath, MAIN, ...words, "--data-dir", this.#dataDir], {
      cwd: ROOT,
      env: { ...process.env, ...ENVIRONMENT },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#child = child;
    return child;
  }

  #say(text: string): void {
    process.stderr.write(text);
    this.#output = (this.#output + text).slice(-MAX_OUTPUT_CHARACTERS);
  }
}

/** The hub, or a command that sets it up, ended before its time. What it said was shown. */
class HubFailed extends Error {}

const eachLine = async (stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> => {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
  if (rest !== "") take(rest);
};
