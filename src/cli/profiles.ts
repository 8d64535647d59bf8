import { GuardError } from "#core/errors";
import type { ProfileService } from "#features/agents/profiles";
import { CLI_ACTOR } from "#model/change";
import type { ProfileChange } from "#policy/profile/diff";
import type { GuardrailProfile } from "#policy/profile/profile";
import { agentNamed } from "./agents";
import { EXIT, usage } from "./exit";
import { readDocument } from "./input";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

const profilesOf = ({ parts }: CliSession): ProfileService => parts.publishedProfiles;

const versionIn = ({ args }: Invocation): number | null => {
  const text = args.text("version");
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw usage("--version N: the number of a version");
  return Number(text);
};

const listed = (items: readonly string[] | null, none: string): string => {
  if (items === null) return "any";
  return items.length === 0 ? none : items.join(", ");
};

const limitsText = ({ limits }: GuardrailProfile): string =>
  Object.entries(limits)
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(", ") || "none";

type Lists = NonNullable<GuardrailProfile["files"]>["read"];

const permissionsText = ({ default: usual, deny, ask, allow }: Lists): string =>
  [
    ...Object.entries({ deny, ask, allow }).flatMap(([name, patterns]) => patterns.map((one) => `${name} ${one}`)),
    `${usual} all others`,
  ].join("; ");

/** What the profile says of a coding agent's machine; nothing where it says nothing. */
const localRows = ({ commands, files, hooks }: GuardrailProfile): Record<string, string> => ({
  ...(commands && {
    commands: permissionsText(commands),
    "command hosts":
      commands.hosts === null ? "any" : `${listed(commands.hosts, "none")}; others: ${commands.other_hosts}`,
  }),
  ...(files && { "file reads": permissionsText(files.read), "file writes": permissionsText(files.write) }),
  ...(hooks && { hooks: `redact: ${hooks.redact}, without the hub: ${hooks.offline_minutes} minutes` }),
});

const profileCard = (profile: GuardrailProfile): string => {
  const { tools, egress } = profile;
  return card({
    version: `${profile.version}, ${profile.status}, since ${profile.effective_from}`,
    hash: profile.content_hash,
    tier: profile.risk_tier,
    mode: `${profile.mode}, ${profile.preset}, fails ${profile.fail_mode}`,
    models: listed(profile.models.allow, "none"),
    tools: tools.default === "allow" ? "any" : listed(tools.allow, "none"),
    "human approval": listed(tools.require_human, "no tool"),
    "tainted arguments": `${tools.tainted_arguments}${tools.tainted_values ? ` from ${tools.tainted_values.from}` : ""}`,
    links: `${listed(egress.url_allow, "none")}; others: ${egress.urls}, images: ${egress.images}`,
    ...localRows(profile),
    limits: limitsText(profile),
    content: `${profile.data.store_content}, ${profile.data.retention_days} days`,
  });
};

const changeLine = ({ pointer, before, after, direction }: ProfileChange): string =>
  `${direction.padEnd(8)}  ${pointer}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;

export const showProfile: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const version = versionIn(invocation);
  const found = await reading(invocation, async (session) => {
    const agent = await agentNamed(session, args);
    const profiles = profilesOf(session);
    // Unless a version is named: the one in force, and none when there is none.
    if (version === null && agent.profile_version === null) return null;
    const profile = await profiles.version(agent, version ?? agent.profile_version);
    return { profile, changes: args.on("diff") ? await profiles.changes(agent, profile.version, null) : null };
  });
  if (!found) {
    await out.result(null, "No profile in force: the baseline policy applies to this agent.");
    return EXIT.ok;
  }
  const { profile, changes } = found;
  const lines = changes?.map(changeLine) ?? [];
  const text = changes?.length === 0 ? ["No changes against the previous version."] : lines;
  await out.result(
    changes === null ? profile : { ...profile, changes },
    [profileCard(profile), ...(changes === null ? [] : ["", ...text])].join("\n"),
  );
  return EXIT.ok;
};

export const setProfile: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const body = await readDocument(invocation, "file");
  const profile = await changing(invocation, async (session) => {
    const user = await session.access.userByEmail(args.need("as"));
    if (user.role !== "admin") {
      throw new GuardError(
        "insufficient_scope",
        "Only administrators set a profile without review. Submit answers for Agent Review instead.",
      );
    }
    const agent = await agentNamed(session, args);
    return profilesOf(session).publishByHand({ ...CLI_ACTOR, user_id: user.id }, user.id, agent, body);
  });
  await out.result(profile, profileCard(profile));
  return EXIT.ok;
};
