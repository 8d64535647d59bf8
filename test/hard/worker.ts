import { join } from "node:path";
import { Logbook, type LogLine } from "#test/support/logbook";

const CHILD = join(import.meta.dir, "children", "worker.ts");
const PATIENCE_MS = 60_000;

/** One of several processes that serve from a directory, at an address of its own so that a test can choose whom it asks. */
export class Worker {
  private readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  private readonly logbook: Logbook;
  url = "";

  constructor(
    dataDir: string,
    readonly id: string,
    more: Readonly<Record<string, string>> = {},
  ) {
    const env = { PATH: process.env["PATH"] ?? "", GUARDHOUSE_WEBHOOKS__ALLOW_PRIVATE: "127.0.0.0/8", ...more };
    this.child = Bun.spawn([process.execPath, CHILD, dataDir, id], { env, stdout: "pipe", stderr: "pipe" });
    this.logbook = Logbook.of(this.child.stdout, this.child.stderr);
  }

  async ready(): Promise<this> {
    const gone = this.child.exited.then(async (code) => {
      throw new Error(`the worker ended with ${code}\n${await this.logbook.text()}`);
    });
    const { url } = await Promise.race([this.said("worker.listening"), gone]);
    this.url = String(url);
    return this;
  }

  said(event: string): Promise<LogLine> {
    return this.logbook.line((line) => line.event === event, PATIENCE_MS);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number> {
    this.child.kill(signal);
    return this.child.exited;
  }

  fetch(path: string, token: string, json?: unknown): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = json === undefined ? {} : { method: "POST", body: JSON.stringify(json) };
    return fetch(this.url + path, { ...body, headers });
  }

  async ask(token: string, model = "guardhouse/echo"): Promise<number> {
    const messages = [{ role: "user", content: "Good morning." }];
    const answer = await this.fetch("/v1/chat/completions", token, { model, messages });
    await answer.body?.cancel();
    return answer.status;
  }
}
