import { COMMANDS, commandLine } from "#core/command-line";
import { CLI_ACTOR, changeRecord } from "#model/change";
import { systemClock } from "#platform/clock";
import { lockForServing, openDataDirectory } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import { openSqliteStore } from "#store/sqlite/index";
import { TableRows } from "#store/sqlite/table-rows";
import { CliExit, EXIT, usage } from "./exit";
import { elsewhereOf, openHubStore, settleElsewhere } from "./hub-store";
import { card } from "./output";
import { requireData } from "./session";
import type { RunVerb } from "./verb";

const URL = /^postgres(?:ql)?:\/\/[^\s/?#]+\/[^\s/?#]+(?:\?[^\s#]*)?$/;

/**
 * `store copy`: the configuration of a data directory, into the PostgreSQL that is named, or that of database.url. What was
 * broken off is gone on with. The records of the directory's log follow when the hub starts: they are shipped.
 */
export const copyStore: RunVerb = async ({ args, config, out }) => {
  const given = config();
  const url = args.text("to") ?? given.database.url;
  if (url === null) throw new CliExit(EXIT.usage, "Name the PostgreSQL to copy to: --to URL, or database.url");
  if (!URL.test(url)) throw usage("--to: postgres://USER:PASSWORD@HOST:PORT/DATABASE");
  const settings = { ...given, database: { ...given.database, url } };
  const { data_dir: dataDir, durability } = settings;
  requireData(dataDir);
  const directory = openDataDirectory(dataDir);
  const lock = lockForServing(directory);
  try {
    const own = await openSqliteStore({ dataDir, durability, writer: "inline" });
    const head = await out.during("Verifying the audit log", () => verified(own)).finally(() => own.close());
    const { copyInto, finishCopy, isUnfinished } = await import("#store/postgres/copy");
    const options = { url, most: 2 };
    const name = head ?? "an empty log";
    if (elsewhereOf(directory) !== null && !(await isUnfinished(options, name))) {
      throw new CliExit(EXIT.configuration, "The configuration of this data directory is in PostgreSQL already");
    }
    using source = new TableRows(directory.database);
    const copied = (onRows: (rows: number) => void) => copyInto({ options, source, name, onRows });
    const tables = await out.during("Copying the configuration", copied, "rows");
    await settleElsewhere(directory, url);
    const store = await openHubStore({ config: settings, writer: "inline" });
    try {
      const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
      const detail = { tables: Object.keys(tables).length, rows, log: head };
      const change = { kind: "store.copy", by: CLI_ACTOR, subject: "hub", subject_id: directory.path, detail };
      await store.audit.append(changeRecord(change, { id: systemIds(), at: systemClock() }));
      const { ok } = await out.during("Verifying the copy", () => store.audit.verify());
      if (!ok) throw unverified("copy");
      await finishCopy(options, systemClock());
      await out.result({ tables, rows }, card({ tables: String(detail.tables), rows: String(rows) }));
    } finally {
      await store.close();
    }
    return EXIT.ok;
  } finally {
    lock.release();
  }
};

/** The head of the directory's own log, once all of it was verified. */
const verified = async ({ audit }: Awaited<ReturnType<typeof openSqliteStore>>): Promise<string | null> => {
  const { ok, head } = await audit.verify();
  if (!ok) throw unverified("audit log");
  return head;
};

const unverified = (what: string): CliExit =>
  new CliExit(EXIT.integrity, `The ${what} does not verify: see \`${commandLine(COMMANDS.verifyAudit())}\``);
