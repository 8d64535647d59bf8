import { describe, setDefaultTimeout } from "bun:test";
import { existsSync } from "node:fs";
import {
  type BrowserContext,
  type BrowserContextOptions,
  type Browser as Chrome,
  type ConsoleMessage,
  chromium,
  type Page,
  type WebError,
} from "playwright-core";
import { eventually } from "#test/support/eventually";
import { recordSkipped, VERIFIED_IN } from "#test/support/verified";

/** `CHROMIUM` names one elsewhere. */
const PATH = process.env.CHROMIUM ?? "/usr/bin/chromium";
const IS_THERE = existsSync(PATH);
/** The check of everything installs one, and sets this so that these tests cannot go missing unseen. */
const IS_REQUIRED = process.env.CHROMIUM_REQUIRED === "1";

/** What does not come at all is found out late, and nothing by chance: a page beside other suites takes its time. */
const PATIENCE_MS = 60_000;

const TELL_VIOLATIONS = `addEventListener("securitypolicyviolation", (it) =>
  console.error("policy violated: " + it.violatedDirective + " " + it.blockedURI));`;

/** A group of tests in a real browser: skipped on a machine that has none, unless one is required. */
export const inChromium = (name: string, tests: () => void): void => {
  const reason =
    IS_THERE || IS_REQUIRED ? "" : ` (skipped: there is no ${PATH}; apt-get install chromium, or set CHROMIUM)`;
  if (reason !== "") recordSkipped(`tests in Chromium${reason}`);
  // Once for every file: a browser takes its time beside other suites.
  setDefaultTimeout(240_000);
  describe.skipIf(reason !== "")(`in Chromium: ${name}${reason}`, tests);
};

/**
 * The runner's own, for all of its test files. In a run of `.ci/test.ts` it ends with the runner, and its files go with
 * the run's folder: no hook runs when a parallel runner ends. Otherwise each test file closes it.
 */
let running: Promise<Chrome> | undefined;

const launched = (): Promise<Chrome> => {
  // Its own sandbox needs what containers do not have. The pages it opens are the tests' own.
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  return chromium.launch({ executablePath: PATH, args, timeout: 2 * PATIENCE_MS });
};

const chrome = async (): Promise<Chrome> => {
  if (!IS_THERE) throw new Error(`There is no ${PATH}: install Chromium, or name one in CHROMIUM`);
  running ??= launched();
  const there = await running;
  if (there.isConnected()) return there;
  running = launched();
  return running;
};

/** Debian's Chromium without a window. One process in each runner; each visitor has cookies of its own. */
export class Chromium {
  /** Windows of people who have left, for the next: a new one costs as much as the page that is opened in it. */
  private readonly spare: BrowserContext[] = [];

  private constructor(private readonly browser: Chrome) {}

