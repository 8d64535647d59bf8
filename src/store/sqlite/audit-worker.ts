import { DONE, DROP, FAILED, isRecordsFault, OPEN, REFUSED, reasonOf, UPKEEP_FAILED } from "./audit-messages";
import { AuditThreads, type ThreadsSettings } from "./audit-threads";

/*
 * The entry of the writer thread, an entrypoint of its own in the executable. One message at a time, each
 * answered: see audit-messages.ts.
 */

declare const self: Worker;

let threads: AuditThreads | null = null;

const running = (): AuditThreads => {
  if (threads === null) throw new Error("The audit writer is not open");
  return threads;
};

const obey = (message: string): void => {
  if (message.startsWith(OPEN)) {
    const settings: ThreadsSettings = JSON.parse(message.slice(OPEN.length));
    threads = new AuditThreads(settings, (error) => postMessage(UPKEEP_FAILED + reasonOf(error)));
  } else if (message === "!flush") running().flush();
  else if (message === "!probe") running().probe();
  else if (message === "!index") running().index();
  else if (message.startsWith(DROP)) running().drop(JSON.parse(message.slice(DROP.length)));
  else if (message === "!close") {
    threads?.close();
    threads = null;
  } else running().append(message.split("\n"));
};

self.onmessage = ({ data }: MessageEvent<string>) => {
  let answer = DONE;
  try {
    obey(data);
  } catch (error) {
    answer = (isRecordsFault(error) ? REFUSED : FAILED) + reasonOf(error);
  }
  postMessage(answer);
  threads?.afterBatch();
};
