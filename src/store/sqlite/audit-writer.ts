import { BadRecord } from "#store/audit-link";
import { AuditQueueFull, AuditUnavailable } from "./audit-errors";
import { type Command, DONE, dropMessage, FAILED, openMessage, REFUSED, UPKEEP_FAILED } from "./audit-messages";
import type { DropOrder } from "./audit-retention";
import type { ThreadsSettings } from "./audit-threads";

/** Records that may wait; beyond it appends are refused at once, for memory is finite and so is patience. */
const MAX_WAITING = 100_000;
/** So that one commit stays short however long the queue is. */
const MAX_BATCH = 4_096;
/** While unhealthy, how often the disk is asked whether it takes writes again. */
const PROBE_MS = 1_000;
/** A commit under way for longer than this is a disk that hangs. */
const STUCK_MS = 10_000;

type Deferred = {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};
type Batch = Deferred & { readonly bodies: string[] };
export type WriterEvents = {
  /** For the operator's log. `healthy` turned, and why. */
  onHealth?: ((healthy: boolean, reason: string | null) => void) | undefined;
};

/** The compiled executable lays its entrypoints out from `src/`; the source tree has them where they are. */
export const startThread = (): Worker => {
  const compiled = import.meta.url.includes("/$bunfs/") || import.meta.url.includes("/~BUN/");
  const entry = compiled ? "./store/sqlite/audit-worker.js" : "./audit-worker.ts";
  return new Worker(new URL(entry, import.meta.url), { name: "audit-writer" });
};

/**
 * The main thread's end of the audit writer: one batch in flight, everything that arrives meanwhile is the next
 * one. No timer decides: under load batches grow by themselves, and a lone record leaves at once.
 */
export class AuditWriter {
  #worker: Worker | null = null;
  /** Sent and not yet answered, in order. */
  readonly #sent: Deferred[] = [];
  readonly #batches: Batch[] = [];
  #waiting = 0;
  #ready = false;
  #inFlight = false;
  #sentAt = 0;
  #healthy = true;
  #closing: Promise<void> | null = null;
  #probing: ReturnType<typeof setInterval> | null = null;

  constructor(
    private readonly settings: ThreadsSettings,
    private readonly events: WriterEvents = {},
    private readonly start: () => Worker = startThread,
  ) {}

