import { useState } from "react";
import { FormDialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { type ItemOf, useAct } from "#dashboard/parts/hooks";
import { SigningSecret } from "#dashboard/parts/secret-once";
import { type Typed, useTyped } from "./typed-fields";

type Destination = ItemOf<"GET /api/alert-destinations">;
type Kind = Destination["kind"];
type Security = NonNullable<Destination["security"]>;

const REFRESH = ["/api/alert-destinations"] as const;

const KINDS = [
  { value: "slack", label: "Slack" },
  { value: "teams", label: "Microsoft Teams" },
  { value: "pagerduty", label: "PagerDuty" },
  { value: "email", label: "E-mail" },
  { value: "webhook", label: "Webhook" },
] as const;

const SECURITY = [
  { value: "starttls", label: "STARTTLS" },
  { value: "tls", label: "TLS" },
  { value: "none", label: "None" },
] as const;

/** Where the URL of each comes from. */
const URL_HINTS: Readonly<Partial<Record<Kind, string>>> = {
  slack: "Of an incoming webhook: https://hooks.slack.com/services/…",
  teams: "Of a workflow that starts when a Teams webhook request is received.",
  webhook: "Receives signed JSON (Standard Webhooks).",
};

const KEPT = "Leave empty to keep it.";

/** What of a destination is shown, and so stands in its field. */
const shownOf = (destination: Destination | undefined, name: string): string => {
  if (!destination) return "";
  const { kind, host, port, username, from, to } = destination;
  const mail = kind === "email" ? { host, port, username, from, to: to.join(", ") } : {};
  const shown: Readonly<Record<string, unknown>> = { name: destination.name, ...mail };
  return String(shown[name] ?? "");
};

const mailOf = ({ given, textOf }: Typed, security: Security) => ({
  ...given("host"),
  ...(textOf("port") !== "" && { port: Number(textOf("port")) }),
  security,
  ...given("username"),
  ...given("password"),
  ...given("from"),
  to: textOf("to")
    .split(/[\s,;]+/)
    .filter(Boolean),
});

/** Adds a destination, or changes one; what is sealed is not shown. */
export const AlertDestinationForm = ({
  destination,
  onClose,
}: {
  readonly destination?: Destination;
  readonly onClose: () => void;
}) => {
  const [kind, setKind] = useState<Kind>(destination?.kind ?? "slack");
  const [security, setSecurity] = useState<Security>(destination?.security ?? "starttls");
  const typed = useTyped((name) => shownOf(destination, name));
  const [secret, setSecret] = useState<string | null>(null);
  const add = useAct("POST /api/alert-destinations", {
    refresh: REFRESH,
    quiet: true,
    onDone: (made) => (made.secret === null ? onClose() : setSecret(made.secret)),
  });
  const change = useAct("PATCH /api/alert-destinations/:id", { refresh: REFRESH, close: onClose, done: "Saved." });
  if (secret !== null) return <SigningSecret secret={secret} onClose={onClose} />;
  const save = () => {
    const reached =
      kind === "email" ? mailOf(typed, security) : { ...typed.given("url"), ...typed.given("routing_key") };
    const body = { name: typed.textOf("name").trim(), ...reached };
    if (destination) change.mutate({ params: { id: destination.id }, body });
    else add.mutate({ body: { ...body, kind } });
  };
  return (
    <FormDialog
      onClose={onClose}
      title={destination ? "Edit destination" : "Add destination"}
      submit={destination ? "Save" : "Add"}
      act={destination ? change : add}
      disabled={typed.textOf("name").trim() === ""}
      onSubmit={save}
    >
      {!destination && <Select label="Kind" value={kind} onValue={setKind} choices={KINDS} />}
      <Input label="Name" required maxLength={100} {...typed.field("name")} />
      {kind === "email" ? (
        <MailFields typed={typed} isKept={destination !== undefined} security={security} onSecurity={setSecurity} />
      ) : (
        <SecretField kind={kind} typed={typed} isKept={destination !== undefined} />
      )}
    </FormDialog>
  );
};

type Part = { readonly typed: Typed; readonly isKept: boolean };

const SecretField = ({ kind, typed, isKept }: Part & { readonly kind: Kind }) =>
  kind === "pagerduty" ? (
    <Input
      label="Integration key"
      hint={isKept ? KEPT : "Of an Events API v2 integration of the service."}
      type="password"
      required={!isKept}
      {...typed.field("routing_key")}
    />
  ) : (
    <Input label="URL" hint={isKept ? KEPT : URL_HINTS[kind]} type="url" required={!isKept} {...typed.field("url")} />
  );

const MailFields = ({
  typed,
  isKept,
  security,
  onSecurity,
}: Part & { readonly security: Security; readonly onSecurity: (security: Security) => void }) => (
  <>
    <div className="grid gap-4 sm:grid-cols-2">
      <Input label="SMTP server" required {...typed.field("host")} />
      <Input
        label="Port"
        inputMode="numeric"
        placeholder={security === "tls" ? "465" : "587"}
        {...typed.field("port")}
      />
      <Select label="Encryption" value={security} onValue={onSecurity} choices={SECURITY} />
      <Input label="User name" {...typed.field("username")} />
    </div>
    <Input label="Password" hint={isKept && KEPT} type="password" {...typed.field("password")} />
    <Input label="From" type="email" required {...typed.field("from")} />
    <Input label="To" hint="Addresses, with commas between." required {...typed.field("to")} />
  </>
);
