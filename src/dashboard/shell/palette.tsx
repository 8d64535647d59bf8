import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from "react";
import { basePath } from "#dashboard/address/base-path";
import { useHasRole, useMakes, useSeesAll } from "#dashboard/app/session";
import { useSettings } from "#dashboard/app/settings";
import { cx } from "#dashboard/parts/class-names";
import { Dialog } from "#dashboard/parts/dialog";
import type { Opening } from "#dashboard/parts/filters";
import { useGet } from "#dashboard/parts/hooks";
import { useWords } from "#dashboard/parts/search-select";
import { usePlaces } from "./places";

type Goal = {
  readonly to: string;
  readonly label: string;
  readonly kind: string;
  readonly open?: Opening;
  /** A page of the hub beside the dashboard. */
  readonly isPage?: true;
};

const RULES: Goal = { to: "/tuning/rules", label: "Tuning rules in force", kind: "Screen" };
const ACTIONS: readonly Goal[] = [
  { to: "/settings/keys", label: "New key", kind: "Action", open: "new" },
  { to: "/agents", label: "New agent", kind: "Action", open: "new" },
  { to: "/tool-servers", label: "Add tool server", kind: "Action", open: "new" },
];
const ADMINISTRATORS: readonly Goal[] = [
  { to: "/settings/users", label: "Invite user", kind: "Action", open: "new" },
  { to: "/settings/providers", label: "Add provider", kind: "Action", open: "new" },
  { to: "/settings/alerts", label: "Add alert destination", kind: "Action", open: "new" },
  { to: "/settings/webhooks", label: "Add webhook", kind: "Action", open: "new" },
  { to: "/settings/integrations", label: "Add integration", kind: "Action", open: "new" },
  // It only opens the dialog: stopping takes a typed word and a reason.
  { to: "/settings/kill-switch", label: "Activate kill switch", kind: "Action", open: "stop" },
  { to: "/clients/all", label: "Connected apps of all users", kind: "Screen" },
];
const DOCUMENTATION: readonly Goal[] = [
  { to: "/docs/", label: "Documentation", kind: "Documents", isPage: true },
  { to: "/docs/api", label: "API reference", kind: "Documents", isPage: true },
];
const MAX_RESULTS = 12;
/** As errors and answers name calls. */
const CALL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Goes anywhere by name, and begins what is often done: screens, settings, agents, actions; to a call by its id. */
export const Palette = ({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) => (
  <Dialog open={open} onClose={onClose} title="Go to">
    <Finder onClose={onClose} />
  </Dialog>
);

/** What the hub is asked for: the longest word. The others are looked for in what it finds. */
const soughtIn = (words: string): string =>
  words
    .split(/\s+/)
    .filter((word) => word.toLowerCase() !== "agent")
    .toSorted((one, other) => other.length - one.length)[0] ?? "";

/** What fits the words that were typed. */
const useGoals = (words: string): readonly Goal[] => {
  const seesAll = useSeesAll();
  const [asked, ask] = useWords();
  useEffect(() => ask(soughtIn(words)), [ask, words]);
  const agents = useGet("GET /api/agents", {
    query: { limit: MAX_RESULTS, ...(asked && { q: asked }), ...(seesAll && { all: true }) },
  });
  const settings = useSettings();
  const places = usePlaces();
  const isAdmin = useHasRole("admin");
  const makes = useMakes();
  return useMemo(() => {
    const all = [
      ...places.flatMap(([, some]) => some.map(({ to, label }): Goal => ({ to, label, kind: "Screen" }))),
      RULES,
      ...settings.map(({ to, label }): Goal => ({ to, label, kind: "Settings" })),
      ...(makes ? ACTIONS : []),
      ...(isAdmin ? ADMINISTRATORS : []),
      ...DOCUMENTATION,
      ...(agents.data?.data ?? []).map(({ id, name }) => ({ to: `/agents/${id}`, label: name, kind: "Agent" })),
    ];
    const id = words.trim();
    if (CALL_ID.test(id)) return [{ to: `/calls/${id.toLowerCase()}`, label: id, kind: "Call" }];
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ label, kind }: Goal) => wanted.every((word) => `${label} ${kind}`.toLowerCase().includes(word));
    return all.filter(fits).slice(0, MAX_RESULTS);
  }, [words, agents.data, settings, places, isAdmin, makes]);
};

const Finder = ({ onClose }: { readonly onClose: () => void }) => {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const navigate = useNavigate();
  const goals = useGoals(words);
  const go = (goal: Goal | undefined) => {
    if (!goal) return;
    onClose();
    if (goal.isPage) location.assign(basePath() + goal.to);
    else void navigate({ to: goal.to, search: goal.open ? { open: goal.open } : {} });
  };
  useEffect(() => {
    void document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [list, at]);
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setAt((now) => Math.max(0, Math.min(goals.length - 1, now + move)));
    }
    if (event.key === "Enter") go(goals[at]);
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type into it
        autoFocus
        type="text"
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={goals[at] ? `${list}-${at}` : undefined}
        aria-label="Search"
        placeholder="Screen, agent, call ID or action…"
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="h-10 w-full rounded-md border border-strong-line bg-panel px-3"
      />
      <div id={list} role="listbox" aria-label="Results" className="mt-2">
        {goals.map((goal, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          <div
            key={`${goal.kind} ${goal.to} ${goal.label}`}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => go(goal)}
            onMouseMove={() => setAt(index)}
            className={cx(
              "flex cursor-pointer items-center gap-2 rounded-md px-3 py-1.5",
              index === at && "bg-accent-soft",
            )}
          >
            <span className="flex-1 truncate">{goal.label}</span>
            <span className="text-xs text-muted">{goal.kind}</span>
          </div>
        ))}
        {goals.length === 0 && <p className="px-3 py-2 text-muted">No matches.</p>}
      </div>
    </>
  );
};
