import type { PastEvents } from "#audit/past-events";
import { GuardError } from "#core/errors";
import type { CallGate } from "#guard/call-gate";
import type { EventContent } from "#guard/content/event-content";
import { ownAgent } from "#guard/endpoints/audited-call";
import type { PrincipalCache } from "#identity/principal-cache";
import { fingerprintOf, fingerprintOfHash } from "#model/fingerprint";
import type { KeptTexts } from "#model/kept-content";
import { isTheirCall } from "#model/ownership";
import type { PastEvent } from "#model/past-event";
import type { Principal } from "#model/principal";
import { type Direction, type Report, type ReportRequest, reportPurpose, sectionOf, sentContent } from "#model/report";
import type { Clock } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { Sealing } from "#platform/sealing";
import { redactText } from "#scan/scan";

export type IntakeNeeds = {
  readonly principals: PrincipalCache;
  readonly pastEvents: Pick<PastEvents, "byId">;
  readonly texts: EventContent;
  readonly seal: Sealing["seal"];
  /** Keyed. */
  readonly hash: (text: string) => string;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Flag types a report has that were taken from its event. */
const MAX_TYPES = 20;

/** Makes a report of what was sent: checks what it claims against the event, and takes from there what was left out. */
export class ReportIntake {
  constructor(private readonly deps: IntakeNeeds) {}

  /** Nothing is stored yet. Throws `invalid_value`, `not_found`, `not_disputable`, `content_mismatch`. */
  async accept(gate: CallGate, caller: Principal, direction: Direction, body: ReportRequest): Promise<Report> {
    const { ids, now, seal } = this.deps;
    const event = await this.eventOf(caller, direction, body.event_id ?? null);
    const agent_id = this.agentOf(caller, event, body.agent_id ?? null);
    const share_content = body.share_content ?? false;
    const { content, fingerprint } = await this.contentOf(
      direction,
      event,
      body.message_content ?? null,
      share_content,
    );
    const flag_types = flagTypesOf(direction, event, body);
    const id = ids();
    const at = now();
    return {
      id,
      direction,
      status: "submitted",
      user_id: caller.user.id,
      token_id: caller.token?.id ?? null,
      agent_id,
      event_id: event?.id ?? null,
      flag_types,
      user_reason: await withoutSecrets(gate, "user_reason", body.user_reason ?? null),
      severity_estimate: body.severity_estimate ?? null,
      reporter_confidence: body.reporter_confidence ?? null,
      conversation_id: await withoutSecrets(gate, "conversation_id", body.conversation_id ?? null),
      share_content,
      questionnaire_section: sectionOf(flag_types),
      sealed_content: content && seal(reportPurpose(id), JSON.stringify(content)),
      fingerprint,
      llm_verdict: null,
      llm_confidence: null,
      llm_reasoning: null,
      tuning_suggestion_id: null,
      decision: null,
      decided_by: null,
      decided_at: null,
      created_at: at,
      updated_at: at,
      closed_at: null,
      revision: 1,
    };
  }

  private async eventOf(caller: Principal, direction: Direction, id: string | null): Promise<PastEvent | null> {
    const param = "event_id";
    if (id === null) {
      if (direction === "false_negative") return null;
      throw new GuardError("invalid_value", "event_id is missing. Set it to that of the block or redaction.", {
        param,
      });
    }
    const event = isUuid(id) ? await this.deps.pastEvents.byId(id.toLowerCase()) : null;
    if (!event || !this.isOwn(caller, event)) throw new GuardError("not_found", "There is no such event.", { param });
    if (direction === "false_positive" && !event.facts.is_enforced) {
      throw new GuardError("not_disputable", "Nothing was blocked or redacted in this event.", { param });
    }
    return event;
  }

  /** An agent's events belong to its present owner. */
  private isOwn({ agent, user }: Principal, { agent_id, user_id, facts }: PastEvent): boolean {
    if (agent) return agent_id === agent.id;
    const actor = { agent_id, user_id, via: facts.via ?? "token" };
    return isTheirCall(user, actor, (id) => this.deps.principals.agent(id)?.owner_id ?? null);
  }

  private agentOf(caller: Principal, event: PastEvent | null, asked: string | null): string | null {
    const known = event?.agent_id ?? caller.agent?.id ?? null;
    if (asked === null || asked === known) return known;
    const { id } = ownAgent(this.deps.principals, caller, asked);
    if (known === null || known === id) return id;
    throw new GuardError("invalid_value", "agent_id is not the agent of this event.", { param: "agent_id" });
  }

  /**
   * What of the content is kept with the report: what was sent, or, where it is shared, what is still there of the
   * event's. What was neither sent nor shared stays where it is; of it, too, the fingerprint says which reports are
   * alike, and nothing else.
   */
  private async contentOf(
    direction: Direction,
    event: PastEvent | null,
    sent: string | null,
    isShared: boolean,
  ): Promise<{ readonly content: KeptTexts | null; readonly fingerprint: string | null }> {
    const param = "message_content";
    const kept = event && (await this.deps.texts.of(event.id));
    if (direction === "false_negative" && (sent === null || sent.trim() === "")) {
      throw new GuardError(
        "invalid_value",
        "message_content is missing. Set it to the text that should have been caught.",
        {
          param,
        },
      );
    }
    if (sent === null) return { content: isShared ? kept : null, fingerprint: this.fingerprint(kept, event) };
    const place = event && this.deps.texts.placeOf(sent, event, kept);
    if (direction === "false_positive" && !place) {
      throw new GuardError("content_mismatch", MISMATCH, { param });
    }
    const content = sentContent(sent, place);
    return { content, fingerprint: this.fingerprint(kept ?? content, event) };
  }

  /** Of a text that is gone its hash in the audit record stands for it: equal texts are alike then. */
  private fingerprint(texts: KeptTexts | null, event: PastEvent | null): string | null {
    if (texts !== null) return fingerprintOf(texts.texts, this.deps.hash);
    const [first] = event?.facts.content_hmac?.texts ?? [];
    return first ? fingerprintOfHash(this.deps.hash(first.hmac)) : null;
  }
}

const MISMATCH =
  "message_content is not of this event. Send a part of the text that was blocked or redacted; after a day, all of it. Or leave it out.";

/** What was found is what a dispute is about. What was missed, nobody has found. */
const flagTypesOf = (direction: Direction, event: PastEvent | null, { flag_types }: ReportRequest): string[] => {
  if (flag_types && flag_types.length > 0) return [...new Set(flag_types)];
  const found = direction === "false_positive" ? (event?.facts.flags ?? []) : [];
  return [...new Set(found.map(({ type }) => type))].slice(0, MAX_TYPES);
};

/** What people write is kept as it is, but for the secret that they explain. */
const withoutSecrets = async (gate: CallGate, param: string, text: string | null): Promise<string | null> => {
  if (text === null) return null;
  const found = await gate.probe({ text, param, origin: "user" });
  const secrets = found.filter(({ type }) => type.startsWith("secret."));
  const spans = secrets.map((secret) => ({ ...secret, action: "redact" as const }));
  return redactText(text, spans, gate.labels);
};
