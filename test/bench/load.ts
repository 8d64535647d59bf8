/** The load generator: closed loops over kept connections, and many streams held open. */
import { BenchCaller } from "./caller.ts";
import { CHAT_WIRE } from "./chat-wire.ts";
import { serveParent } from "./child.ts";
import type { Endpoint, LoadJob, LoadResult, LoopResult, OpenResult } from "./load-job.ts";
import { modelQuestion } from "./model-question.ts";
import { questionOf } from "./questions.ts";
import { spread } from "./stats.ts";

/** How long after its end a loop waits for answers still on their way. */
const GRACE_MS = 15_000;
/** A loop that counts answers ends then at the latest. */
const MAX_WARM_UP_MS = 120_000;
/** Streams being opened at one time. */
const OPENING = 50;

/**
 * Where streams last equally long, callers pause for up to such a part of the spread: what they wait for together, such as
 * a commit, would else bring them into step for good, so that 16 callers begin at the same moment.
 */
const PAUSE = 0.2;

type ClosedLoop = Extract<LoadJob, { kind: "closed-loop" }>;

/** Counts what goes wrong, by reason. */
class Errors {
  readonly #counts: Record<string, number> = {};

  add(reason: string): void {
    this.#counts[reason] = (this.#counts[reason] ?? 0) + 1;
  }

  get counts(): Readonly<Record<string, number>> {
    return this.#counts;
  }
}

async function closedLoop(job: ClosedLoop): Promise<LoopResult> {
  const { endpoint, concurrency, until, spreadMs } = job;
  const question = questionOf(job.shape);
  const whole: number[] = [];
  const firstByte: number[] = [];
  const firstText: number[] = [];
  const errors = new Errors();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const end = "seconds" in until ? began + until.seconds * 1_000 : Number.POSITIVE_INFINITY;
  const isOver = (): boolean => ("calls" in until ? whole.length >= until.calls : performance.now() >= end);

  const loop = async (_: unknown, position: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const caller = new BenchCaller(endpoint, question, {
      answered(ms, byteMs, textMs) {
        whole.push(ms);
        firstByte.push(byteMs);
        firstText.push(textMs);
        if (isOver()) {
          caller.close();
          resolve();
        } else if (spreadMs === 0) caller.send();
        else setTimeout(() => caller.send(), Math.random() * spreadMs * PAUSE);
      },
      failed(reason) {
        errors.add(reason);
        resolve();
      },
    });
    await caller.connect();
    await Bun.sleep((position / concurrency) * spreadMs);
    caller.send();
    const timeoutMs = "seconds" in until ? end + GRACE_MS - performance.now() : MAX_WARM_UP_MS;
    const late = setTimeout(() => caller.fail("no answer"), timeoutMs);
    await promise;
    clearTimeout(late);
  };
  await Promise.all(Array.from({ length: concurrency }, loop));

  const { user, system } = process.cpuUsage(cpu);
  return {
    kind: "closed-loop",
    requests: whole.length,
    errors: errors.counts,
    seconds: (performance.now() - began) / 1_000,
    whole: spread(whole),
    firstByte: spread(firstByte),
    firstText: spread(firstText),
    cpuMicros: user + system,
  };
}

let held: BenchCaller[] = [];

/** Opens so many streams and leaves them open; done when text has come in on each, or time is up. */
async function openStreams(endpoint: Endpoint, streams: number, withinSeconds: number): Promise<OpenResult> {
  const question = modelQuestion(CHAT_WIRE, "bench-open", true);
  const errors = new Errors();
  const end = performance.now() + withinSeconds * 1_000;
  held = Array.from({ length: streams }, () => {
    const failed = (reason: string) => errors.add(reason);
    return new BenchCaller(endpoint, question, { failed, answered: () => failed("stream ended") });
  });
  heldErrors = errors;
  for (let at = 0; at < held.length; at += OPENING) {
    const group = held.slice(at, at + OPENING);
    await Promise.all(group.map((caller) => caller.connect()));
    for (const caller of group) caller.send();
    await Bun.sleep(20);
  }
  while (held.some((caller) => !caller.streaming) && performance.now() < end) await Bun.sleep(50);
  return countOpen();
}

let heldErrors = new Errors();

function countOpen(): OpenResult {
  return { kind: "open", open: held.filter((caller) => caller.streaming).length, errors: heldErrors.counts };
}

function closeStreams(): OpenResult {
  const result = countOpen();
  for (const caller of held) caller.close();
  held = [];
  return result;
}

serveParent<LoadJob, LoadResult>("", async (job) => {
  switch (job.kind) {
    case "closed-loop":
      return closedLoop(job);
    case "open":
      return openStreams(job.endpoint, job.streams, job.withinSeconds);
    case "close":
      return closeStreams();
  }
});
