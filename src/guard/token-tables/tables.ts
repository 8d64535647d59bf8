import type { TokenEncoding } from "#model/token-encoding";
import type { TokenTable } from "#scan/texts/token-ids";
import type { TableAnswer, TableOrder } from "./packed";

/** The compiled executable lays its entrypoints out from `src/`; the source tree has them where they are. */
const startWorker = (): Worker => {
  const compiled = import.meta.url.includes("/$bunfs/") || import.meta.url.includes("/~BUN/");
  const entry = compiled ? "./guard/token-tables/worker.js" : "./worker.ts";
  return new Worker(new URL(entry, import.meta.url), { name: "token-table", ref: false });
};

/**
 * Tables of token ids, each made when it is first asked for and kept: 1 to 2 MB. Making one takes 50 to 500 ms and up to
 * 80 MB for as long, so a thread of its own does it.
 */
export class TokenTables {
  private readonly made = new Map<TokenEncoding, Promise<TokenTable>>();

  constructor(private readonly start: () => Worker = startWorker) {}

  /** Rejects when the thread fails; the next call tries again. */
  of(encoding: TokenEncoding): Promise<TokenTable> {
    const known = this.made.get(encoding);
    if (known) return known;
    const making = this.make({ encoding }).catch((error: unknown) => {
      this.made.delete(encoding);
      throw error;
    });
    this.made.set(encoding, making);
    return making;
  }

  private make(order: TableOrder): Promise<TokenTable> {
    return new Promise((resolve, reject) => {
      const worker = this.start();
      worker.onmessage = ({ data }: MessageEvent<TableAnswer>) => {
        resolve(data.table);
        worker.terminate();
      };
      const failed = (event: Event) => {
        event.preventDefault();
        reject(new Error("the thread that makes a token table failed"));
        worker.terminate();
      };
      worker.addEventListener("error", failed);
      worker.addEventListener("close", failed);
      worker.postMessage(order);
    });
  }
}
