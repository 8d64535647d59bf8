import type { QuestionModes, ResourceWatch } from "#features/tools/dialect/port";
import type { TokenPrincipal } from "#model/principal";
import type { LogLevel } from "#model/tools/log-level";
import { NO_MODES } from "./session";

/*
 * Sessions of clients of the 2025 era. The id says what was agreed on in the handshake and which process keeps what is
 * asked for later, so that nothing is kept of a session that asks for nothing. It is no credential: all that is kept is
 * kept by token and id, and a client that changes its id says what it could have said in the handshake.
 */

const HEADER = "mcp-session-id";
const SESSION = /^[a-z0-9-]{1,64}\.(f?)(u?)-([0-9a-f]{8})-[0-9a-f-]{36}$/;

/** Sessions that keep something, of one token and of all. The one that was used longest ago goes, unless it has a stream. */
const MAX_OF_TOKEN = 64;
const MAX_SESSIONS = 4_096;

/** Resources one session may watch. */
export const MAX_WATCHED = 32;

/** What a session asked for beside its handshake. */
export class ClientSession {
  /** The least severe log messages it wants; null for none. */
  logLevel: LogLevel | null = null;
  /** On which it hears of changes; null while there is none. */
  stream: { tell(uri: string): void; end(): void } | null = null;
  /** By their public URIs. */
  readonly watched = new Map<string, ResourceWatch>();
  /** Resources that are not watched yet. */
  beginning = 0;
  isEnded = false;

  constructor(readonly tokenId: string) {}

  lookAs(now: TokenPrincipal): void {
    for (const watch of [...this.watched.values()]) watch.lookAs(now);
  }

  end(): void {
    this.isEnded = true;
    this.stream?.end();
    this.stopWatching();
  }

  stopWatching(): void {
    for (const watch of [...this.watched.values()]) watch.end();
    this.watched.clear();
  }
}

export class ClientSessions {
  private readonly kept = new Map<string, ClientSession>();
  /** Sessions of before a restart have another. */
  private readonly started = crypto.randomUUID().slice(0, 8);

  /** `process` names this one among those that a client's requests may reach. */
  constructor(readonly process: string) {}

  /** The header of the answer to `initialize`. */
  headers({ form, url }: QuestionModes): Readonly<Record<string, string>> {
    const flags = `${form ? "f" : ""}${url ? "u" : ""}`;
    return { [HEADER]: `${this.process}.${flags}-${this.started}-${crypto.randomUUID()}` };
  }

  /** Null for a request that names no session, and for one of before a restart: nothing of it is known any more. */
  of(tokenId: string, headers: Headers): ClientSession | null {
    const id = idOf(headers);
    if (id === null || SESSION.exec(id)?.[3] !== this.started) return null;
    const key = `${tokenId} ${id}`;
    const session = this.kept.get(key) ?? new ClientSession(tokenId);
    this.kept.delete(key);
    this.makeRoom(tokenId);
    this.kept.set(key, session);
    return session;
  }

  /** The level of a session that asked for one, without keeping anything of others. */
  logLevelOf(tokenId: string, headers: Headers): LogLevel | null {
    return this.kept.get(`${tokenId} ${idOf(headers)}`)?.logLevel ?? null;
  }

  end(tokenId: string, headers: Headers): void {
    const key = `${tokenId} ${idOf(headers)}`;
    this.kept.get(key)?.end();
    this.kept.delete(key);
  }

  /** Ends them all: the hub is stopping. */
  close(): void {
    for (const session of this.kept.values()) session.end();
    this.kept.clear();
  }

  get size(): number {
    return this.kept.size;
  }

  private makeRoom(tokenId: string): void {
    const isOwn = ([, session]: readonly [string, ClientSession]): boolean => session.tokenId === tokenId;
    const own = [...this.kept].filter(isOwn);
    if (own.length >= MAX_OF_TOKEN) this.forget(own);
    else if (this.kept.size >= MAX_SESSIONS) this.forget([...this.kept]);
  }

  private forget(among: readonly (readonly [string, ClientSession])[]): void {
    const [key, session] = among.find(([, { stream }]) => stream === null) ?? among[0] ?? [];
    if (key === undefined || session === undefined) return;
    session.end();
    this.kept.delete(key);
  }
}

export const idOf = (headers: Headers): string | null => headers.get(HEADER);

/** Which questions the client of the session can show. */
export const modesOfSession = (headers: Headers): QuestionModes => {
  const match = SESSION.exec(idOf(headers) ?? "");
  return match ? { form: match[1] === "f", url: match[2] === "u" } : NO_MODES;
};
