import { Check, CircleDashed, LoaderCircle, Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { CANARY } from "#clients/canary";
import { isMisaddressed, PublicAddress } from "#dashboard/app/public-address";
import { useHasRole, useMakes } from "#dashboard/app/session";
import { type IssuedKey, NewKey } from "#dashboard/features/keys/key-new";
import { KeySnippets } from "#dashboard/features/keys/key-snippets";
import { Button } from "#dashboard/parts/button";
import { Card } from "#dashboard/parts/card";
import { cx } from "#dashboard/parts/class-names";
import { type ItemOf, useGet } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { SecretOnce } from "#dashboard/parts/secret-once";
import { ANY_MODEL_CALL } from "#model/model-api";

/** How soon the first call turns the last step green. */
const LOOK_MS = 2_000;

/** What a newcomer does first, until it is done: a provider, a key, a call, a blocked call. Nobody else sees it. */
export const FirstSteps = () => {
  const [begun, setBegun] = useState(false);
  const [hidden, setHidden] = useState(false);
  const tokens = useGet("GET /api/tokens", { query: { limit: "50" } });
  const calls = useGet("GET /api/calls", { query: { kind: ANY_MODEL_CALL, limit: "1" } });
  const isNew = tokens.data?.data.every(({ last_used_at }) => last_used_at === null) && calls.data?.data.length === 0;
  const makes = useMakes();
  // A user who has begun sees the last step too, although the first call ends being new.
  if (isNew && !begun) setBegun(true);
  if (hidden || !makes || !begun) return null;
  return <Steps onClose={() => setHidden(true)} />;
};

const Steps = ({ onClose }: { readonly onClose: () => void }) => {
  const [key, setKey] = useState<IssuedKey | null>(null);
  const providers = useGet("GET /api/providers", {});
  const tokens = useGet("GET /api/tokens", { query: { limit: "50" } });
  const calls = useGet("GET /api/calls", { query: { kind: ANY_MODEL_CALL, limit: "50" } }, { everyMs: LOOK_MS });
  const [provider] = (providers.data?.data ?? []).filter(({ built_in }) => !built_in);
  const blocks = useGet("GET /api/calls", { query: { decision: "block", limit: "1" } }, { everyMs: LOOK_MS });
  // Newest first. The blocked one has a step of its own.
  const made = calls.data?.data ?? [];
  const first = made.findLast(({ decision }) => decision !== "block") ?? made.at(-1);
  const blocked = blocks.data?.data[0];
  const model = provider?.models.find((name) => !name.includes("*"));
  const hasKey = key !== null || (tokens.data?.data.length ?? 0) > 0;
  return (
    <Card
      title="First steps"
      hint="From set-up to the first call and the first block."
      actions={
        <Button kind="quiet" small onClick={onClose}>
          {first && blocked ? "Done" : "Hide"}
        </Button>
      }
    >
      <ol className="flex flex-col gap-4">
        <AddressStep />
        <ProviderStep provider={provider} />
        <KeyStep issued={key} hasKey={hasKey} onMade={setKey} />
        <CallStep
          state={first ? "done" : hasKey ? "waiting" : "later"}
          titles={{ later: "Make a call", waiting: "Waiting for the first call…", done: "First call received" }}
          call={first}
        >
          <KeySnippets token={key?.token} model={model} />
        </CallStep>
        <CallStep
          state={blocked ? "done" : first ? "waiting" : "later"}
          titles={{
            later: "Send a call that is blocked",
            waiting: "Waiting for the first blocked call…",
            done: "First call blocked",
          }}
          call={blocked}
        >
          <p className="mb-2">
            The same call with a secret in it. This one is made up; the guard refuses it all the same.
          </p>
          <KeySnippets token={key?.token} model={model} words={CANARY} />
        </CallStep>
      </ol>
    </Card>
  );
};

/** Under which address programs reach the hub, which only its operator can change. */
const AddressStep = () => {
  const settings = useGet("GET /api/settings", {});
  if (!settings.data) return null;
  return (
    <Step state={isMisaddressed(settings.data) ? "now" : "done"} title={`The hub is at ${settings.data.public_url}`}>
      <PublicAddress settings={settings.data} />
    </Step>
  );
};

const ProviderStep = ({ provider }: { readonly provider: ItemOf<"GET /api/providers"> | undefined }) => {
  const isAdmin = useHasRole("admin");
  return (
    <Step state="done" title={provider ? `${provider.name} is connected` : "Built-in model available"}>
      {provider ? (
        `Models: ${provider.models.join(", ")}.`
      ) : (
        <>
          The model <code className="font-mono text-xs">guardhouse/echo</code> repeats its input, so that you can try
          everything without a provider.
        </>
      )}{" "}
      {isAdmin && <TextLink to="/settings/providers">{provider ? "Providers" : "Add a provider"}</TextLink>}
    </Step>
  );
};

const KeyStep = ({
  issued,
  hasKey,
  onMade,
}: {
  readonly issued: IssuedKey | null;
  readonly hasKey: boolean;
  readonly onMade: (key: IssuedKey) => void;
}) => {
  const [making, setMaking] = useState(false);
  return (
    <Step state={hasKey ? "done" : "now"} title={hasKey ? "You have a key" : "Create your first key"}>
      Programs send it with every call; it is all they need.
      {issued && (
        <SecretOnce label="The key" secret={issued.token} note="Copy the key now: it cannot be shown again." />
      )}
      {!hasKey && (
        <div className="mt-2">
          <Button kind="primary" icon={Plus} onClick={() => setMaking(true)}>
            New key
          </Button>
        </div>
      )}
      {making && <NewKey onClose={() => setMaking(false)} onMade={onMade} />}
    </Step>
  );
};

/** Waits for a call, and leads to what the hub knows of it. */
const CallStep = ({
  state,
  titles,
  call,
  children,
}: {
  readonly state: "later" | "waiting" | "done";
  readonly titles: Readonly<Record<"later" | "waiting" | "done", string>>;
  readonly call: ItemOf<"GET /api/calls"> | undefined;
  readonly children: ReactNode;
}) => (
  <Step state={state} title={titles[state]}>
    {state === "waiting" && children}
    {call && <TextLink to={`/calls/${call.call_id}`}>View call</TextLink>}
  </Step>
);

type State = "done" | "now" | "waiting" | "later";

const SIGNS: Readonly<Record<State, { readonly icon: typeof Check; readonly style: string; readonly word: string }>> = {
  done: { icon: Check, style: "bg-ok-soft text-ok", word: "Done" },
  now: { icon: CircleDashed, style: "bg-accent-soft text-accent-strong", word: "Next" },
  waiting: { icon: LoaderCircle, style: "bg-info-soft text-info", word: "Waiting" },
  later: { icon: CircleDashed, style: "bg-raised text-muted", word: "Later" },
};

const Step = ({
  state,
  title,
  children,
}: {
  readonly state: State;
  readonly title: string;
  readonly children?: ReactNode;
}) => {
  const { icon: Icon, style, word } = SIGNS[state];
  return (
    <li className="flex items-start gap-3">
      <span className={cx("grid size-6 shrink-0 place-items-center rounded-full", style)}>
        <Icon className={cx("size-4", state === "waiting" && "animate-spin")} aria-hidden />
        <span className="sr-only">{word}:</span>
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <h3 aria-live="polite" className={cx("font-medium", state === "later" && "text-muted")}>
          {title}
        </h3>
        {state !== "later" && <div className="min-w-0 text-muted">{children}</div>}
      </div>
    </li>
  );
};
