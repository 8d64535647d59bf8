import { basename } from "node:path";
import { jsonText } from "#core/json/json-writer";
import { slices } from "#platform/slices";
import { boundedServerText, ToolFailure } from "#upstream/tool-port";
import type { Outgoing, PeerChannel } from "./peer.ts";
import { signalGroup, startOf } from "./stdio-group.ts";
import { LineSplitter } from "./stdio-lines.ts";
import { leaveNote } from "./stdio-orphans.ts";

export type StdioProcessOptions = {
  readonly slug: string;
  readonly serverId: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly pidDirectory: string;
  readonly longestLine: number;
  /** Null when the line was taken in at once. */
  readonly onLine: (line: string) => Promise<void> | null;
  /** It can no longer be listened to. Nothing more is read. */
  readonly onBroken: (failure: ToolFailure) => void;
};

export type StdioEnd = { readonly exitCode: number | null; readonly signal: string | number | null };

/** How long each step of an orderly end may take, milliseconds. */
const STEP_MS = 2_000;
/** How long output that may still come is waited for when its process has ended, milliseconds. */
const LAST_WORDS_MS = 500;
/** The same in all, where output keeps coming or a long answer is still parsed, milliseconds. */
const MAX_LAST_WORDS_MS = 30_000;

/** A child process that speaks lines, in a process group of its own, so that what it starts ends with it. */
export class StdioProcess implements PeerChannel {
  /** Resolves when it has ended, with all of its group, and its last lines are read. */
  readonly ended: Promise<StdioEnd>;
  private sending: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | null = null;
  /** A line of its output is being parsed. */
  private isTaking = false;
  private chunks = 0;
  /** Null once a call may have been sent: what a process writes from then on may be about the call's content. */
  private stderr: StderrTail | null = new StderrTail();

  private constructor(
    private readonly child: Bun.Subprocess<"pipe", "pipe", "pipe">,
    private readonly options: StdioProcessOptions,
    private readonly forget: () => void,
  ) {
    this.ended = this.end(Promise.all([this.read(), this.drainStderr()]));
  }

  /** Throws `ToolFailure` when the program cannot be started. */
  static start(options: StdioProcessOptions): StdioProcess {
    const { command, environment, pidDirectory, serverId } = options;
    const program = basename(command[0] ?? "");
    const child = spawn(command, environment, options);
    try {
      const note = { pgid: child.pid, start: startOf(child.pid), program, serverId };
      return new StdioProcess(child, options, leaveNote(pidDirectory, note));
    } catch (error) {
      // A process nobody could find again is not let live.
      signalGroup(child.pid, "SIGKILL");
      throw new ToolFailure("unreachable", `No note of the process of ${options.slug} could be kept.`, false, error);
    }
  }

  get pid(): number {
    return this.child.pid;
  }

  /** The end of what it wrote to stderr before `discardStderr`; null for nothing. */
  get stderrText(): string | null {
    return this.stderr?.text ?? null;
  }

  /** Nothing of stderr is kept from here on, and what was kept is dropped. */
  discardStderr(): void {
    this.stderr = null;
  }

  /** One message after the other, each when the one before has left: a server that does not read is not written to. */
  send({ nextMessage }: Outgoing): Promise<void> {
    const turn = this.sending.then(async () => {
      const message = nextMessage();
      if (message === null) return;
      const { stdin } = this.child;
      // Either may be a promise, and either then fails when the pipe breaks.
      const written = jsonText(message, () => slices.turn());
      const text = typeof written === "string" ? written : await written;
      try {
        await Promise.all([stdin.write(`${text}\n`), stdin.flush()]);
      } catch (error) {
        // A pipe breaks when the process ends: its exit code and its last words say more than the broken pipe.
        await this.endsWithin(2 * LAST_WORDS_MS);
        throw error;
      }
    });
    // Each sender is told of its own failure; the next one meets the same.
    this.sending = turn.catch(() => {});
    return turn;
  }

  /** Asks it to end by closing its input, then less and less kindly. Bounded; never throws. */
  stop(): Promise<void> {
    this.stopping ??= this.descend();
    return this.stopping;
  }

