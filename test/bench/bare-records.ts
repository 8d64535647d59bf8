/** The thread of `bare-gateway.ts` that makes records durable: what came by one turn is one commit, in one plain table. */
import { Database } from "bun:sqlite";

declare const self: Worker;

type Line = { readonly id: number; readonly line: string };

let waiting: Line[] = [];
let commit: (() => void) | undefined;

const open = (path: string): (() => void) => {
  const db = new Database(path, { create: true, strict: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = FULL");
  db.run("CREATE TABLE record (seq INTEGER PRIMARY KEY, line TEXT NOT NULL)");
  const insert = db.prepare("INSERT INTO record (line) VALUES (?)");
  const write = db.transaction((lines: readonly Line[]) => {
    for (const { line } of lines) insert.run(line);
  });
  return () => {
    const lines = waiting;
    waiting = [];
    write.immediate(lines);
    postMessage(lines.map(({ id }) => id).join(","));
  };
};

self.onmessage = ({ data }: MessageEvent<string>) => {
  if (commit === undefined) {
    commit = open(data);
    postMessage("");
    return;
  }
  const at = data.indexOf(" ");
  waiting.push({ id: Number(data.slice(0, at)), line: data.slice(at + 1) });
  if (waiting.length === 1) setImmediate(commit);
};
