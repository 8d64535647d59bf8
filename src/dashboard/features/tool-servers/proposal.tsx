import { useState } from "react";
import { COMMANDS } from "#core/command-line";
import { type AnswerTo, messageOf } from "#dashboard/api/client";
import { useHasRole, useMe } from "#dashboard/app/session";
import { Button } from "#dashboard/parts/button";
import { Facts } from "#dashboard/parts/card";
import { StateChip } from "#dashboard/parts/chip";
import { CodeLine, HubCommand } from "#dashboard/parts/copy";
import { Dialog } from "#dashboard/parts/dialog";
import { Input, Select } from "#dashboard/parts/field";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { TextLink } from "#dashboard/parts/page";
import { Await, Wrong } from "#dashboard/parts/states";
import { Time } from "#dashboard/parts/time";
import { CONCERNED } from "./tool-server-type";

type Proposal = AnswerTo<"GET /api/registry/proposals/:id">;
type Offer = Proposal["offers"][number];
type Asked = Offer["inputs"][number];

/** A server that another registry lists: read, then approved or rejected. */
export const ProposalDialog = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const proposal = useGet("GET /api/registry/proposals/:id", { params: { id } });
  return (
    <Dialog open onClose={onClose} title="Proposal" hint="All texts are the other registry's." wide>
      <Await query={proposal}>{(data) => <Shown proposal={data} onClose={onClose} />}</Await>
    </Dialog>
  );
};

const Shown = ({ proposal, onClose }: { readonly proposal: Proposal; readonly onClose: () => void }) => {
  const isAdmin = useHasRole("admin");
  const { name, version, description, website, source, state, offers, decided_at, reason, server_id } = proposal;
  return (
    <div className="flex flex-col gap-4">
      <Facts
        rows={[
          ["Name", `${name} ${version}`],
          ["Description", description],
          ["Website", website ?? "none"],
          ["From", source],
          ["Imported by", proposal.imported_by ?? "command line"],
          ["Imported", <Time key="imported" at={proposal.imported_at} />],
          ["State", <StateChip key="state" of={state} />],
          ...(decided_at === null ? [] : [["Decided", <Time key="decided" at={decided_at} />] as const]),
          ...(decided_at === null ? [] : [["Decided by", proposal.decided_by ?? "command line"] as const]),
          ...(reason === null ? [] : [["Reason", reason] as const]),
        ]}
      />
      {server_id !== null && <TextLink to={`/tool-servers/${server_id}`}>The tool server made of it</TextLink>}
      {offers.map((offer, index) => (
        <section key={offer.shown}>
          <h3 className="mb-1 font-semibold">
            {offer.transport === "stdio" ? "Command, on the hub's machine" : "Address"} ({index + 1})
          </h3>
          <CodeLine text={offer.shown} />
          {offer.problem !== null && <p className="text-muted">{offer.problem}</p>}
        </section>
      ))}
      {state === "proposed" && isAdmin && <Decision proposal={proposal} onClose={onClose} />}
    </div>
  );
};

const numbersOf = (proposal: Proposal, isKind: (offer: Offer) => boolean): number[] =>
  proposal.offers.flatMap((offer, at) => (offer.problem === null && isKind(offer) ? [at + 1] : []));

const Decision = ({ proposal, onClose }: { readonly proposal: Proposal; readonly onClose: () => void }) => {
  const { user } = useMe();
  const { id, offers, name } = proposal;
  const usable = numbersOf(proposal, ({ transport }) => transport !== "stdio");
  const programs = numbersOf(proposal, ({ transport }) => transport === "stdio");
  const [number, setNumber] = useState(`${usable[0] ?? 0}`);
  const [slug, setSlug] = useState("");
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [reason, setReason] = useState("");
  const options = { refresh: ["/api/registry/proposals", ...CONCERNED], close: onClose };
  const approve = useAct("POST /api/registry/proposals/:id/approve", {
    ...options,
    done: "Approved: tool server added.",
  });
  const reject = useAct("POST /api/registry/proposals/:id/reject", { ...options, done: "Rejected." });
  const inputs = offers[Number(number) - 1]?.inputs ?? [];
  const given = Object.fromEntries(
    inputs.flatMap((input) => (values[input.name] ? [[input.name, values[input.name] ?? ""] as const] : [])),
  );
  const body = { offer: Number(number), values: given, ...(slug && { slug }) };
  const isBusy = approve.isPending || reject.isPending;
  const error = approve.error ?? reject.error;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        approve.mutate({ params: { id }, body });
      }}
    >
      {programs.length > 0 && (
        <div className="flex flex-col gap-2 text-muted">
          <p>Programs run on the hub's own machine, so only its operator approves them, on the command line:</p>
          <HubCommand words={COMMANDS.approveProposal(name, user.email)} />
        </div>
      )}
      {usable.length > 0 && (
        <>
          {usable.length > 1 && (
            <Select
              label="Address"
              value={number}
              onValue={setNumber}
              choices={usable.map((one) => ({ value: `${one}`, label: `${one}: ${offers[one - 1]?.shown}` }))}
            />
          )}
          <Input label="Slug" hint="Made of the name if left out." maxLength={24} value={slug} onValue={setSlug} />
          {inputs.map((input) => (
            <Value
              key={input.name}
              input={input}
              value={values[input.name] ?? ""}
              onValue={(value) => setValues({ ...values, [input.name]: value })}
            />
          ))}
        </>
      )}
      <Input
        label="Reason for rejecting"
        hint="Recorded in the audit log."
        maxLength={500}
        value={reason}
        onValue={setReason}
      />
      {error && <Wrong>{messageOf(error)}</Wrong>}
      <div className="flex justify-end gap-2">
        <Button
          kind="danger"
          disabled={isBusy}
          busy={reject.isPending}
          onClick={() => reject.mutate({ params: { id }, body: reason.trim() ? { reason: reason.trim() } : {} })}
        >
          Reject
        </Button>
        {usable.length > 0 && (
          <Button kind="primary" type="submit" disabled={isBusy} busy={approve.isPending}>
            Approve
          </Button>
        )}
      </div>
    </form>
  );
};

const Value = ({
  input: { name, description, place, is_required, is_secret, default: usual, choices },
  value,
  onValue,
}: {
  readonly input: Asked;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) => {
  const open = is_secret && place !== "header" ? " Stored unencrypted, as part of the address." : "";
  const hint = `${description ?? `Goes into the ${place}.`}${open}`;
  const required = is_required && usual === null;
  if (choices !== null && choices.length > 0) {
    const all = [{ value: "", label: usual ?? "none" }, ...choices.map((one) => ({ value: one, label: one }))];
    return <Select label={name} hint={hint} required={required} value={value} onValue={onValue} choices={all} />;
  }
  return (
    <Input
      label={name}
      hint={hint}
      type={is_secret ? "password" : "text"}
      required={required}
      placeholder={usual ?? ""}
      spellCheck={false}
      value={value}
      onValue={onValue}
    />
  );
};
