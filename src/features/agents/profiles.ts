import { GuardError } from "#core/errors";
import { canonicalJson, isRecord } from "#core/json/json";
import { ShapeCheck } from "#core/shape-check";
import type { Agent } from "#model/agent";
import { type Actor, changeRecord } from "#model/change";
import { mustNotBeRetired } from "#model/ownership";
import type { Clock } from "#platform/clock";
import { sha256Hex } from "#platform/hash";
import type { Ids } from "#platform/ids";
import { diffProfiles, type ProfileChange } from "#policy/profile/diff";
import { type GuardrailProfile, ProfileBody } from "#policy/profile/profile";
import { publishedProfile } from "#policy/profile/published";
import { dueAfter } from "#policy/review/approvals";
import { compilePolicy } from "#scan/policy";
import type { ProfileRow, ProfileStore } from "#store/governance-port";

type ProfileServiceNeeds = { readonly profiles: ProfileStore; readonly now: Clock; readonly ids: Ids };

/** What publishing adds to a profile: left aside when somebody sends back what they were shown. */
const ADDED = new Set([
  "id",
  "agent_id",
  "version",
  "content_hash",
  "status",
  "review_id",
  "approved_by",
  "effective_from",
]);

/** The profiles an agent had and has. They never change; which one is in force, the agent says. */
export class ProfileService {
  private readonly check = new ShapeCheck(ProfileBody);

  constructor(private readonly deps: ProfileServiceNeeds) {}

  /** Newest first. */
  async list({ id, profile_version }: Agent): Promise<GuardrailProfile[]> {
    const rows = await this.deps.profiles.ofAgent(id);
    return rows.map((row) => publishedProfile(row, profile_version, rows[0]?.version ?? 0));
  }

  /** Null for the newest. Throws `not_found`. */
  async version(agent: Agent, version: number | null): Promise<GuardrailProfile> {
    const found = (await this.list(agent)).find((one) => version === null || one.version === version);
    if (!found) throw noProfile();
    return found;
  }

  /** What a version changed against an earlier one; null for the one before it. The first one changed nothing. */
  async changes(agent: Agent, version: number, against: number | null): Promise<ProfileChange[]> {
    const rows = await this.deps.profiles.ofAgent(agent.id);
    const at = (wanted: number): ProfileRow | undefined => rows.find((row) => row.version === wanted);
    const [after, before] = [at(version), at(against ?? version - 1)];
    if (!after || (against !== null && !before)) throw noProfile();
    return before ? diffProfiles(before.body, after.body) : [];
  }

  /** Puts a profile in force that somebody wrote by hand. Throws `invalid_value`, `state_conflict`. */
  async publishByHand(by: Actor, adminId: string, agent: Agent, given: unknown): Promise<GuardrailProfile> {
    mustNotBeRetired(agent);
    const body = this.checked(given);
    const [newest] = await this.deps.profiles.ofAgent(agent.id);
    const version = (newest?.version ?? 0) + 1;
    const now = this.deps.now();
    const profile: ProfileRow = {
      id: this.deps.ids(),
      agent_id: agent.id,
      version,
      content_hash: sha256Hex(canonicalJson(body)),
      review_id: null,
      approved_by: [adminId],
      body,
      effective_from: now,
    };
    const patch = {
      review_status: "approved",
      review_due_at: dueAfter(body.risk_tier, now),
      profile_version: version,
    } as const;
    const record = this.record(by, "profile.publish", agent.id, { version, content_hash: profile.content_hash });
    if (!(await this.deps.profiles.publish(agent.id, { profile, agent: patch }, record))) {
      throw new GuardError("state_conflict", "Another profile was published meanwhile. Read it and try again.");
    }
    return publishedProfile(profile, version, version);
  }

  /** The agent is governed by the hub's baseline from now on. Throws `state_conflict` when no profile is in force. */
  async revoke(by: Actor, agent: Agent, reason: string): Promise<Agent> {
    if (agent.profile_version === null) {
      throw new GuardError("state_conflict", "No profile is in force for this agent.");
    }
    const patch = { profile_version: null, review_status: "revoked", review_due_at: null } as const;
    const record = this.record(by, "profile.revoke", agent.id, { version: agent.profile_version, reason });
    await this.deps.profiles.publish(agent.id, { profile: null, agent: patch }, record);
    return { ...agent, ...patch };
  }

  private checked(given: unknown): ProfileBody {
    const own = isRecord(given)
      ? Object.fromEntries(Object.entries(given).filter(([name]) => !ADDED.has(name)))
      : given;
    const body = this.check.check(own);
    for (const [family, { rules }] of Object.entries(body.detectors)) {
      if (runs(rules)) continue;
      throw new GuardError("invalid_value", "A rule's thresholds are flag, redact and block, each from 0 to 1.", {
        param: `detectors.${family}.rules`,
      });
    }
    return body;
  }

  private record(by: Actor, kind: string, agentId: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind, by, subject: "agent", subject_id: agentId, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}

/** Whether the scanner takes these rules. */
const runs = (rules: ProfileBody["detectors"]["pii"]["rules"]): boolean => {
  try {
    // Through JSON: an optional threshold that is absent is absent there too.
    compilePolicy({ mode: "enforce", hold_back: 0, max_text: 1, rules: JSON.parse(JSON.stringify(rules)) }, 1, []);
    return true;
  } catch (cause) {
    if (cause instanceof Error) return false;
    throw cause;
  }
};

const noProfile = (): GuardError =>
  new GuardError("not_found", "The agent has no profile of that version.", { param: "version" });