  /** Resolves when the thread has the database open; rejects when it cannot. */
  open(): Promise<void> {
    const worker = this.start();
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      if (worker === this.#worker) this.#answered(data);
    };
    worker.onerror = ({ message }) => this.#died(worker, message);
    worker.addEventListener("close", () => this.#died(worker, "it ended"));
    const opened = this.#send(openMessage(this.settings));
    return opened.then(() => {
      this.#ready = true;
      this.#setHealth(true, null);
      this.#kick();
    });
  }

  get healthy(): boolean {
    return this.#healthy && !(this.#inFlight && Date.now() - this.#sentAt > STUCK_MS);
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves when the record is on disk. All records of a batch share the promise. */
  append(body: string): Promise<void> {
    if (this.#closing !== null) return Promise.reject(new AuditUnavailable("the audit log is closed"));
    if (this.#waiting >= MAX_WAITING) return Promise.reject(new AuditQueueFull(this.#waiting));
    if (body.includes("\n")) return Promise.reject(new BadRecord("it is more than one line"));
    let batch = this.#batches.at(-1);
    if (batch === undefined || batch.bodies.length >= MAX_BATCH) {
      batch = { ...deferred(), bodies: [] };
      this.#batches.push(batch);
      if (this.#batches.length === 1 && !this.#inFlight) setImmediate(this.#kick);
    }
    batch.bodies.push(body);
    this.#waiting += 1;
    return batch.promise;
  }

  /** Everything appended so far is on disk and a checkpoint is signed. */
  async flush(): Promise<void> {
    await this.#settled();
    await this.#command("!flush");
  }

  /** Some of what is new in the log can be found when this resolves. */
  index(): Promise<void> {
    return this.#command("!index");
  }

  /** Marks months as dropped, unless they are not to be any more; what is left of them goes between batches. */
  drop(order: DropOrder): Promise<void> {
    return this.#command(dropMessage(order));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the thread without a word: for one that never opened. */
  abandon(): void {
    this.#closing ??= Promise.resolve();
    this.#stopProbing();
    this.#worker?.terminate();
    this.#worker = null;
  }

  async #close(): Promise<void> {
    await this.#settled();
    this.#stopProbing();
    const worker = this.#worker;
    if (worker === null) return;
    try {
      await this.#command("!close");
    } finally {
      this.#worker = null;
      this.#ready = false;
      worker.terminate();
    }
  }

  /** Until all that waits now is answered; whether it went well is the appenders' to know. */
  async #settled(): Promise<void> {
    const last = this.#batches.at(-1) ?? this.#sent.at(-1);
    await last?.promise.catch(() => undefined);
  }

  readonly #kick = (): void => {
    if (this.#inFlight) return;
    if (!this.#ready) {
      if (this.#worker === null) this.#restart();
      return;
    }
    const batch = this.#batches.shift();
    if (batch === undefined) return;
    this.#waiting -= batch.bodies.length;
    this.#inFlight = true;
    this.#sentAt = Date.now();
    this.#sent.push(batch);
    this.#worker?.postMessage(batch.bodies.join("\n"));
  };

  #send(message: string): Promise<void> {
    const reply = deferred();
    this.#sent.push(reply);
    this.#worker?.postMessage(message);
    return reply.promise;
  }

  #command(command: Command): Promise<void> {
    if (this.#worker === null) return Promise.reject(new AuditUnavailable("its writer is not running"));
    return this.#send(command);
  }

  #answered(answer: string): void {
    if (answer.startsWith(UPKEEP_FAILED)) {
      this.#setHealth(false, answer.slice(1));
      return;
    }
    const reply = this.#sent.shift();
    if (reply === undefined) return;
    if (isBatch(reply)) this.#inFlight = false;
    if (answer === DONE) {
      this.#setHealth(true, null);
      reply.resolve();
    } else if (answer.startsWith(REFUSED)) reply.reject(new BadRecord(answer.slice(REFUSED.length)));
    else {
      const error = new AuditUnavailable(answer.slice(FAILED.length));
      this.#setHealth(false, error.message);
      reply.reject(error);
      // What waits would meet the same disk, one busy time-out after the other.
      this.#refuseWaiting(error);
    }
    if (this.#batches.length > 0) this.#kick();
  }

  /** Whatever was sent may or may not be on disk; it is refused, for nobody was told that it is. */
  #died(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    this.#ready = false;
    this.#inFlight = false;
    const error = new AuditUnavailable(`the writer thread died: ${reason}`);
    for (const reply of this.#sent.splice(0)) reply.reject(error);
    this.#setHealth(false, error.message);
    if (this.#closing === null && this.#batches.length > 0) this.#restart();
    else this.#refuseWaiting(error);
  }

  #restart(): void {
    this.open().catch((error: unknown) => {
      this.#worker?.terminate();
      this.#worker = null;
      this.#refuseWaiting(error instanceof Error ? error : new AuditUnavailable(String(error)));
    });
  }

  #refuseWaiting(error: Error): void {
    this.#waiting = 0;
    for (const batch of this.#batches.splice(0)) batch.reject(error);
  }

  #setHealth(healthy: boolean, reason: string | null): void {
    if (healthy === this.#healthy) return;
    this.#healthy = healthy;
    if (healthy) this.#stopProbing();
    else this.#probing ??= setInterval(() => this.#probe(), PROBE_MS);
    this.events.onHealth?.(healthy, reason);
  }

  #stopProbing(): void {
    if (this.#probing !== null) clearInterval(this.#probing);
    this.#probing = null;
  }

  /** The answer itself turns the health. */
  #probe(): void {
    if (this.#worker === null) this.#restart();
    else if (this.#ready && this.#sent.length === 0) this.#command("!probe").catch(() => undefined);
  }
}

const isBatch = (reply: Deferred): reply is Batch => "bodies" in reply;

const deferred = (): Deferred => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { promise, resolve, reject };
};
