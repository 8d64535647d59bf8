import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button, IconButton } from "./button";
import { cx } from "./class-names";
import { Input, TextArea } from "./field";

/** A window over the page: keeps the keyboard inside, closes by Escape, gives the focus back. */
export const Dialog = ({
  open,
  onClose,
  title,
  hint,
  wide = false,
  children,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly hint?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}) => (
  <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
    <Radix.Portal>
      <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
      <Radix.Content
        className={cx(
          "fixed top-1/2 left-1/2 z-40 flex max-h-[90vh] w-[calc(100vw-2rem)] -translate-1/2 flex-col rounded-xl border border-line bg-panel shadow-lift",
          wide ? "max-w-3xl" : "max-w-lg",
        )}
        {...(hint ? {} : { "aria-describedby": undefined })}
      >
        <header className="flex items-start gap-2 border-b border-line px-5 py-3">
          <div className="min-w-0 flex-1">
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            {hint && <Radix.Description className="text-muted">{hint}</Radix.Description>}
          </div>
          <Radix.Close asChild>
            <IconButton icon={X} label="Close" />
          </Radix.Close>
        </header>
        <div className="min-h-0 overflow-y-auto px-5 py-4">{children}</div>
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

/** A form in a dialog: fields, what was wrong, and the two buttons. */
export const DialogForm = ({
  onSubmit,
  onCancel,
  submit,
  busy,
  error,
  danger = false,
  disabled = false,
  children,
}: {
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly submit: string;
  readonly busy: boolean;
  readonly error?: string | null | undefined;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}) => (
  <form
    className="flex flex-col gap-4"
    onSubmit={(event: FormEvent) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
    {error && (
      <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
        {error}
      </p>
    )}
    <div className="flex justify-end gap-2">
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" kind={danger ? "danger" : "primary"} busy={busy} disabled={disabled}>
        {submit}
      </Button>
    </div>
  </form>
);

/**
 * Asks before something is done that cannot be undone: the word must be typed out, and a reason given where one is
 * wanted. Never done by a single key.
 */
export const Confirm = ({
  open,
  onClose,
  title,
  children,
  word,
  reason = false,
  submit,
  busy,
  error,
  onConfirm,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** What must be typed; none for what can be taken back. */
  readonly word?: string;
  readonly reason?: boolean;
  readonly submit: string;
  readonly busy: boolean;
  readonly error?: string | null | undefined;
  readonly onConfirm: (reason: string) => void;
}) => {
  const [typed, setTyped] = useState("");
  const [why, setWhy] = useState("");
  const ready = (word === undefined || typed.trim() === word) && (!reason || why.trim() !== "");
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <DialogForm
        onSubmit={() => onConfirm(why.trim())}
        onCancel={onClose}
        submit={submit}
        busy={busy}
        error={error}
        danger
        disabled={!ready}
      >
        <div>{children}</div>
        {reason && (
          <TextArea
            label="Reason"
            hint="For the record."
            required
            value={why}
            onChange={(event) => setWhy(event.target.value)}
          />
        )}
        {word !== undefined && (
          <Input
            label={`Type ${word} to go on`}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            spellCheck={false}
          />
        )}
      </DialogForm>
    </Dialog>
  );
};
