import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from "react";
import { ApiError, ask } from "#dashboard/api/client";
import { Dialog, DialogForm } from "#dashboard/parts/dialog";
import { Input } from "#dashboard/parts/field";
import { basePath } from "./base-path";

const CODE = "fresh_session_required";

/** Does something at the hub, and once more after a password where the hub wants a session confirmed a short while ago. */
type Confirming = <Answer>(work: () => Promise<Answer>) => Promise<Answer>;

const Context = createContext<Confirming>((work) => work());

export const useConfirming = (): Confirming => useContext(Context);

type Waiting = PromiseWithResolvers<void>;

/** What is said to whoever would rather not. */
const notConfirmed = (): ApiError =>
  new ApiError(403, CODE, "Nothing was changed: this takes your password.", null, null);

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

const PasswordDialog = ({
  email,
  onDone,
  onClose,
}: {
  readonly email: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await ask("POST /api/me/confirm", { body: { password } });
      onDone();
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : "Something went wrong on this page. Load it again.");
      setPassword("");
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Is it still you?"
      hint="What you are about to do gives somebody a way in, so the hub asks for your password once every ten minutes."
    >
      <DialogForm
        submit="Go on"
        busy={busy}
        error={problem}
        disabled={password === ""}
        onCancel={onClose}
        onSubmit={() => void confirm()}
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
          onChange={(event) => setPassword(event.target.value)}
        />
        <p className="text-[13px] text-muted">
          You sign in without a password?{" "}
          <a href={`${basePath()}/login`} className="font-medium text-accent underline-offset-2 hover:underline">
            Sign in again
          </a>
          , then repeat what you did.
        </p>
      </DialogForm>
    </Dialog>
  );
};
