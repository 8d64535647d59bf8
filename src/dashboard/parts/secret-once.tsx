import { KeyRound } from "lucide-react";
import type { ReactNode } from "react";
import { CopyButton } from "./copy";
import { Dialog, DialogEnd } from "./dialog";

type Secret = { readonly label: string; readonly secret: string; readonly note: string };

/** A secret right after it was made: it is nowhere else. */
export const SecretOnce = ({ label, secret, note }: Secret) => (
  <div className="flex flex-col gap-1 rounded-md border border-ok/40 bg-ok-soft px-3 py-2">
    <p className="flex items-center gap-1.5 font-medium text-ok">
      <KeyRound className="size-4 shrink-0" aria-hidden />
      {label}
    </p>
    <div className="flex items-center gap-1">
      <code data-secret="" className="min-w-0 flex-1 font-mono text-[13px] break-all select-all">
        {secret}
      </code>
      <CopyButton text={secret} label={`Copy: ${label}`} />
    </div>
    <p className="text-[13px]">{note}</p>
  </div>
);

/** The one time a secret is shown: what goes before it, the secret, and what is done with it. */
export const SecretDialog = ({
  title,
  wide = false,
  before,
  children,
  onClose,
  ...secret
}: Secret & {
  readonly title: string;
  readonly wide?: boolean;
  readonly before?: ReactNode;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}) => (
  <Dialog open title={title} wide={wide} onClose={onClose}>
    <div className="flex flex-col gap-4">
      {before}
      <SecretOnce {...secret} />
      {children}
      <DialogEnd onClose={onClose} done="Done" />
    </div>
  </Dialog>
);

/** The one time a signing secret is shown. */
export const SigningSecret = ({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) => (
  <SecretDialog
    title="Signing secret"
    onClose={onClose}
    label="Secret"
    secret={secret}
    note="Copy the secret now: it cannot be shown again. Receivers verify signatures with it (Standard Webhooks)."
  />
);
