import { expect, test } from "bun:test";
import { LiveEvents } from "#features/events/live-events";
import { verifies } from "#test/support/verifies";

/** Milliseconds between two times it is asked who is still welcome. */
const WELCOME_MS = 5_000;

class Watched {
  now = 1_000_000;
  readonly live = new LiveEvents({
    ...{ ownerOf: () => null, ownerOfServer: () => null, nameOfAgent: () => null, emailOf: () => null },
    now: () => this.now,
  });
  /** Answers to the question whether the listener is still welcome, as they are awaited. */
  readonly asked: PromiseWithResolvers<boolean>[] = [];
  readonly faults: unknown[] = [];

  /** A listener with a real stream behind it, as browsers have one: it cannot be ended twice. */
  listen(): ReadableStream<string> {
    let leave: (() => void) | null = null;
    return new ReadableStream<string>({
      start: (controller) => {
        const user = {
          id: "u",
          email: "u@example.org",
          name: null,
          role: "admin",
          state: "active",
          created_at: 1,
        } as const;
        const isStillAuthorized = (): Promise<boolean> => {
          const answer = Promise.withResolvers<boolean>();
          this.asked.push(answer);
          return answer.promise;
        };
        const end = (): void => {
          try {
            controller.close();
          } catch (fault) {
            // In a hub nobody waits for it: it would end the process.
            this.faults.push(fault);
          }
        };
        const send = (message: string): boolean => {
          controller.enqueue(message);
          return true;
        };
        leave = this.live.listen({ user, send, end, isStillAuthorized }, null);
      },
      cancel: () => leave?.(),
    });
  }

  /** It is asked who is welcome. */
  ask(): void {
    this.now += WELCOME_MS;
    this.live.tick();
  }

  async answerAll(isStillAuthorized: boolean): Promise<void> {
    for (const { resolve } of this.asked) resolve(isStillAuthorized);
    await Bun.sleep(1);
  }
}

test("event streams of an ended session end once", async () => {
  verifies("events.ended", "hub.background-failures");
  const watched = new Watched();
  const stream = watched.listen();
  // A slow answer: the next question comes before it.
  watched.ask();
  watched.ask();
  expect(watched.asked).toHaveLength(2);
  await watched.answerAll(false);
  expect([watched.faults, watched.live.size]).toEqual([[], 0]);
  // It is over: all of it can be read.
  expect(await Array.fromAsync(stream)).toContain("retry: 2000\n\n");
});

test("a client that goes while it is asked about is not ended after it went", async () => {
  verifies("events.ended");
  const watched = new Watched();
  const stream = watched.listen();
  watched.ask();
  await stream.cancel();
  await watched.answerAll(false);
  expect([watched.faults, watched.live.size]).toEqual([[], 0]);
});

test("event streams of active sessions stay open", async () => {
  const watched = new Watched();
  watched.listen();
  watched.ask();
  await watched.answerAll(true);
  expect(watched.live.size).toBe(1);
});
