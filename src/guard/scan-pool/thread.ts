import { slices } from "#platform/slices";
import type { CompiledPolicy, PolicyRecipe } from "#scan/policy";
import type { OrderedText, ScanAnswer, ScanOrder, ScanPiece, ScanText } from "./messages";

/** A longer text goes to its thread in pieces of so many UTF-16 units: a third of a millisecond each. */
const PIECE = 262_144;

/** Compiled policies that one thread keeps. */
const MAX_POLICIES = 64;

/** The compiled executable lays its entrypoints out from `src/`; the source tree has them where they are. */
export const startScanWorker = (): Worker => {
  const compiled = import.meta.url.includes("/$bunfs/") || import.meta.url.includes("/~BUN/");
  const entry = compiled ? "./guard/scan-pool/worker.js" : "./worker.ts";
  return new Worker(new URL(entry, import.meta.url), { name: "scanner" });
};

type Order = {
  readonly job: number;
  readonly policy: CompiledPolicy;
  readonly recipe: PolicyRecipe;
  readonly texts: readonly ScanText[];
};

type Events = {
  readonly onAnswer: (answer: ScanAnswer) => void;
  /** It ended by itself: nothing that was sent to it will be answered. */
  readonly onDeath: () => void;
};

const numbers = new WeakMap<CompiledPolicy, number>();
let lastNumber = 0;

const numberOf = (policy: CompiledPolicy): number => {
  const known = numbers.get(policy);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(policy, lastNumber);
  return lastNumber;
};

/** This thread's end of one scanning thread. */
export class ScanThread {
  private readonly worker: Worker;
  private isOver = false;
  /** Policies it has, those used longest ago first. */
  private readonly held = new Set<number>();

  constructor(start: () => Worker, { onAnswer, onDeath }: Events) {
    this.worker = start();
    this.worker.onmessage = ({ data }: MessageEvent<ScanAnswer>) => this.isOver || onAnswer(data);
    const died = (event: Event) => {
      event.preventDefault();
      if (this.isOver) return;
      this.isOver = true;
      onDeath();
    };
    this.worker.addEventListener("error", died);
    this.worker.addEventListener("close", died);
  }

  /** In slices. The next order may be sent once this one is answered. */
  async send({ job, policy, recipe, texts }: Order): Promise<void> {
    const ordered: OrderedText[] = [];
    for (const text of texts) ordered.push(text.text.length <= PIECE ? text : await this.sendAhead(text));
    if (this.isOver) return;
    const number = numberOf(policy);
    const isKnown = this.held.delete(number);
    this.held.add(number);
    const forget: number[] = [];
    for (const old of this.held) {
      if (this.held.size <= MAX_POLICIES) break;
      this.held.delete(old);
      forget.push(old);
    }
    const order: ScanOrder = { job, policy: number, recipe: isKnown ? null : recipe, forget, texts: ordered };
    this.worker.postMessage(order);
  }

  private async sendAhead({ text, origin }: ScanText): Promise<OrderedText> {
    const pause = slices.begin();
    let pieces = 0;
    for (let at = 0; at < text.length && !this.isOver; at += PIECE) {
      const piece: ScanPiece = { piece: text.slice(at, at + PIECE) };
      this.worker.postMessage(piece);
      pieces += 1;
      const wait = pause();
      if (wait) await wait;
    }
    return { pieces, origin };
  }

  end(): void {
    this.isOver = true;
    this.worker.terminate();
  }
}
