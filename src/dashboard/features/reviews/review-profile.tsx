import type { AnswerTo } from "#dashboard/api/client";
import { Card, Facts } from "#dashboard/parts/card";
import { Chip } from "#dashboard/parts/chip";
import { Id } from "#dashboard/parts/copy";
import { Differences, Value } from "#dashboard/parts/differences";
import { useGet } from "#dashboard/parts/hooks";
import { countOf } from "#dashboard/parts/numbers";
import { Await } from "#dashboard/parts/states";
import type { ReviewData } from "./review-answers";

type Preview = AnswerTo<"GET /api/reviews/:id/profile">;

/** What comes into force with the last approval, and what that changes. */
export const ReviewProfile = ({ review }: { readonly review: ReviewData }) => {
  const preview = useGet("GET /api/reviews/:id/profile", { params: { id: review.id } });
  return (
    <Card
      title="Profile"
      hint="What these answers compile into. It comes into force with the last required approval."
      flush
    >
      <Await query={preview}>{(data) => <Compiled preview={data} />}</Await>
    </Card>
  );
};

const Compiled = ({ preview: { profile, content_hash, in_force, changes } }: { readonly preview: Preview }) => (
  <>
    <p className="border-b border-line px-4 py-2.5">
      {in_force === null
        ? "The agent has no profile in force: all of it is new."
        : changes.length === 0
          ? `No difference to version ${in_force.version}, which is in force.`
          : `${countOf(changes.length, "difference")} to version ${in_force.version}, which is in force:`}
    </p>
    {changes.length > 0 && (
      <Differences
        changes={changes}
        note={({ direction }) =>
          direction !== "other" && <Chip tone={direction === "stricter" ? "ok" : "warn"}>{direction}</Chip>
        }
      />
    )}
    <details open={in_force === null} className="border-t border-line px-4 py-3">
      <summary className="cursor-pointer font-medium">Whole profile</summary>
      <div className="mt-3">
        <Facts rows={[...rowsOf(profile), ["Hash", <Id key="hash" value={content_hash} />]]} />
      </div>
    </details>
  </>
);

type Lists = {
  readonly default: string;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
};

/** As they are answered: `deny git push *`, one after the other, and what holds for all else. */
const permissionsOf = (lists: Lists | undefined): readonly string[] => {
  if (lists === undefined) return ["no rules"];
  const { default: usual, deny, ask, allow } = lists;
  const named = Object.entries({ deny, ask, allow });
  return [
    ...named.flatMap(([name, patterns]) => patterns.map((pattern) => `${name} ${pattern}`)),
    `${usual} all others`,
  ];
};

const hostsOf = (commands: Preview["profile"]["commands"]): readonly string[] =>
  commands === undefined || commands.hosts === null
    ? ["any"]
    : [...commands.hosts, `${commands.other_hosts} all others`];

const offlineOf = (minutes: number): string =>
  minutes === 0 ? "decide nothing" : `decide commands and files for ${countOf(minutes, "minute")}`;

const rowsOf = ({ models, tools, data, limits, egress, detectors, ...profile }: Preview["profile"]) => {
  const limited = Object.entries(limits).filter(([, limit]) => limit !== null);
  const families = Object.entries(detectors);
  return [
    ["Risk tier", profile.risk_tier],
    ["Mode", profile.mode],
    ["Sensitivity", profile.preset],
    ["When the scanner fails", profile.fail_mode === "closed" ? "calls are refused" : "calls pass unscanned"],
    ["Models", <Value key="models" of={models.allow} />],
    ["Longest answer, in tokens", models.max_output_tokens],
    ["Tools", <Value key="tools" of={tools.allow} />],
    ["Other tools", tools.default === "deny" ? "denied" : "allowed"],
    ["Tools that need approval", <Value key="human" of={tools.require_human} />],
    ["Tainted arguments", tools.tainted_arguments],
    ["Tainted values that count", tools.tainted_values ? `from a score of ${tools.tainted_values.from}` : "all"],
    ["Prompts", <Value key="prompts" of={profile.prompts ?? []} />],
    ["Resources", <Value key="resources" of={profile.resources ?? []} />],
    ["Provider-run tools", <Value key="server" of={profile.server_tools?.allow ?? []} />],
    ["Commands", <Value key="commands" of={permissionsOf(profile.commands)} />],
    ["Hosts of commands", <Value key="hosts" of={hostsOf(profile.commands)} />],
    ["Files to read", <Value key="reads" of={permissionsOf(profile.files?.read)} />],
    ["Files to write", <Value key="writes" of={permissionsOf(profile.files?.write)} />],
    ["Findings a hook cannot redact", profile.hooks?.redact === "allow" ? "allowed and recorded" : "denied"],
    ["Hooks without the hub", offlineOf(profile.hooks?.offline_minutes ?? 0)],
    ["Data classes", <Value key="classes" of={data.classes} />],
    ["Stored content", data.store_content === "none" ? "none" : `${data.store_content}, ${data.retention_days} days`],
    ["Limits", limited.length === 0 ? "none" : <Value key="limits" of={Object.fromEntries(limited)} />],
    ["Links to", egress.url_allow === null ? "all hosts" : <Value key="urls" of={egress.url_allow} />],
    ["Other links and images", `${egress.urls}, ${egress.images}`],
    [
      "Detectors that act",
      <Value key="on" of={families.filter(([, one]) => one.enabled).map(([name, { mode }]) => `${name}: ${mode}`)} />,
    ],
    [
      "Detectors that are off",
      <Value key="off" of={families.filter(([, one]) => !one.enabled).map(([name]) => name)} />,
    ],
  ] as const;
};
