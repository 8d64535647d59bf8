import { useMutation, useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from "react";
import { basePath } from "#dashboard/address/base-path";
import { ApiError, ask, call } from "#dashboard/api/client";
import { Button, buttonClass } from "#dashboard/parts/button";
import { Dialog, DialogForm } from "#dashboard/parts/dialog";
import { Input } from "#dashboard/parts/field";

const CODE = "fresh_session_required";
/** For clocks that differ, and the time an answer takes. */
const MARGIN_MS = 30_000;

/** Does something at the hub, and once more after a password where the hub wants a session confirmed a short while ago. */
type Confirming = <Answer>(work: () => Promise<Answer>) => Promise<Answer>;

const Context = createContext<Confirming>((work) => work());

export const useConfirming = (): Confirming => useContext(Context);

/** What makes sure of a fresh session before the browser itself goes to an address that takes one: a download. */
export const useFreshSession = (): (() => Promise<void>) => {
  const confirming = useConfirming();
  return () =>
    confirming(async () => {
      const { fresh_until } = (await call("GET /api/me", {})).session;
      if (fresh_until !== null && Date.parse(fresh_until) < Date.now() + MARGIN_MS) throw notConfirmed();
    });
};

type Waiting = PromiseWithResolvers<void>;

/** Error of a confirmation that the user cancelled. */
const notConfirmed = (): ApiError =>
  new ApiError(403, CODE, "Nothing was changed: your password is required.", null, null);

/**
 * Asks for the password when the hub says that the session is too old for what was asked of it, and goes on where it
 * stopped. Acts that wait at the same time wait for the same answer.
 */
export const ConfirmSession = ({ email, children }: { readonly email: string; readonly children: ReactNode }) => {
  const [asking, setAsking] = useState(false);
  const waiting = useRef<Waiting | null>(null);
  const value = useMemo((): Confirming => {
    const confirmed = (): Promise<void> => {
      waiting.current ??= Promise.withResolvers<void>();
      setAsking(true);
      return waiting.current.promise;
    };
    return async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ApiError && error.code === CODE)) throw error;
        await confirmed();
        return work();
      }
    };
  }, []);
  const end = (how: (it: Waiting) => void) => {
    const it = waiting.current;
    waiting.current = null;
    setAsking(false);
    if (it) how(it);
  };
  return (
    <Context value={value}>
      {children}
      {asking && (
        <PasswordDialog
          email={email}
          onDone={() => end(({ resolve }) => resolve())}
          onClose={() => end(({ reject }) => reject(notConfirmed()))}
        />
      )}
    </Context>
  );
};

type Asking = { readonly email: string; readonly onDone: () => void; readonly onClose: () => void };

const PasswordDialog = (asking: Asking) => {
  const settings = useQuery({
    queryKey: ["/api/settings", {}],
    queryFn: ({ signal }) => call("GET /api/settings", {}, signal),
  });
  const { password_sign_in: byPassword = true, sign_in_provider: provider = null } = settings.data ?? {};
  return (
    <Dialog
      open
      onClose={asking.onClose}
      title="Confirm your identity"
      hint="Required every ten minutes for actions that create credentials."
    >
      {byPassword && <PasswordForm {...asking} />}
      {provider !== null && <AtProvider name={provider} onClose={byPassword ? null : asking.onClose} />}
    </Dialog>
  );
};

/** A user of an OpenID provider confirms there and returns to a reloaded page. */
const AtProvider = ({ name, onClose }: { readonly name: string; readonly onClose: (() => void) | null }) => (
  <div className="mt-4 flex flex-wrap items-center justify-between gap-2">
    <p className="min-w-0 flex-1 basis-60 text-[13px] text-muted">
      You sign in by {name}? Say there that it is you; you come back to the overview, and do it again.
    </p>
    {onClose && <Button onClick={onClose}>Cancel</Button>}
    <a href={`${basePath()}/api/auth/oidc/confirm`} className={buttonClass("plain")}>
      Go to {name}
    </a>
  </div>
);

const PasswordForm = ({ email, onDone, onClose }: Asking) => {
  const [password, setPassword] = useState("");
  const confirm = useMutation({
    mutationFn: () => ask("POST /api/me/confirm", { body: { password } }),
    onSuccess: onDone,
    onError: () => setPassword(""),
  });
  return (
    <DialogForm
      submit="Confirm"
      act={confirm}
      disabled={password === ""}
      onCancel={onClose}
      onSubmit={() => confirm.mutate()}
    >
      {/* Password managers want to know whose it is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <Input
        label={`Password of ${email}`}
        type="password"
        name="password"
        autoComplete="current-password"
        required
        autoFocus
        value={password}
        onValue={setPassword}
      />
    </DialogForm>
  );
};
