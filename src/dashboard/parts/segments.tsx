import { cx } from "./class-names";

/** One of a few views of the same thing, side by side. */
export const Segments = <const Value extends string>({
  label,
  value,
  onChange,
  choices,
}: {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
}) => (
  <fieldset
    aria-label={label}
    className="flex max-w-full flex-wrap gap-0.5 self-start rounded-md border border-line bg-raised p-0.5"
  >
    {choices.map((choice) => (
      <button
        key={choice.value}
        type="button"
        aria-pressed={choice.value === value}
        onClick={() => onChange(choice.value)}
        className={cx(
          "min-h-7 rounded px-2.5 py-0.5 text-[13px] font-medium",
          choice.value === value ? "bg-panel text-text shadow-card" : "text-muted hover:text-text",
        )}
      >
        {choice.label}
      </button>
    ))}
  </fieldset>
);