  static async launch(): Promise<Chromium> {
    return new Chromium(await chrome());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.spare.splice(0).map((context) => context.close()));
    if (process.env[VERIFIED_IN] === undefined) await this.browser.close();
  }

  /** Somebody at a computer, who has been nowhere yet. */
  async visitor(home: string, options?: BrowserContextOptions): Promise<Visitor> {
    const context = (options === undefined ? this.spare.pop() : undefined) ?? (await this.opened(options));
    const { origin } = new URL(home);
    const page = await context.newPage();
    const leave = options === undefined ? () => this.emptied(context, origin) : () => context.close();
    const visitor = new Visitor(context, page, origin, leave);
    await visitor.watch(visitor.page);
    return visitor;
  }

  private async opened(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    // What moves is for the eye alone, and is drawn many times: colours on their way to another theme, what turns.
    const context = await this.browser.newContext({ locale: "en-GB", reducedMotion: "reduce", ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript({ content: TELL_VIOLATIONS });
    return context;
  }

  /** Nothing is left of who was there: no page, no cookie, nothing kept for the hub. Only its scripts stay compiled. */
  private async emptied(context: BrowserContext, origin: string): Promise<void> {
    const [last, ...others] = context.pages();
    if (last === undefined) return context.close();
    const session = await context.newCDPSession(last);
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
    await Promise.all([last, ...others].map((page) => page.close()));
    await context.clearCookies();
    this.spare.push(context);
  }
}

/** Links of programs have none: their scheme says whose they are. */
const originOf = (address: string): string => {
  const { origin, protocol } = new URL(address);
  return origin === "null" ? protocol : origin;
};

/** One person's browser. Notes whatever goes wrong on a page and every request that goes elsewhere. */
export class Visitor {
  /** Errors and warnings on the console, uncaught errors, violations of the page's policy, requests to strangers. */
  readonly troubles: string[] = [];
  /** Every request, as `GET /path`, in order; to others than the hub with their origin. */
  readonly requests: string[] = [];
  private readonly known: Set<string>;
  private readonly foreseen: RegExp[] = [];
  private readonly watched = new Set<Page>();

  constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly home: string,
    private readonly end: () => Promise<void>,
  ) {
    this.known = new Set([home]);
    context.on("console", this.onConsole);
    context.on("weberror", this.onFault);
    context.on("page", this.onPage);
  }

  private readonly onConsole = (message: ConsoleMessage): void => {
    const { url } = message.location();
    // What pages of others say of themselves is theirs.
    const isOurs = url === "" || !URL.canParse(url) || new URL(url).origin === this.home;
    const isTrouble = ["error", "warning"].includes(message.type());
    if (isOurs && isTrouble) this.note(`${message.type()}: ${message.text()}`);
  };
  private readonly onFault = (fault: WebError): void => this.note(`uncaught: ${fault.error().message}`);
  private readonly onPage = (page: Page): void => void this.watch(page);

  /**
   * Notes what a page asks for, by the browser's own protocol: the driver's objects for requests are now and then gone
   * when their answers come, and it throws then where nobody can catch it.
   */
  async watch(page: Page): Promise<void> {
    if (this.watched.has(page)) return;
    this.watched.add(page);
    const session = await this.context.newCDPSession(page);
    session.on("Network.requestWillBeSent", ({ request }) => this.noteRequest(request));
    await session.send("Network.enable");
  }

  private noteRequest({ url, method }: { readonly url: string; readonly method: string }): void {
    // What stands in the page itself is asked of nobody.
    if (url.startsWith("data:") || url.startsWith("blob:")) return;
    const origin = originOf(url);
    const { pathname } = new URL(url);
    this.requests.push(`${method} ${origin === this.home ? "" : origin}${pathname}`);
    if (!this.known.has(origin)) this.note(`request to ${origin}`);
  }

  /** Somewhere else this visitor is meant to go. */
  mayVisit(address: string): void {
    this.known.add(originOf(address));
  }

  /** What is no trouble here, whenever it comes. */
  foresees(pattern: RegExp): void {
    this.foreseen.push(pattern);
  }

  /** Takes away troubles a test is about, and gives them. */
  taken(pattern: RegExp): string[] {
    const found = this.troubles.filter((trouble) => pattern.test(trouble));
    const rest = this.troubles.filter((trouble) => !pattern.test(trouble));
    this.troubles.splice(0, Infinity, ...rest);
    return found;
  }

  /** The same, once as many of them are there: they are told a moment after what they are about is seen. */
  async met(pattern: RegExp, count = 1): Promise<string[]> {
    const told = () => this.troubles.filter((trouble) => pattern.test(trouble)).length;
    await eventually(() => Math.min(told(), count), count);
    return this.taken(pattern);
  }

  /** Signs in without a page; the browser keeps the cookie. */
  async signIn(email: string, password: string): Promise<void> {
    const headers = { origin: this.home, "user-agent": await this.page.evaluate(() => navigator.userAgent) };
    const answer = await this.context.request.post(`${this.home}/api/auth/sign-in`, {
      data: { email, password },
      headers,
    });
    if (!answer.ok()) throw new Error(`not signed in: ${answer.status()}`);
    await answer.dispose();
  }

  /** Asks the hub from the page that is open, as a script of the hub's own would. */
  ask(path: string, method = "GET", body?: unknown): Promise<{ readonly status: number; readonly json: unknown }> {
    const asked = { url: `${this.home}${path}`, method, body: body === undefined ? null : JSON.stringify(body) };
    return this.page.evaluate(async ({ url, ...init }) => {
      const answer = await fetch(url, { ...init, headers: { "content-type": "application/json" } });
      const text = await answer.text();
      return { status: answer.status, json: text === "" ? null : JSON.parse(text) };
    }, asked);
  }

  async leave(): Promise<void> {
    // The driver stumbles over answers that come when their page is gone: whatever is under way ends before.
    await Promise.all(this.context.pages().map(emptied));
    this.context.off("console", this.onConsole);
    this.context.off("weberror", this.onFault);
    this.context.off("page", this.onPage);
    await this.end();
  }

  private note(trouble: string): void {
    if (!this.foreseen.some((pattern) => pattern.test(trouble))) this.troubles.push(trouble);
  }
}

/** A page that is just being sent elsewhere by its own script takes the first order for nothing. */
const emptied = async (page: Page, tries = 4): Promise<void> => {
  try {
    await page.goto("about:blank");
  } catch (fault) {
    if (tries === 0) throw fault;
    await emptied(page, tries - 1);
  }
};
