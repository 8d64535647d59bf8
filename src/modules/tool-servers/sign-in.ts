import { type Actor, changeRecord } from "#core/change";
import { GuardError } from "#core/errors";
import type { ToolServer } from "#core/tool";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { ToolServerStore } from "#store/port";
import { ToolFailure } from "#upstream/tool-port";
import type { Look, SignIn, SignInAnswer, SignInPlace } from "./port";

type Deps = {
  readonly tools: Pick<ToolServerStore, "byId">;
  readonly signIn: SignIn;
  readonly look: Look;
  /** Resolves when the line is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** How a sign-in ended. `ok` is false where the server still does not answer. */
export type SignedIn =
  | { readonly kind: "signed_in"; readonly slug: string; readonly ok: boolean; readonly problem: string | null }
  | { readonly kind: "not_begun" }
  | { readonly kind: "another_person" };

/** A person signs the hub in at a tool server, so that it may act there for them. */
export class SignInService {
  constructor(private readonly deps: Deps) {}

  /** The address to open in a browser. Throws `invalid_value`, `upstream_error`. */
  async begin(server: ToolServer, userId: string, ends: SignInPlace): Promise<string> {
    if (server.credential_kind !== "authorization_code") {
      throw new GuardError("invalid_value", `Nobody signs in at ${server.slug}: its credentials are of another kind.`);
    }
    return known(this.deps.signIn.begin(server, userId, ends));
  }

  /** `visitor` is who is signed in where the answer came back; null for nobody. Throws `upstream_error`. */
  async finish(answer: SignInAnswer, visitor: string | null): Promise<SignedIn> {
    const end = await known(this.deps.signIn.finish(answer, visitor));
    if (end.kind !== "signed_in") return end;
    const server = await this.deps.tools.byId(end.server_id);
    if (!server) return { kind: "not_begun" };
    await this.deps.writeRecord(this.record(server));
    const looked = await this.deps.look(server);
    return { kind: "signed_in", slug: server.slug, ok: looked.ok, problem: looked.ok ? null : looked.problem };
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
