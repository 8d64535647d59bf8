import { ChevronDown } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { cx } from "./class-names";
import { BOX, type Choice, Field, type Labelled, ROW } from "./field";

/** What was found for the words that were typed. */
export type Found = { readonly choices: readonly Choice[]; readonly hasMore: boolean; readonly isPending: boolean };

type Searched = {
  readonly value: string;
  /** What the choice is called, also where it is not among those found. */
  readonly shown: string;
  /** Stands for no choice; without it one has to be made. */
  readonly none?: string | undefined;
  /** Offered first while nothing is typed. */
  readonly pinned?: readonly Choice[];
  readonly found: Found;
  /** Told of what is typed; empty for the first of all. */
  readonly onWords: (words: string) => void;
  /** The list lies over what is below, as in a bar of filters. */
  readonly isFloating?: boolean;
  readonly onValue: (value: string) => void;
};

/** How long typing rests before the hub is asked. */
const REST_MS = 150;

/** Words that are told once typing rests. */
export const useWords = (): readonly [words: string, type: (words: string) => void] => {
  const [typed, setTyped] = useState("");
  const [words, setWords] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [words, setTyped];
};

const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** One of many, found by name: the list below the field has the first that fit, however many there are. */
export const SearchSelect = ({
  value,
  shown,
  none,
  pinned = [],
  found,
  onWords,
  onValue,
  isFloating = false,
  required = false,
  label,
  ...labelled
}: Labelled & Searched & { readonly required?: boolean }) => {
  /** What is typed while the list is open; null while it is closed. */
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const list = useId();
  const isOpen = typed !== null;
  const firsts = [...(none === undefined ? [] : [{ value: "", label: none }]), ...pinned];
  const choices = typed === "" ? [...firsts, ...found.choices] : found.choices;
  const type = (words: string) => {
    setTyped(words);
    setAt(0);
    onWords(words);
  };
  const close = () => {
    setTyped(null);
    onWords("");
  };
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onValue(choice.value);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (move !== undefined) {
      event.preventDefault();
      if (isOpen) setAt((now) => Math.max(0, Math.min(choices.length - 1, now + move)));
      else type("");
    }
    if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      choose(choices[at]);
    }
    if (event.key === "Escape") close();
  };
  useEffect(() => {
    if (isOpen) document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [isOpen, list, at]);
  return (
    <Field
      label={label}
      {...labelled}
      control={(ties) => (
        <>
          <div className="relative">
            <input
              {...ties}
              type="text"
              role="combobox"
              autoComplete="off"
              aria-autocomplete="list"
              aria-expanded={isOpen}
              aria-controls={isOpen ? list : undefined}
              aria-activedescendant={isOpen && choices[at] ? `${list}-${at}` : undefined}
              required={required}
              placeholder={isOpen ? "Type to search" : (none ?? "Choose…")}
              value={typed ?? (value === "" ? "" : shown)}
              onChange={({ target }) => type(target.value)}
              onClick={() => !isOpen && type("")}
              onKeyDown={onKeyDown}
              onBlur={() => isOpen && close()}
              className={cx(BOX, ROW, "pr-8")}
            />
            <ChevronDown className="pointer-events-none absolute top-2.5 right-2.5 size-4 text-muted" aria-hidden />
          </div>
          {isOpen && (
            <div
              className={cx(
                isFloating && "absolute top-full z-20 mt-1 w-full min-w-60 rounded-md bg-panel shadow-lift",
              )}
            >
              <div
                id={list}
                role="listbox"
                // A window around it stays open when Escape closes the list.
                data-closes-first=""
                aria-label={label}
                className="max-h-56 overflow-y-auto rounded-md border border-line bg-panel p-1"
              >
                {choices.map((choice, index) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
                  <div
                    key={choice.value}
                    id={`${list}-${index}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={index === at}
                    // The field keeps the focus.
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => choose(choice)}
                    onMouseMove={() => setAt(index)}
                    className={cx(
                      "cursor-pointer rounded-md px-2 py-1 wrap-anywhere",
                      index === at && "bg-accent-soft",
                    )}
                  >
                    {choice.label}
                  </div>
                ))}
              </div>
              <p role="status" className="px-2 pt-1 text-[13px] text-muted">
                {found.isPending
                  ? "Searching…"
                  : choices.length === 0
                    ? "No matches."
                    : found.hasMore && "There are more: type a part of the name."}
              </p>
            </div>
          )}
        </>
      )}
    />
  );
};
