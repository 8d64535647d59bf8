import { join } from "node:path";

/** What a child process says: that it is up, or what came of the job it was given. */
type Word<Result> =
  | { readonly kind: "up"; readonly url: string }
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed"; readonly reason: string };

type Waiting<Result> = { resolve(word: Word<Result>): void; reject(fault: Error): void };

/**
 * A part of the bench as a process of its own, so that its work shows up in its own account. It is given one
 * job at a time over the process channel and ends with its parent.
 */
export class Child<Job, Result> implements AsyncDisposable {
  readonly #process: Bun.Subprocess;
  #waiting: Waiting<Result> | undefined;
  /** Where it listens; empty when it does not. */
  url = "";

  private constructor(script: string, args: readonly string[]) {
    this.#process = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], {
      env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "16384" },
      stdio: ["ignore", "inherit", "inherit"],
      serialization: "json",
      ipc: (word: Word<Result>) => this.#hear(word),
      onExit: (_, code) => this.#waiting?.reject(new Error(`${script} ended with ${code}`)),
    });
  }

  /** Starts a script of this directory and waits until it is up. */
  static async start<Job, Result>(script: string, ...args: readonly string[]): Promise<Child<Job, Result>> {
    const child = new Child<Job, Result>(script, args);
    const word = await child.#word();
    if (word.kind === "up") child.url = word.url;
    return child;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Gives it a job and waits for the result. */
  async run(job: Job): Promise<Result> {
    const answer = this.#word();
    this.#process.send(job);
    const word = await answer;
    if (word.kind !== "done") throw new Error(word.kind === "failed" ? word.reason : "the child started again");
    return word.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.exited;
  }

  #word(): Promise<Word<Result>> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #hear(word: Word<Result>): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(word);
  }
}

/** The child's side: says it is up, does jobs as they come, ends with the parent. */
export function serveParent<Job, Result>(url: string, work?: (job: Job) => Promise<Result>): void {
  const say = (word: Word<Result>) => process.send?.(word);
  process.on("disconnect", () => process.exit(0));
  if (work !== undefined) {
    process.on("message", (job: Job) => {
      work(job).then(
        (result) => say({ kind: "done", result }),
        (fault: unknown) => say({ kind: "failed", reason: String(fault) }),
      );
    });
  }
  say({ kind: "up", url });
}
