import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { SignInLink } from "#dashboard/address/way-back";
import { isSignedOut, messageOf } from "#dashboard/api/client";
import { Button, IconButton } from "./button";
import { cx } from "./class-names";
import { Input, TextArea } from "./field";
import { Wrong } from "./states";

type Framed = {
  readonly onClose: () => void;
  readonly title: string;
  readonly hint?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
};

/** A window over the page: keeps the keyboard inside, closes by Escape, gives the focus back. */
export const Dialog = ({ open, onClose, ...framed }: Framed & { readonly open: boolean }) => (
  <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
    <Radix.Portal>
      <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
      <Window {...framed} />
    </Radix.Portal>
  </Radix.Root>
);

const Window = ({ title, hint, wide = false, children }: Omit<Framed, "onClose">) => {
  // The first time it is drawn the keyboard is still where it was opened from.
  const [opener] = useState(() => document.activeElement);
  const giveBack = (event: Event) => {
    event.preventDefault();
    const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
    // What it was opened from may be gone with what was done: then one goes on at the page's beginning.
    const place = isThere ? opener : document.getElementById("main");
    place?.focus();
  };
  const content = useRef<HTMLDivElement>(null);
  // What was typed is not lost, nor a secret that is shown once, by a click beside it or on a toast.
  const stay = (event: Event) => {
    if (content.current?.querySelector("form, [data-secret]")) event.preventDefault();
  };
  return (
    <Radix.Content
      ref={content}
      onInteractOutside={stay}
      onEscapeKeyDown={(event) => {
        if (content.current?.querySelector("[data-closes-first]")) event.preventDefault();
      }}
      className={cx(
        "fixed top-1/2 left-1/2 z-40 flex max-h-[90vh] w-[calc(100vw-2rem)] -translate-1/2 flex-col rounded-xl border border-line bg-panel shadow-lift",
        wide ? "max-w-3xl" : "max-w-lg",
      )}
      onCloseAutoFocus={giveBack}
      onOpenAutoFocus={(event) => {
        const ready = content.current?.querySelector<HTMLElement>("form[data-ready] [type=submit]:not([disabled])");
        if (!ready) return;
        event.preventDefault();
        ready.focus();
      }}
      {...(hint ? {} : { "aria-describedby": undefined })}
    >
      <header className="flex items-start gap-2 border-b border-line px-5 py-3">
        <div className="min-w-0 flex-1">
          <Radix.Title className="text-base font-semibold wrap-anywhere">{title}</Radix.Title>
          {hint && <Radix.Description className="wrap-anywhere text-muted">{hint}</Radix.Description>}
        </div>
        <Radix.Close asChild>
          <IconButton icon={X} label="Close" />
        </Radix.Close>
      </header>
      <div className="min-h-0 overflow-y-auto px-5 py-4 wrap-anywhere">{children}</div>
    </Radix.Content>
  );
};

/** What the hub is asked to do, by `useAct`. */
type Act = { readonly isPending: boolean; readonly error: Error | null };

type Asking = {
  /** What its button says. */
  readonly submit: string;
  /** None for what stays on the page. */
  readonly act?: Act;
  readonly onSubmit: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** The keyboard begins at its button: Enter confirms. */
  readonly isReady?: boolean;
  /** What was wrong, where there is more to say than the hub says. */
  readonly told?: (error: Error) => string;
};

/** A form in a dialog: fields, what was wrong, and the two buttons. */
export const DialogForm = ({
  onSubmit,
  onCancel,
  submit,
  act,
  told = messageOf,
  danger = false,
  disabled = false,
  isReady = false,
  children,
}: Asking & { readonly onCancel: () => void; readonly children: ReactNode }) => {
  const form = useRef<HTMLFormElement>(null);
  const { error = null } = act ?? {};
  useEffect(() => {
    // Where it is known which field is wrong, the next key goes there.
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      data-ready={isReady ? "" : undefined}
      className="flex flex-col gap-4"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error && (
        <Wrong>
          {told(error)} {isSignedOut(error) && <SignInLink />}
        </Wrong>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind={danger ? "danger" : "primary"} busy={act?.isPending ?? false} disabled={disabled}>
          {submit}
        </Button>
      </div>
    </form>
  );
};

/** A dialog that is one form; it is there as long as it is open. */
export const FormDialog = ({ onClose, title, hint, wide = false, ...form }: Framed & Asking) => (
  <Dialog onClose={onClose} title={title} hint={hint} wide={wide} open>
    <DialogForm onCancel={onClose} {...form} />
  </Dialog>
);

/**
 * Asks before something is done that cannot be undone: the word must be typed out, and a reason given where one is
 * wanted. Never done by a single key.
 */
export const Confirm = ({
  children,
  word,
  reason = false,
  onConfirm,
  ...dialog
}: Omit<Framed, "hint" | "wide"> &
  Pick<Asking, "submit" | "act"> & {
    /** What must be typed; none for what can be taken back. */
    readonly word?: string;
    readonly reason?: boolean;
    readonly onConfirm: (reason: string) => void;
  }) => {
  const [typed, setTyped] = useState("");
  const [why, setWhy] = useState("");
  const ready = (word === undefined || typed.trim() === word) && (!reason || why.trim() !== "");
  return (
    <FormDialog {...dialog} danger disabled={!ready} onSubmit={() => onConfirm(why.trim())}>
      <div>{children}</div>
      {reason && <TextArea label="Reason" hint="Recorded in the audit log." required value={why} onValue={setWhy} />}
      {word !== undefined && (
        <Input label={`Type "${word}" to confirm`} value={typed} onValue={setTyped} spellCheck={false} />
      )}
    </FormDialog>
  );
};

/** Below what is only read. */
export const DialogEnd = ({
  onClose,
  done = "Close",
  children,
}: {
  readonly onClose: () => void;
  readonly done?: string;
  readonly children?: ReactNode;
}) => (
  <div className="flex justify-end gap-2">
    <Button kind={done === "Close" ? "plain" : "primary"} onClick={onClose}>
      {done}
    </Button>
    {children}
  </div>
);
