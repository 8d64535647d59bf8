import { AUDIT_FORMATS, auditFormat } from "#audit/audit-formats";
import { EXIT, usage } from "./exit";
import { parseMoment } from "./moments";
import { reading } from "./session";
import type { RunVerb } from "./verb";
import { VERSION } from "./version";

/** Text handed on at once, in characters: few writes, little memory. */
const BATCH = 65_536;

/** `audit export`: a document of its own on stdout, written as it is read. */
export const exportAudit: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const format = auditFormat(args.need("format"), VERSION);
  if (!format) throw usage(`--format: one of ${AUDIT_FORMATS.join(", ")}`);
  const now = Date.now();
  const [since, until] = (["since", "until"] as const).map((flag) => {
    const text = args.text(flag);
    return text === undefined ? undefined : parseMoment(text, flag, now);
  });
  const count = await reading(invocation, ({ store }) =>
    out.during("Exporting", async (tell) => {
      let waiting = format.head;
      let records = 0;
      for await (const row of store.audit.read({ since, until })) {
        waiting += format.line(row);
        records += 1;
        if (waiting.length < BATCH) continue;
        tell(records);
        await out.write(waiting);
        waiting = "";
      }
      await out.write(waiting);
      return records;
    }),
  );
  await out.note(`${count} records`);
  return EXIT.ok;
};
