import { COMMANDS, commandLine } from "#core/command-line";
import type { ToolServer } from "#model/tools/tool";
import { ToolFailure } from "#upstream/tool-port";
import type { AuthorizationCode } from "./credentials";
import { challengeOf, scopeWords, widened } from "./oauth-challenge";
import { GrantKeeper, type HeldGrant, peerOf, type UpstreamOAuthNeeds } from "./oauth-grant";
import { requestTokens, type UpstreamTokens } from "./oauth-token";
import type { ToolAuthorization } from "./port";

/** Renewed so many milliseconds early: a token must not expire on its way. */
export const EARLY_MS = 30_000;
/** A token this young, in milliseconds, is not renewed again: what was refused was sent with the one before. */
export const YOUNG_MS = 5_000;
/** How often and how long a process waits while another renews the same sign-in, in milliseconds. */
const TURN_RETRY_MS = 50;
const TURN_PATIENCE_MS = 15_000;
const TURN_TAKEN = "Another process is renewing the sign-in at the tool server. Try again.";
/** How long another process may take to store what it renewed, in steps of milliseconds. */
const WAITS_MS = [0, 50, 150, 300, 500];

/** With the tokens of a person who signed in; renews them, and shares them with other processes. */
export class CodeAuthorization implements ToolAuthorization {
  private readonly keeper: GrantKeeper;
  private held: HeldGrant | null = null;
  private sent: Readonly<Record<string, string>> = {};
  private heldSince = Number.NEGATIVE_INFINITY;
  /** The version of the grant that its authorization server no longer renews. */
  private dead = 0;
  private renewing: Promise<void> | null = null;

  constructor(
    private readonly server: ToolServer,
    credentials: AuthorizationCode,
    private readonly deps: UpstreamOAuthNeeds,
  ) {
    this.keeper = new GrantKeeper(server, credentials.client_id, deps);
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    if (this.held === null) this.hold(await this.load());
    if (this.isStale()) await this.renewed();
    return this.sent;
  }

  async refused(response: Response): Promise<boolean> {
    if (response.status === 403) return this.wantMore(challengeOf(response).scope);
    if (this.deps.now() - this.heldSince >= YOUNG_MS) await this.renewed();
    return true;
  }

  private isStale(): boolean {
    const expiresAt = this.held?.grant.expiresAt ?? null;
    return expiresAt !== null && expiresAt - EARLY_MS <= this.deps.now();
  }

  private hold(held: HeldGrant): void {
    if (held.grant.access !== this.held?.grant.access) this.sent = { authorization: `Bearer ${held.grant.access}` };
    this.held = held;
  }

  private async load(): Promise<HeldGrant> {
    const held = await this.keeper.load();
    if (held === null) throw this.signIn("No user has signed in at");
    return held;
  }

  /** Once for all who wait. */
  private renewed(): Promise<void> {
    this.renewing ??= this.renew().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private async renew(): Promise<void> {
    const { turns } = this.deps;
    if (turns === undefined) return this.renewNow();
    const key = `tool server grant ${this.server.id}`;
    for (let waited = 0; !(await turns.acquire(key)); waited += TURN_RETRY_MS) {
      if (waited >= TURN_PATIENCE_MS) throw new ToolFailure("busy", TURN_TAKEN, false);
      await Bun.sleep(TURN_RETRY_MS);
    }
    try {
      await this.renewNow();
    } finally {
      await turns.end(key);
    }
  }

  private async renewNow(): Promise<void> {
    const before = this.held;
    const stored = await this.load();
    // Somebody signed in again, or another process was faster.
    const isOthers = before !== null && stored.grant.access !== before.grant.access;
    this.hold(stored);
    if (!isOthers || this.isStale()) await this.ask(stored);
    this.heldSince = this.deps.now();
  }

  private async ask(stored: HeldGrant): Promise<void> {
    const { grant, version } = stored;
    if (grant.refresh === null || version === this.dead) throw this.signIn("The sign-in has ended at");
    const answer = await requestTokens(peerOf(this.server, this.deps), {
      endpoint: grant.tokenEndpoint,
      client: grant.client,
      params: { grant_type: "refresh_token", refresh_token: grant.refresh, resource: grant.resource },
      now: this.deps.now(),
    });
    if (answer.kind === "tokens") await this.keep(stored, answer);
    else if (!(await this.othersRenewed(stored))) {
      this.dead = version;
      throw this.signIn("The sign-in has ended at");
    }
    this.hold(await this.load());
  }

  /** Of two that renewed at once the first keeps its tokens. A change of anything else is no reason to lose ours. */
  private async keep(stored: HeldGrant, { access, refresh, expiresAt }: UpstreamTokens): Promise<void> {
    let at = stored;
    while (at.grant.access === stored.grant.access) {
      const next = { ...at.grant, access, refresh: refresh ?? at.grant.refresh, expiresAt };
      if (await this.keeper.save(at.version, next)) return;
      at = await this.load();
    }
  }

  /** A refresh token that rotates is refused to the second who uses it: the first may be about to store the next. */
  private async othersRenewed({ grant }: HeldGrant): Promise<boolean> {
    for (const ms of WAITS_MS) {
      await Bun.sleep(ms);
      if ((await this.load()).grant.access !== grant.access) return true;
    }
    return false;
  }

  /** Only a person can give more: what is missing is noted for the next sign-in. */
  private async wantMore(scope: string | null): Promise<boolean> {
    const stored = await this.load();
    const { asked, wanted, access } = stored.grant;
    if (this.held !== null && access !== this.held.grant.access) {
      this.hold(stored);
      return true;
    }
    // It was asked for already, and not given: asking again would give the same.
    if (scopeWords(scope).every((word) => scopeWords(asked).includes(word))) return false;
    const next = { ...stored.grant, wanted: widened(asked, wanted, scope) };
    // When another was first, it noted the same or has more already.
    if (next.wanted !== wanted) await this.keeper.save(stored.version, next);
    throw this.signIn("More must be allowed at");
  }

  private signIn(why: string): ToolFailure {
    const { slug } = this.server;
    const how = `with "${commandLine(COMMANDS.authorizeTools(slug, "EMAIL"))}" or in the dashboard`;
    return new ToolFailure("unauthorized", `${why} ${slug}: sign in ${how}.`, false);
  }
}
