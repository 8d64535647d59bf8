import { X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { IconButton } from "./button";
import { cx } from "./class-names";

type Tone = "ok" | "bad" | "info";
type Toast = { readonly id: number; readonly tone: Tone; readonly text: string };
type Toasts = { say(tone: Tone, text: string): void };

const Context = createContext<Toasts>({ say: () => {} });

/** Tells what has happened, at the edge of the page and to screen readers. */
export const useToasts = (): Toasts => useContext(Context);

/** What went wrong stays long enough to be read and copied. */
const SHOWN_MS: Readonly<Record<Tone, number>> = { ok: 4_000, info: 6_000, bad: 12_000 };

export const ToastProvider = ({ children }: { readonly children: ReactNode }) => {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const drop = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const say = useCallback(
    (tone: Tone, text: string) => {
      const id = Date.now() + Math.random();
      setToasts((all) => [...all.slice(-3), { id, tone, text }]);
      setTimeout(() => drop(id), SHOWN_MS[tone]);
    },
    [drop],
  );
  const value = useMemo(() => ({ say }), [say]);
  return (
    <Context value={value}>
      {children}
      <div
        aria-live="polite"
        role="status"
        className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2"
      >
        {toasts.map(({ id, tone, text }) => (
          <div
            key={id}
            className={cx(
              "pointer-events-auto flex items-start gap-2 rounded-lg border border-line border-l-4 bg-panel py-2 pr-2 pl-3 shadow-lift",
              tone === "ok" && "border-l-ok",
              tone === "bad" && "border-l-bad",
              tone === "info" && "border-l-info",
            )}
          >
            <p className="flex-1 py-0.5 break-words">{text}</p>
            <IconButton icon={X} label="Dismiss" onClick={() => drop(id)} />
          </div>
        ))}
      </div>
    </Context>
  );
};
