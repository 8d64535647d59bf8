import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Dialog } from "#dashboard/parts/dialog";
import { Checkbox } from "#dashboard/parts/field";
import { PLACES } from "./screens";

const GOING_MS = 1_200;

/** As it is written on the viewer's keyboard. */
export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K";

/* Speech input can type letters unintentionally: single keys can be turned off (WCAG 2.1.4). */

const SINGLE_KEYS = "single-keys";

const areOn = (): boolean => {
  try {
    return localStorage.getItem(SINGLE_KEYS) !== "off";
  } catch {
    return true; // A browser that keeps nothing for pages.
  }
};

const turn = (on: boolean): void => {
  try {
    if (on) localStorage.removeItem(SINGLE_KEYS);
    else localStorage.setItem(SINGLE_KEYS, "off");
  } catch {
    // As above: they stay on.
  }
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=dialog]") !==
    null;

const step = (by: number): void => {
  const rows: HTMLElement[] = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const { activeElement } = document;
  const here = activeElement?.closest<HTMLElement>("[data-row]") ?? null;
  const at = here === null ? -1 : rows.indexOf(here);
  rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
};

const rowSelect = (): HTMLElement | null =>
  document.activeElement?.closest("[data-row]")?.querySelector<HTMLElement>("[data-select]") ?? null;

/** What a screen has a key for. */
const keyed = (key: string): HTMLButtonElement | null =>
  [...document.querySelectorAll<HTMLButtonElement>("[data-shortcut]")].find(
    (one) => one.dataset["shortcut"] === key && !one.disabled,
  ) ?? null;

/** Presses what the screen has a key for. With nothing selected, a decision is about the row the keyboard is at. */
const press = (key: string): boolean => {
  const there = keyed(key);
  if (there) {
    there.click();
    return true;
  }
  const select = DECIDING.includes(key) ? rowSelect() : null;
  select?.click();
  // What is offered for the selection is drawn first.
  if (select) setTimeout(() => keyed(key)?.click());
  return select !== null;
};

/** Keys of decisions. */
const DECIDING: readonly string[] = ["a", "d", "i", "m"];

/** The keyboard's ways around. None of them approves or stops anything: a decision's key opens its dialog. */
export const useShortcuts = ({
  onPalette,
  onHelp,
}: {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}): void => {
  const navigate = useNavigate();
  const handlers = useRef({ onPalette, onHelp, navigate });
  handlers.current = { onPalette, onHelp, navigate };
  useEffect(() => {
    let goingUntil = 0;
    const going = (key: string): boolean => {
      if (Date.now() > goingUntil) return false;
      goingUntil = 0;
      const place = PLACES.flatMap(([, places]) => places).find(({ letter }) => letter === key);
      if (place) void handlers.current.navigate({ to: place.to });
      return place !== undefined;
    };
    const simple: Readonly<Record<string, () => void>> = {
      g: () => {
        goingUntil = Date.now() + GOING_MS;
      },
      j: () => step(1),
      k: () => step(-1),
      x: () => rowSelect()?.click(),
      "?": () => handlers.current.onHelp(),
      "/": () => document.querySelector<HTMLElement>("[data-search]")?.focus(),
    };
    const done = (key: string): boolean => {
      const action = simple[key];
      action?.();
      return action !== undefined || press(key);
    };
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        handlers.current.onPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !areOn()) return;
      if (!going(event.key) && done(event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
};

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  [PALETTE_KEYS, "Command palette"],
  ["/", "Search the list"],
  ["j k", "Next and previous row"],
  ["Enter", "Open the row"],
  ["x", "Select the row"],
  ["Shift X", "Select all rows that are shown"],
  ["a d i", "Decide: approve, deny, inconclusive (opens a dialog; Enter confirms)"],
  ["m", "Assign to me"],
  ["n p", "Next and previous item of the inbox"],
  ["?", "This help"],
];

export const ShortcutHelp = ({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) => (
  <Dialog
    open={open}
    onClose={onClose}
    title="Keyboard shortcuts"
    hint="No single key approves anything or activates a kill switch."
  >
    <dl className="grid grid-cols-[9rem_1fr] gap-y-2">
      {[
        ...KEYS,
        ...PLACES.flatMap(([, places]) => places).flatMap(({ letter, label }) =>
          letter ? [[`g ${letter}`, label] as const] : [],
        ),
      ].map(([keys, what]) => (
        <div key={keys} className="contents">
          <dt>
            <kbd className="rounded border border-line bg-raised px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <SingleKeys />
  </Dialog>
);

const SingleKeys = () => {
  const [on, setOn] = useState(areOn);
  return (
    <div className="mt-4 border-t border-line pt-3">
      <Checkbox
        label="Single-key shortcuts"
        hint="Stored in this browser."
        checked={on}
        onValue={(checked) => {
          turn(checked);
          setOn(checked);
        }}
      />
    </div>
  );
};
