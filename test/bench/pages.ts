/** Open pages of the dashboard: each hears the stream of events and asks again for what it shows, as browsers do. */
import { serveParent } from "./child.ts";
import type { OpenPage, PagesJob, PagesResult } from "./pages-job.ts";

/** As in the page: while calls are made, what is shown is asked for again so often. */
const REST_MS = 5_000;

/** One open page, until it is closed. */
class Page {
  bytes = 0;
  readonly answersMs: number[] = [];
  readonly #stop = new AbortController();
  #done = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly shown: OpenPage,
  ) {}

  async open(): Promise<this> {
    const events = await this.#get("/api/events");
    this.#done = this.#hear(events).catch((fault: unknown) => {
      if (!this.#stop.signal.aborted) throw fault;
    });
    return this;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #hear(events: Response): Promise<void> {
    // People did not open their pages at one moment.
    let rested = performance.now() + REST_MS * Math.random();
    for await (const chunk of events.body ?? []) {
      this.bytes += chunk.byteLength;
      if (performance.now() < rested) continue;
      rested = performance.now() + REST_MS;
      for (const path of this.shown.asks) await this.#ask(path);
    }
  }

  async #ask(path: string): Promise<void> {
    const began = performance.now();
    await (await this.#get(path)).arrayBuffer();
    this.answersMs.push(performance.now() - began);
  }

  async #get(path: string): Promise<Response> {
    const headers = { authorization: `Bearer ${this.shown.key}` };
    const response = await fetch(this.url + path, { headers, signal: this.#stop.signal });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response;
  }
}

let pages: readonly Page[] = [];
let cpu = process.cpuUsage();

const close = async (): Promise<PagesResult> => {
  await Promise.all(pages.map((page) => page.close()));
  const answersMs = pages.flatMap((page) => page.answersMs);
  const { user, system } = process.cpuUsage(cpu);
  return {
    bytes: pages.map(({ bytes }) => bytes),
    questions: answersMs.length,
    slowestMs: Math.max(0, ...answersMs),
    cpuMicros: user + system,
  };
};

serveParent<PagesJob, PagesResult>("", async (job) => {
  if (job.kind === "close") return close();
  cpu = process.cpuUsage();
  pages = await Promise.all(job.pages.map((shown) => new Page(job.url, shown).open()));
  return { bytes: [], questions: 0, slowestMs: 0, cpuMicros: 0 };
});
