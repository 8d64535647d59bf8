import { Logbook, type LogLine } from "#test/support/logbook";

/** Of a machine that does much else at the same time. */
const READY_WITHIN_MS = 240_000;

const FATE: readonly string[] = ["node.lost", "node.ended", "stopping", "stopped"];

/** How a process is started. */
export type Launch = {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The event of its log that says at which address it serves. */
  readonly listening: "listening" | "worker.listening";
};

/** From when to when, by `performance.now()`; a disturbance that goes on has no end yet. */
export type Span = { readonly from: number; to: number };

/** One serving process, which is started again under the same id. */
export class HubProcess {
  readonly id: string;
  launch: Launch;
  /** When its calls may fail, because the round does something to it. */
  readonly disturbances: Span[] = [];
  #child: Bun.Subprocess<"ignore", "pipe", "pipe"> | null = null;
  #logbook = new Logbook();
  #url = "";
  #isLeaving = false;
  /** What it said last when it was asked whether it is ready. */
  #unready = "";
  /** Calls that were sent to it and of which nothing was heard yet. */
  unheard = 0;

  constructor(id: string, launch: Launch) {
    this.id = id;
    this.launch = launch;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isUp(): boolean {
    return this.#child !== null && !this.#isLeaving;
  }

  /** What it had logged of that each time it ended by itself. */
  readonly fates: string[] = [];

  /** How often it has ended by itself and was started again. */
  revived = 0;

  /** Starts it again where it has ended by itself, as what supervises it would. */
  async revive(): Promise<void> {
    if (this.#child === null || this.#child.exitCode === null) return;
    this.revived += 1;
    if (this.fate !== null) this.fates.push(this.fate);
    await this.start();
  }

  /** What it has logged of leases and of its end, for a round that failed; null for nothing. */
  get fate(): string | null {
    const told = this.logs.filter(({ event }) => FATE.includes(String(event))).slice(-8);
    if (told.length === 0) return null;
    return `hub ${this.id} logged ${told.map((line) => JSON.stringify(line)).join(" ")}`;
  }

  get logs(): readonly LogLine[] {
    return this.#logbook.lines;
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    const { command, env, cwd, listening } = this.launch;
    const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const logbook = Logbook.of(child.stdout, child.stderr);
    this.#logbook = logbook;
    running.add(child);
    void child.exited.then(() => running.delete(child));
    const gone = child.exited.then(async (code) => {
      throw new Error(`hub ${this.id} ended with ${code}\n${await logbook.text()}`);
    });
    const line = logbook.line(({ event }) => event === listening, READY_WITHIN_MS);
    const { url } = await Promise.race([line, gone]);
    this.#url = String(url).replace(/\/$/, "");
    await Promise.race([this.ready(), gone]);
    gone.catch(() => undefined);
    this.#child = child;
    this.#isLeaving = false;
  }

  /** Waits until it says that it can serve. */
  async ready(): Promise<void> {
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!(await this.#saysReady())) {
      if (performance.now() > deadline) throw new Error(`hub ${this.id} does not become ready: ${this.#unready}`);
      await Bun.sleep(20);
    }
  }

  /** Sends the signal and waits for the end. It counts as down from the signal on. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    const child = this.#child;
    this.#child = null;
    child?.kill(signal);
    await child?.exited;
    return child?.exitCode ?? null;
  }

  /**
   * Ends in order, as behind a balancer: it is sent nothing more, and is told to stop when it has been heard to have
   * taken in what it was sent. Of streams that is their first byte, so some are open then.
   */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    while (this.unheard > 0) await Bun.sleep(1);
    await this.end("SIGTERM");
  }

  /** Its calls may fail until the answer is called. */
  disturb(): () => void {
    const span: Span = { from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.disturbances.push(span);
    return () => {
      span.to = performance.now();
    };
  }

  async #saysReady(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.#url}/readyz`, { headers: { connection: "close" } });
      this.#unready = await answer.text();
      return answer.status === 200;
    } catch (error) {
      this.#unready = String(error);
      return false;
    }
  }
}

const running = new Set<Bun.Subprocess>();
// A simulation that ends early leaves no process behind.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
