import { Stat } from "#dashboard/parts/card";
import { Chip, StateChip } from "#dashboard/parts/chip";
import { numberOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import { Wrong } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import type { PolicyImpact } from "#features/policy/schema";
import { Differences, ORIGIN_WORDS } from "./policy-words";

const EFFECTS = {
  same: { tone: "idle", word: "changes nothing" },
  stricter: { tone: "ok", word: "stricter" },
  looser: { tone: "warn", word: "looser" },
} as const;

export const mayBeSaved = ({ lint, would_release_confirmed, effect }: PolicyImpact): boolean =>
  effect !== "same" && would_release_confirmed === 0 && lint.every(({ level }) => level !== "error");

/** What changes would do: to the rules, to known samples, to the calls of the last weeks. */
export const ImpactView = ({ impact }: { readonly impact: PolicyImpact }) => {
  const { effect, approvers, lint, would_release_confirmed, samples, replay } = impact;
  const { tone, word } = EFFECTS[effect];
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <Chip tone={tone}>{word}</Chip>
        {effect === "looser" &&
          (approvers.length > 0
            ? `Approval by another person is required: ${approvers.join(", ")}.`
            : "Nobody else can approve; you decide alone.")}
      </p>
      {would_release_confirmed > 0 && (
        <Wrong>
          {numberOf(would_release_confirmed)} calls that people confirmed to be caught rightly would pass. It cannot be
          saved so.
        </Wrong>
      )}
      {lint.length > 0 && (
        <ul className="flex flex-col gap-1.5">
          {lint.map(({ level, code, message, type, origin }) => (
            <li key={`${code} ${type} ${origin}`} className="flex items-start gap-2">
              <Chip tone={level === "error" ? "bad" : "warn"}>{level === "error" ? "not possible" : "warning"}</Chip>
              <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="grid gap-3 sm:grid-cols-3">
        <Stat label="Changed rules" value={numberOf(impact.differences.length)} />
        <Stat
          label={`Changed decisions of the last ${replay.window_days} days`}
          value={numberOf(replay.would_change)}
          note={`of ${numberOf(replay.decisions)} with findings${replay.complete ? "" : ", not all re-evaluated"}`}
        />
        <Stat
          label="Changed golden samples"
          value={numberOf(samples.changed.length)}
          note={`of ${numberOf(samples.total)}`}
        />
      </div>
      <Differences of={impact.differences} />
      {replay.examples.length > 0 && <Examples of={replay.examples} />}
      {samples.changed.length > 0 && (
        <ul className="flex flex-col gap-1 text-[13px]">
          {samples.changed.slice(0, 10).map(({ name, origin, is, before, after }) => (
            <li key={`${name} ${origin}`} className="flex flex-wrap items-center gap-1.5">
              Sample {name} ({is}): <StateChip of={before} /> → <StateChip of={after} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const Examples = ({ of }: { readonly of: PolicyImpact["replay"]["examples"] }) => (
  <ul className="flex flex-col gap-1 text-[13px]">
    {of.slice(0, 10).map(({ call_id, at, type, origin, before, after }) => (
      <li key={call_id} className="flex flex-wrap items-center gap-1.5">
        <TextLink to={`/calls/${call_id}`}>
          <Time at={at} />
        </TextLink>
        <code className="font-mono">{type}</code> {ORIGIN_WORDS[origin]}: <StateChip of={before} /> →{" "}
        <StateChip of={after} />
      </li>
    ))}
  </ul>
);