  kill(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) signalGroup(this.child.pid, "SIGKILL");
  }

  private async descend(): Promise<void> {
    // Input still waiting in a full pipe, or a pipe already broken: the steps below end either.
    Promise.resolve(this.closeInput()).catch(() => {});
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.endsWithin(STEP_MS)) return;
      signalGroup(this.child.pid, signal);
    }
    // Only a process that hangs in the kernel is still there; its note stays for the next start.
    await this.endsWithin(STEP_MS);
  }

  private async closeInput(): Promise<void> {
    await this.child.stdin.end();
  }

  private endsWithin(ms: number): Promise<boolean> {
    const ended = this.ended.then(() => true);
    return within(ended, ms, false);
  }

  private async end(read: Promise<unknown>): Promise<StdioEnd> {
    await this.child.exited;
    // What its own process left behind in the group: without its parent it serves nobody.
    signalGroup(this.child.pid, "SIGKILL");
    try {
      this.forget();
    } catch {
      // The note stays until the next sweep, which sees that it speaks of nobody.
    }
    // Who left the group may hold the pipe open for ever.
    await this.lastWords(read.then(() => true));
    return { exitCode: this.child.exitCode, signal: this.child.signalCode };
  }

  /** Nobody waits for answers of a process that is being stopped. */
  private async lastWords(read: Promise<true>): Promise<void> {
    const end = performance.now() + MAX_LAST_WORDS_MS;
    for (let known = this.chunks; ; ) {
      if (await within(read, LAST_WORDS_MS, false)) return;
      const isSilent = !this.isTaking && this.chunks === known;
      if (isSilent || this.stopping !== null || performance.now() > end) return;
      known = this.chunks;
    }
  }

  /** Always read, since a process that writes into a full pipe stops. */
  private async drainStderr(): Promise<void> {
    try {
      for await (const chunk of this.child.stderr) this.stderr?.push(chunk);
    } catch {
      // A broken pipe ends what is kept; the process's own end says what went wrong.
      return;
    }
  }

  private async read(): Promise<void> {
    const { slug, longestLine, onLine, onBroken } = this.options;
    const lines = new LineSplitter(longestLine);
    try {
      for await (const chunk of this.child.stdout) {
        this.chunks += 1;
        this.isTaking = true;
        for (const line of lines.push(chunk)) {
          const taken = onLine(line);
          if (taken) await taken;
        }
        this.isTaking = false;
      }
    } catch (error) {
      if (error instanceof RangeError) onBroken(new ToolFailure("too_large", `${slug} sent too long a line.`, true));
      else onBroken(new ToolFailure("unreachable", `The output of ${slug} broke off.`, true, error));
      return;
    }
    // The end of its output is mostly its own end. A process that lives on without can answer nothing any more.
    const isOver = await within(this.child.exited, LAST_WORDS_MS, null);
    if (isOver === null && !this.stopping) {
      onBroken(new ToolFailure("unreachable", `${slug} closed its output.`, true));
    }
  }
}

const spawn = (
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  { slug }: StdioProcessOptions,
): Bun.Subprocess<"pipe", "pipe", "pipe"> => {
  try {
    // `detached` is setsid(2): a new session, and with it a new group.
    const stdio = { stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const;
    return Bun.spawn([...command], { ...stdio, env: { ...environment }, detached: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    // Arguments may hold secrets: only the program is named.
    const program = basename(command[0] ?? "");
    const why =
      code === "ENOENT"
        ? `The program ${program} of ${slug} was not found. Install it, or give the server another command.`
        : `The program ${program} of ${slug} could not be started (${typeof code === "string" ? code : "unknown"}).`;
    throw new ToolFailure("unreachable", why, false, error);
  }
};

/** The most that is kept of stderr, in bytes. */
const MAX_STDERR_BYTES = 4_096;

/** The end of a stream of bytes. */
class StderrTail {
  private kept = new Uint8Array(0);

  push(chunk: Uint8Array): void {
    const joined = Buffer.concat([this.kept, chunk.subarray(-MAX_STDERR_BYTES)]);
    this.kept = joined.subarray(-MAX_STDERR_BYTES);
  }

  get text(): string | null {
    return boundedServerText(new TextDecoder().decode(this.kept), "end");
  }
}

const within = <A, B>(promise: Promise<A>, ms: number, otherwise: B): Promise<A | B> => {
  const { promise: late, resolve } = Promise.withResolvers<B>();
  const timer = setTimeout(() => resolve(otherwise), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};
