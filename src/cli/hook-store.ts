import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Environment } from "#config/environment";
import { Shape } from "#core/schema";
import type { HookRules } from "#features/verdicts/hook-rules";
import { OfflineDecision } from "#features/verdicts/offline-report";
import { sha256Hex } from "#platform/hash";

/*
 * What a hook keeps on its machine, in the user's cache directory: the last rules of one hub and token, and decisions that
 * the hub was not told of yet. Nobody else may read it; rules that somebody else has written are not used.
 */

const VERSION = 1;
const MAX_RULES_BYTES = 4_194_304;
/** Decisions wait up to this size; then the hook decides nothing more by itself. */
const MAX_DECISIONS_BYTES = 262_144;
/** How far the time of a confirmation may be ahead: clocks are set. */
const MAX_AHEAD_MS = 60_000;
/** A confirmation is written down again after this time. */
const CONFIRM_MS = 60_000;
const DECISIONS = ".decisions";
/** Another hook that has taken decisions for so long has ended without sending them. */
const MAX_SENDING_MS = 600_000;

type Kept = { readonly v: number; readonly confirmed_at: number; readonly rules: HookRules };
type Binding = { readonly url: string; readonly token: string; readonly environment: Environment };

export class HookStore {
  private readonly folder: string;
  private readonly name: string;
  private readonly key: Buffer;

  constructor({ url, token, environment }: Binding) {
    this.folder = join(cacheFolder(environment), "guardhouse", "hook");
    // The name tells of the token no more than a hash of a long random secret does.
    this.name = sha256Hex(`hook\n${url}\n${token}`).slice(0, 32);
    this.key = createHmac("sha256", token).update(`guardhouse\nhook rules v${VERSION}\n${url}`).digest();
  }

  /** The rules, as long as they hold. Null for none, and for what was changed, is too old or is open to others. */
  rules(now: number): HookRules | null {
    const kept = this.kept();
    if (kept === null) return null;
    const age = now - kept.confirmed_at;
    return age >= -MAX_AHEAD_MS && age <= kept.rules.offline_minutes * 60_000 ? kept.rules : null;
  }

  /** Takes down that the hub has confirmed the rules of this hash; false where others, or none, are kept. */
  confirm(hash: string, now: number): boolean {
    const kept = this.kept();
    if (kept?.rules.hash !== hash) return false;
    if (Math.abs(now - kept.confirmed_at) >= CONFIRM_MS) this.keep(kept.rules, now);
    return true;
  }

  keep(rules: HookRules, now: number): void {
    const kept: Kept = { v: VERSION, confirmed_at: now, rules };
    const text = JSON.stringify(kept);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const draft = `${this.file}.${process.pid}`;
    rmSync(draft, { force: true });
    writeFileSync(draft, `${this.sealOf(text)}\n${text}`, { mode: 0o600, flag: "wx" });
    renameSync(draft, this.file);
  }

  forget(): void {
    rmSync(this.file, { force: true });
  }

  /** False where too many wait already. */
  note(decision: OfflineDecision): boolean {
    const file = this.file + DECISIONS;
    const size = this.waiting().reduce((sum, name) => sum + sizeOf(join(this.folder, name)), 0);
    if (size >= MAX_DECISIONS_BYTES) return false;
    appendFileSync(file, `${JSON.stringify(decision)}\n`, { mode: 0o600 });
    return true;
  }

  /** Decisions that wait, for as long as `send` takes them: what it did not take waits on. */
  async report(send: (decisions: readonly OfflineDecision[]) => Promise<boolean>, atOnce: number): Promise<void> {
    for (const name of this.waiting()) {
      if (takenAt(name) > Date.now() - MAX_SENDING_MS) continue;
      // Taken by one of several hooks: only one moves it, and none to where another has its own.
      const own = this.decisionsTaken(Date.now());
      if (!moved(join(this.folder, name), own)) continue;
      const decisions = decisionsIn(readFileSync(own, "utf8"));
      for (let at = 0; at < decisions.length; at += atOnce) {
        if (await send(decisions.slice(at, at + atOnce))) continue;
        writeFileSync(
          own,
          decisions
            .slice(at)
            .map((one) => `${JSON.stringify(one)}\n`)
            .join(""),
          { mode: 0o600 },
        );
        renameSync(own, this.decisionsTaken(0));
        return;
      }
      rmSync(own, { force: true });
    }
  }

  /** A name of its own for decisions that are being sent since then. */
  private decisionsTaken(since: number): string {
    return `${this.file}${DECISIONS}.${since}.${randomBytes(8).toString("hex")}`;
  }

  private get file(): string {
    return join(this.folder, this.name);
  }

  private waiting(): string[] {
    try {
      return readdirSync(this.folder).filter((name) => name.startsWith(this.name + DECISIONS));
    } catch (cause) {
      if (isMissing(cause)) return [];
      throw cause;
    }
  }

  private kept(): Kept | null {
    const stats = statsOf(this.file);
    if (stats === null || !isOwn(stats) || stats.size > MAX_RULES_BYTES) return null;
    const [seal = "", text = ""] = readFileSync(this.file, "utf8").split("\n", 2);
    const [given, meant] = [Buffer.from(seal), Buffer.from(this.sealOf(text))];
    if (given.length !== meant.length || !timingSafeEqual(given, meant)) return null;
    // What is sealed was written here.
    const kept: Kept = JSON.parse(text);
    return kept.v === VERSION ? kept : null;
  }

  private sealOf(text: string): string {
    return createHmac("sha256", this.key).update(text).digest("hex");
  }
}

const cacheFolder = ({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Environment): string => {
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  if (process.platform === "win32" && LOCALAPPDATA) return LOCALAPPDATA;
  // A directory of wherever the agent works would be anybody's.
  if (!HOME) throw new Error("no home directory");
  return process.platform === "darwin" ? join(HOME, "Library", "Caches") : join(HOME, ".cache");
};

/** A file of this user's that nobody else can read or write. Windows has no such bits; there the directory is the user's. */
const isOwn = (stats: Stats): boolean => {
  if (!stats.isFile()) return false;
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0);
};

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT";

const statsOf = (file: string): Stats | null => lstatSync(file, { throwIfNoEntry: false }) ?? null;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** When decisions were taken to be sent; 0 where they wait. */
const takenAt = (name: string): number => Number(/\.(\d+)\.[0-9a-f]+$/.exec(name)?.[1] ?? 0);

const moved = (from: string, to: string): boolean => {
  try {
    renameSync(from, to);
    return true;
  } catch (cause) {
    if (isMissing(cause)) return false;
    throw cause;
  }
};

/** A line that a crash cut off is none. */
const decisionsIn = (text: string): OfflineDecision[] => {
  const shape = new Shape(OfflineDecision);
  return text.split("\n").flatMap((line) => {
    const decision = parsed(line);
    return shape.fits(decision) ? [decision] : [];
  });
};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
};
