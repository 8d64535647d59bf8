import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from "react";
import { useId } from "react";
import { cx } from "./class-names";

const BOX =
  "w-full rounded-md border border-strong-line bg-panel px-2.5 text-text placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad";

type Labelled = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  /** The label is read out, not shown. */
  readonly hidden?: boolean;
};

const Frame = ({
  id,
  label,
  hint,
  error,
  hidden,
  children,
}: Labelled & { readonly id: string; readonly children: ReactNode }) => (
  <div className="flex min-w-0 flex-col gap-1">
    <label htmlFor={id} className={hidden ? "sr-only" : "text-[13px] font-medium"}>
      {label}
    </label>
    {children}
    {hint && (
      <p id={`${id}-hint`} className="text-[13px] text-muted">
        {hint}
      </p>
    )}
    {error && (
      <p id={`${id}-error`} role="alert" className="text-[13px] text-bad">
        {error}
      </p>
    )}
  </div>
);

const described = (id: string, { hint, error }: Labelled) => ({
  id,
  "aria-invalid": error ? true : undefined,
  "aria-describedby": cx(hint ? `${id}-hint` : null, error ? `${id}-error` : null) || undefined,
});

export const Input = ({
  label,
  hint,
  error,
  hidden = false,
  className,
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) => {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, hidden }}>
      <input
        autoComplete="off"
        {...rest}
        {...described(id, { label, hint, error })}
        className={cx(BOX, "h-8.5", className)}
      />
    </Frame>
  );
};

export const TextArea = ({
  label,
  hint,
  error,
  hidden = false,
  className,
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) => {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, hidden }}>
      <textarea
        rows={3}
        {...rest}
        {...described(id, { label, hint, error })}
        className={cx(BOX, "py-1.5", className)}
      />
    </Frame>
  );
};

export type Choice = { readonly value: string; readonly label: string };

export const Select = ({
  label,
  hint,
  error,
  hidden = false,
  className,
  choices,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement> & { readonly choices: readonly Choice[] }) => {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, hidden }}>
      <select {...rest} {...described(id, { label, hint, error })} className={cx(BOX, "h-8.5", className)}>
        {choices.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  );
};

export const Checkbox = ({
  label,
  hint,
  className,
  ...rest
}: InputHTMLAttributes<HTMLInputElement> & { readonly label: ReactNode; readonly hint?: ReactNode }) => {
  const id = useId();
  return (
    <div className={cx("flex items-start gap-2", className)}>
      <input {...rest} id={id} type="checkbox" className="mt-0.5 size-4 accent-accent" />
      <label htmlFor={id} className="min-w-0">
        {label}
        {hint && <span className="block text-[13px] text-muted">{hint}</span>}
      </label>
    </div>
  );
};
