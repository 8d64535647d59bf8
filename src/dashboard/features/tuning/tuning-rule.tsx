import { Chip, StateChip } from "#dashboard/parts/chip";
import { Confirm } from "#dashboard/parts/dialog";
import { useAct } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { numberOf } from "#dashboard/parts/numbers";
import { TextLink } from "#dashboard/parts/page";
import type { Column } from "#dashboard/parts/table";
import { Time } from "#dashboard/parts/time";
import { aboutOf, EffectChip, effectOf, kindName, type Rule, subjectOf } from "./tuning-words";

const SUBJECT: Column<Rule> = { name: "Scope", cell: (rule) => subjectOf(rule) };

/** Rules, with whose calls they are for or, where all are one agent's, without. */
export const ruleColumns = (withSubject: boolean, onRevert: (rule: Rule) => void): readonly Column<Rule>[] => [
  {
    name: "Rule",
    cell: (rule) => (
      <>
        <span className="font-medium">{kindName(rule.kind)}</span>
        <span className="block max-w-96 truncate text-[13px] text-muted">{aboutOf(rule)}</span>
        <span className="block max-w-96 truncate text-[13px] text-muted">{effectOf(rule).after}</span>
      </>
    ),
  },
  { name: "Effect", cell: ({ effect }) => <EffectChip effect={effect} /> },
  {
    name: "Mode",
    cell: ({ mode, status }) => (status === "active" ? <StateChip of={mode} /> : <StateChip of={status} />),
  },
  ...(withSubject ? [SUBJECT] : []),
  {
    name: "Hits",
    align: "right",
    cell: ({ hits, unused }) => (unused ? <Chip tone="warn">unused</Chip> : numberOf(hits)),
  },
  { name: "Last hit", cell: ({ last_hit_at }) => <Time at={last_hit_at} />, minor: true },
  {
    name: "Expires",
    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : <span className="text-muted">never</span>),
    minor: true,
  },
  {
    name: "Approved by",
    minor: true,
    cell: ({ approved_by, self_approved, suggestion_id }) => (
      <>
        {approved_by.join(", ") || "not required: tightens"}
        {self_approved && <Chip tone="warn">sole approver</Chip>}
        {suggestion_id && (
          <span className="block text-[13px]">
            <TextLink to={`/tuning/${suggestion_id}`}>suggestion</TextLink>
          </span>
        )}
      </>
    ),
  },
  {
    name: "Actions",
    hidden: true,
    align: "right",
    cell: (rule) =>
      rule.handling &&
      rule.status === "active" && (
        <Menu
          label={`Actions for ${kindName(rule.kind)}`}
          items={[{ label: "Roll back", danger: true, onSelect: () => onRevert(rule) }]}
        />
      ),
  },
];

/** Typed out: what it let pass is judged as before with the next call. */
export const RevertRule = ({ rule, onClose }: { readonly rule: Rule; readonly onClose: () => void }) => {
  const revert = useAct("POST /api/tuning/rules/:id/revert", {
    refresh: ["/api/tuning", "/api/inbox", "/api/calls", "/api/agents"],
    done: rule.effect === "loosen" ? "Rule rolled back." : "Rollback suggested.",
    close: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title="Roll back this rule?"
      word="revert"
      submit="Roll back"
      act={revert}
      onConfirm={() => revert.mutate({ params: { id: rule.id } })}
    >
      <p>
        {kindName(rule.kind)} for {subjectOf(rule)}: {aboutOf(rule)}.
      </p>
      <p className="mt-2 text-muted">
        {rule.effect === "loosen"
          ? "In force from the next call on."
          : "The rule tightens: its rollback is a suggestion that another person must approve."}
      </p>
    </Confirm>
  );
};
