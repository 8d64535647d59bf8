import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";
import { useId } from "react";
import { cx } from "./class-names";

export const BOX =
  "w-full rounded-md border border-strong-line bg-panel px-2.5 text-text placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad";
export const ROW = "h-8.5";

export type Labelled = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  /** The label is read out, not shown. */
  readonly hidden?: boolean;
};

/** What ties a control to its label, its hint and what is wrong with it. */
type Ties = {
  readonly id: string;
  readonly "aria-invalid": true | undefined;
  readonly "aria-describedby": string | undefined;
};

/** A control with its label above, and its hint and what is wrong with it below. */
export const Field = ({
  label,
  hint,
  error,
  hidden = false,
  control,
}: Labelled & { readonly control: (ties: Ties) => ReactNode }) => {
  const id = useId();
  const [hintId, errorId] = [hint ? `${id}-hint` : null, error ? `${id}-error` : null];
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={hidden ? "sr-only" : "text-[13px] font-medium"}>
        {label}
      </label>
      {control({
        id,
        "aria-invalid": error ? true : undefined,
        "aria-describedby": cx(hintId, errorId) || undefined,
      })}
      {hintId && (
        <p id={hintId} className="text-[13px] text-muted">
          {hint}
        </p>
      )}
      {errorId && (
        <p id={errorId} role="alert" className="text-[13px] text-bad">
          {error}
        </p>
      )}
    </div>
  );
};

/** Told what was typed or chosen, as it is. */
type ValueChange<Value extends string> = { readonly value: Value; readonly onValue?: (value: Value) => void };

export const Input = ({
  label,
  hint,
  error,
  hidden = false,
  className,
  onValue,
  ...rest
}: Labelled & ValueChange<string> & Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange">) => (
  <Field
    label={label}
    hint={hint}
    error={error}
    hidden={hidden}
    control={(ties) => (
      <input
        autoComplete="off"
        {...rest}
        {...ties}
        onChange={({ target }) => onValue?.(target.value)}
        className={cx(BOX, ROW, className)}
      />
    )}
  />
);

export const TextArea = ({
  label,
  hint,
  error,
  hidden = false,
  className,
  onValue,
  ...rest
}: Labelled & ValueChange<string> & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "value" | "onChange">) => (
  <Field
    label={label}
    hint={hint}
    error={error}
    hidden={hidden}
    control={(ties) => (
      <textarea
        rows={3}
        {...rest}
        {...ties}
        onChange={({ target }) => onValue?.(target.value)}
        className={cx(BOX, "py-1.5", className)}
      />
    )}
  />
);

export type Choice<Value extends string = string> = { readonly value: Value; readonly label: string };

export const Select = <const Value extends string>({
  label,
  hint,
  error,
  hidden = false,
  className,
  choices,
  onValue,
  ...rest
}: Labelled &
  ValueChange<Value> &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, "value" | "onChange"> & {
    readonly choices: readonly Choice<Value>[];
  }) => (
  <Field
    label={label}
    hint={hint}
    error={error}
    hidden={hidden}
    control={(ties) => (
      <select
        {...rest}
        {...ties}
        onChange={({ target }) => {
          const chosen = choices.find(({ value }) => value === target.value);
          if (chosen) onValue?.(chosen.value);
        }}
        className={cx(BOX, ROW, className)}
      >
        {choices.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  />
);

export const Checkbox = ({
  label,
  hint,
  className,
  onValue,
  ...rest
}: Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> & {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly onValue?: (checked: boolean) => void;
}) => {
  const id = useId();
  return (
    <div className={cx("flex items-start gap-2", className)}>
      <input
        {...rest}
        id={id}
        type="checkbox"
        onChange={({ target }) => onValue?.(target.checked)}
        className="h-lh w-4 shrink-0 accent-accent"
      />
      <label htmlFor={id} className="min-w-0">
        {label}
        {hint && <span className="block text-[13px] text-muted">{hint}</span>}
      </label>
    </div>
  );
};
