import { GuardError } from "#core/errors";
import { describedBy, documentHostOf, isDocumentUrl, KNOWN_DOCUMENTS } from "#model/oauth/client-document";
import { OAuthError } from "#model/oauth/error";
import type { Registration } from "#model/oauth/registration";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { DocumentFetch } from "#upstream/outbound-port";
import type { Pacing } from "./fixed-window-limiter";

type ClientDocumentsNeeds = {
  readonly fetch: DocumentFetch;
  /** Hosts whose documents are fetched, each with its port where that is not 443; `*` for all. */
  readonly hosts: readonly string[];
  readonly now: Clock;
  readonly pacing: Pacing;
  readonly log: Pick<Log, "warn">;
};

/** Why a client that names a document is not known. Each has words of its own on the page. */
export type NoClient = "not_an_address" | "not_allowed" | "not_fetched" | "not_valid" | "too_many";

export type Described =
  | { readonly kind: "described"; readonly registration: Registration }
  /** Nothing is fetched for strangers. */
  | { readonly kind: "sign_in" }
  | { readonly kind: "unknown"; readonly why: NoClient };

type Kept = { readonly registration: Registration; readonly at: number };

const FRESH_MS = 600_000;
const MAX_KEPT = 200;

/** What is known of clients whose id is the address of a document: copies first, then what the address serves. */
export class ClientDocuments {
  private readonly limiter;
  private readonly kept = new Map<string, Kept>();
  private readonly underWay = new Map<string, Promise<Described>>();

  constructor(private readonly deps: ClientDocumentsNeeds) {
    this.limiter = deps.pacing("client document", { each: 60, all: 300 });
  }

  /** Whether it helps clients to name documents: one that is told so does nothing else. */
  get isOffered(): boolean {
    return this.deps.hosts.length > 0;
  }

  /** `userId`: who is signed in; null for nobody. */
  async describe(url: string, userId: string | null): Promise<Described> {
    const known = KNOWN_DOCUMENTS.get(url);
    if (known) return { kind: "described", registration: known };
    if (!isDocumentUrl(url)) return unknown("not_an_address");
    if (!this.isAllowed(url)) return unknown("not_allowed");
    if (userId === null) return { kind: "sign_in" };
    const kept = this.kept.get(url);
    if (kept && Math.abs(this.deps.now() - kept.at) < FRESH_MS) {
      return { kind: "described", registration: kept.registration };
    }
    return this.underWay.get(url) ?? this.begin(url, userId);
  }

  private begin(url: string, userId: string): Promise<Described> {
    const work = this.paced(url, userId).finally(() => this.underWay.delete(url));
    this.underWay.set(url, work);
    return work;
  }

  private async paced(url: string, userId: string): Promise<Described> {
    try {
      await this.limiter.step(userId);
    } catch (error) {
      if (error instanceof GuardError) return unknown("too_many");
      throw error;
    }
    return this.fetch(url);
  }

  private async fetch(url: string): Promise<Described> {
    // Whatever comes of it, what was there before holds no longer (draft §4.4: no errors and nothing invalid is kept).
    this.kept.delete(url);
    const answer = await this.deps.fetch(url);
    if (answer.kind === "none") return this.refuse(url, "not_fetched", answer.why);
    try {
      const registration = describedBy(url, answer.document);
      this.keep(url, registration);
      return { kind: "described", registration };
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return this.refuse(url, "not_valid", error.message);
    }
  }

  private keep(url: string, registration: Registration): void {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(url, { registration, at: this.deps.now() });
  }

  private refuse(url: string, why: NoClient, reason: string): Described {
    this.deps.log.warn("oauth.document_refused", { host: documentHostOf(url), reason });
    return unknown(why);
  }

  private isAllowed(url: string): boolean {
    const { hosts } = this.deps;
    return hosts.includes("*") || hosts.includes(new URL(url).host);
  }
}

const unknown = (why: NoClient): Described => ({ kind: "unknown", why });
