import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const MCP_REMOTE = resolve(import.meta.dir, "../../node_modules/.bin/mcp-remote");
/** A browser on a busy machine takes its time; mcp-remote by itself waits for half a minute. */
const SIGN_IN_WITHIN_MS = 150_000;

/** Somebody's computer where programs speak to tool servers through mcp-remote. It keeps what mcp-remote keeps. */
export class StdioComputer implements AsyncDisposable {
  private readonly running = new Set<Client>();

  private constructor(
    private readonly home: string,
    private readonly opened: string,
  ) {}

  static async create(): Promise<StdioComputer> {
    const home = await mkdtemp(join(tmpdir(), "guardhouse-remote-"));
    const opened = join(home, "opened");
    // What stands for the person's browser: it writes down the address it is given.
    await Bun.write(join(home, "browser"), `#!/bin/sh\nprintf '%s\\n' "$1" >> '${opened}'\n`);
    await chmod(join(home, "browser"), 0o700);
    return new StdioComputer(home, opened);
  }

  /** Starts mcp-remote for the address, as programs do. Resolves when somebody has signed in, if that is needed. */
  async connect(address: string): Promise<Client> {
    const env = { PATH: process.env.PATH ?? "", HOME: this.home, BROWSER: join(this.home, "browser") };
    const args = [address, "--auth-timeout", `${SIGN_IN_WITHIN_MS / 1_000}`];
    const transport = new StdioClientTransport({ command: MCP_REMOTE, args, env, stderr: "ignore" });
    const client = new Client({ name: "stdio program", version: "1" });
    this.running.add(client);
    await client.connect(transport, { timeout: SIGN_IN_WITHIN_MS });
    return client;
  }

  /** The addresses that were given to the browser, up to now. */
  async addresses(): Promise<string[]> {
    const file = Bun.file(this.opened);
    // Only lines that are whole.
    return (await file.exists()) ? (await file.text()).split("\n").slice(0, -1) : [];
  }

  /** Waits until the browser is given an address: the first one, or one after it. */
  async address(index = 0): Promise<string> {
    for (const deadline = Date.now() + SIGN_IN_WITHIN_MS; Date.now() < deadline; await Bun.sleep(20)) {
      const found = (await this.addresses())[index];
      if (found !== undefined) return found;
    }
    throw new Error("mcp-remote opened no browser");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.running].map((client) => client.close()));
    await rm(this.home, { recursive: true, force: true });
  }
}
