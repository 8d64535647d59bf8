import { readFileSync } from "node:fs";
import { commandParts } from "#app";
import { givenPlace } from "#config/load";
import { COMMANDS, commandLine } from "#core/command-line";
import { parseJson } from "#core/json/json";
import type { ImportSource, ProposalService } from "#features/registry/proposals";
import { MAX_DOCUMENT_BYTES, type ProposalResponse } from "#features/registry/schema";
import { CLI_ACTOR } from "#model/change";
import { PROPOSAL_STATES } from "#model/tools/proposal";
import { operatorRegistryDocuments } from "#upstream/registry-documents";
import { EXIT, usage } from "./exit";
import { readStdin } from "./input";
import { allPages, card } from "./output";
import { type CliSession, changing, reading } from "./session";
import { plain } from "./table";
import { commandToolOptions } from "./tool-discovery";
import { toolServersOf } from "./tool-servers";
import { readValues } from "./tool-servers-credentials";
import type { Invocation, RunVerb } from "./verb";
import { VERSION } from "./version";

/** Servers of other registries: what is imported, decided and exported on the command line. */
const proposalsOf = (session: CliSession, invocation: Invocation): ProposalService => {
  const toolOptions = {
    ...commandToolOptions(session, invocation),
    fetchRegistry: operatorRegistryDocuments({ version: VERSION }),
  };
  const toolServerService = toolServersOf(session, invocation);
  return commandParts({ ...session.inputs, toolOptions }, { toolServerService }).proposalService;
};

const sourceIn = async (invocation: Invocation): Promise<ImportSource> => {
  const from = invocation.args.need("from");
  if (/^https?:\/\//i.test(from)) return { url: from };
  const text = from === "-" ? await readStdin(invocation, "the registry") : readFileSync(from, "utf8");
  if (text.length > MAX_DOCUMENT_BYTES) throw usage(`--from: more than ${MAX_DOCUMENT_BYTES} characters`);
  const document = parseJson(text);
  if (document === undefined) throw usage(`--from: ${from} is not JSON`);
  return { documents: [document], called: from };
};

export const importProposals: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const source = await sourceIn(invocation);
  const report = await changing(invocation, (session) =>
    proposalsOf(session, invocation).import(CLI_ACTOR, source, args.text("name") ?? null),
  );
  for (const { name, problem } of report.refused) await out.note(plain(`left out: ${name || "an entry"} ${problem}`));
  const lines = [`${report.proposed.length} proposed, ${report.unchanged} known already.`];
  if (report.proposed.length > 0) {
    const next = commandLine(COMMANDS.proposals(), givenPlace(invocation.settings()));
    lines.push("", tableOf(report.proposed, invocation), "", `Nothing runs before approval: ${next}`);
  }
  await out.result(report, lines.join("\n"));
  return EXIT.ok;
};

const tableOf = (proposals: readonly ProposalResponse[], { out }: Invocation): string =>
  out.table(
    ["NAME", "VERSION", "STATE", "OFFERS", "FROM"],
    proposals.map(({ name, version, state, offers, source }) => [
      name,
      version,
      state,
      `${offers.filter(({ problem }) => problem === null).length} of ${offers.length}`,
      source,
    ]),
  );

/** Texts of entries are a stranger's. */
const cardOf = (proposal: ProposalResponse): string => {
  const { id, name, version, state, description, website, source, imported_at, decided_at, reason } = proposal;
  const facts = card({ id, name, version, state, description, website, source, imported_at, decided_at, reason });
  const offers = proposal.offers.map(({ transport, shown, inputs, problem }, index) => {
    const said = problem ?? (transport === "stdio" ? "runs on the hub's machine" : `${transport}`);
    const asked = inputs.map((input) => {
      const open = input.is_secret && ["url", "argument"].includes(input.place) ? "; not encrypted" : "";
      const kinds = [input.is_required ? "required" : "optional", ...(input.is_secret ? ["secret"] : []), input.place];
      const more = input.description === null ? "" : `: ${input.description}`;
      return `     ${plain(`${input.name} (${kinds.join(", ")}${open})${more}`)}`;
    });
    return [`${index + 1}. ${plain(shown)}`, `   ${plain(said)}`, ...asked].join("\n");
  });
  return [facts, ...offers].join("\n\n");
};

export const showProposals: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const wanted = args.operand(0);
  const given = args.text("state");
  const state = PROPOSAL_STATES.find((one) => one === given);
  if (given !== undefined && state === undefined) throw usage(`--state: ${PROPOSAL_STATES.join(", ")}`);
  if (wanted !== undefined) {
    const proposal = await reading(invocation, (session) => proposalsOf(session, invocation).get(wanted));
    await out.result(proposal, cardOf(proposal));
    return EXIT.ok;
  }
  const proposals = await reading(invocation, (session) => {
    const service = proposalsOf(session, invocation);
    return allPages((window) => service.page({ state }, window));
  });
  await out.result(proposals, tableOf(proposals, invocation));
  return EXIT.ok;
};

export const approveProposal: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const number = args.text("offer");
  if (number !== undefined && !/^[1-9]\d{0,3}$/.test(number)) throw usage("--offer: a whole number from 1");
  const values = await readValues(invocation);
  const done = await changing(invocation, async (session) => {
    const owner = await session.access.userByEmail(args.need("owner"));
    return proposalsOf(session, invocation).approve(CLI_ACTOR, args.needOperand(0), {
      owner,
      slug: args.text("slug"),
      offer: number === undefined ? undefined : Number(number),
      values,
      signsIn: args.on("oauth"),
    });
  });
  const { slug, ok, problem } = done.server;
  if (!ok) await out.note(`note: ${slug} is added, but cannot be used yet: ${problem}`);
  await out.result(done, `${cardOf(done)}\n\nTool server ${slug} of ${args.need("owner")} was made of it.`);
  return EXIT.ok;
};

export const rejectProposal: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const rejected = await changing(invocation, (session) =>
    proposalsOf(session, invocation).reject(CLI_ACTOR, args.needOperand(0), args.text("reason") ?? null),
  );
  await out.result(rejected, cardOf(rejected));
  return EXIT.ok;
};

export const exportToolServers: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const { entries, left_out } = await reading(invocation, async (session) => {
    const email = args.text("owner");
    const owner = email === undefined ? null : await session.access.userByEmail(email);
    return proposalsOf(session, invocation).export(owner?.id ?? null, invocation.config().public_url);
  });
  for (const slug of left_out) await out.note(`left out: ${slug} is a program that registries have no form for`);
  if (entries.some(({ server }) => server.packages?.some(({ packageArguments = [] }) => packageArguments.length > 0))) {
    await out.note("note: arguments of programs are printed as they are; make sure that no key stands there");
  }
  const list = { servers: entries, metadata: { count: entries.length } };
  await out.write(`${JSON.stringify(list, null, 2)}\n`);
  return EXIT.ok;
};
