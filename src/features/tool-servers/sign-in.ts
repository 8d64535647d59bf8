import { GuardError } from "#core/errors";
import { escaped } from "#core/html";
import { type Actor, changeRecord } from "#model/change";
import type { ToolServer } from "#model/tools/tool";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { ToolServerStore } from "#store/port";
import { ToolFailure } from "#upstream/tool-port";
import type { DiscoverTools, SignIn, SignInAnswer, SignInPlace } from "./port";

type ToolSignInServiceNeeds = {
  readonly tools: Pick<ToolServerStore, "byId">;
  readonly signIn: SignIn;
  readonly discover: DiscoverTools;
  /** Resolves when the line is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** How a sign-in ended. `ok` is false where the server still does not answer. */
export type ToolSignInResult =
  | { readonly kind: "signed_in"; readonly slug: string; readonly ok: boolean; readonly problem: string | null }
  | { readonly kind: "not_begun" }
  | { readonly kind: "another_person" };

/** A person signs the hub in at a tool server, so that it may act there for them. */
export class ToolSignInService {
  constructor(private readonly deps: ToolSignInServiceNeeds) {}

  /** The address to open in a browser. Throws `invalid_value`, `upstream_error`. */
  async begin(server: ToolServer, userId: string, ends: SignInPlace): Promise<string> {
    if (server.credential_kind !== "authorization_code") {
      throw new GuardError("invalid_value", `${server.slug} does not use OAuth sign-in: set its credentials instead.`);
    }
    return known(this.deps.signIn.begin(server, userId, ends));
  }

  /** `visitor` is who is signed in where the answer came back; null for nobody. Throws `upstream_error`. */
  async finish(answer: SignInAnswer, visitor: string | null): Promise<ToolSignInResult> {
    const end = await known(this.deps.signIn.finish(answer, visitor));
    if (end.kind !== "signed_in") return end;
    const server = await this.deps.tools.byId(end.server_id);
    if (!server) return { kind: "not_begun" };
    await this.deps.writeRecord(this.record(server));
    const discovered = await this.deps.discover(server);
    return {
      kind: "signed_in",
      slug: server.slug,
      ok: discovered.ok,
      problem: discovered.ok ? null : discovered.problem,
    };
  }

  /** An operator may have begun it: the state says for whom. */
  private record({ id, slug, owner_id }: ToolServer): string {
    const by: Actor = { via: "system", user_id: owner_id, agent_id: null, token_id: null };
    const change = { kind: "tool_server.authorize", by, subject: "tool_server", subject_id: id, detail: { slug } };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

const known = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ToolFailure) throw new GuardError("upstream_error", error.message, { cause: error });
    throw error;
  }
};

/** The page a person's browser shows at the end of a sign-in. Nothing on it runs, loads or leads anywhere. */
export const callbackPage = (status: number, title: string, text: string): Response =>
  new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>` +
      `<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p></body></html>`,
    {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        // The address holds the code.
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      },
    },
  );
