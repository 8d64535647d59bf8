import { type Clock, hasPassed } from "#platform/clock";
import { CredentialFailure } from "#upstream/port";

/** A secret that is kept, or in a file whose owner may change it. */
export type Secret = {
  /** Throws `CredentialFailure`. */
  read(): string | Promise<string>;
  /** True when it is another one than was read last. */
  changed(): Promise<boolean>;
  readonly latest: string | null;
  /** False for one that may be another the next time. */
  readonly isKept: boolean;
};

export const keptSecret = (value: string): Secret => ({
  read: () => value,
  changed: async () => false,
  latest: value,
  isKept: true,
});

/** How long a file is believed to be unchanged, milliseconds. */
const LOOK_MS = 1_000;
const MAX_BYTES = 65_536;

/** Read again when it was changed or replaced: what rotates keys writes a new file, or moves a link. */
export class SecretFile implements Secret {
  readonly isKept = false;
  private known: { readonly value: string; readonly mark: string } | null = null;
  private lookedAt = 0;

  constructor(
    private readonly path: string,
    private readonly now: Clock,
  ) {}

  get latest(): string | null {
    return this.known?.value ?? null;
  }

  read(): string | Promise<string> {
    const { known } = this;
    if (known !== null && !hasPassed(LOOK_MS, this.lookedAt, this.now())) return known.value;
    return this.reload();
  }

  async changed(): Promise<boolean> {
    const before = this.latest;
    return (await this.reload()) !== before;
  }

  private async reload(): Promise<string> {
    this.lookedAt = this.now();
    const file = Bun.file(this.path);
    try {
      const { mtimeMs, ino, size } = await file.stat();
      const mark = `${mtimeMs} ${ino} ${size}`;
      if (this.known?.mark === mark) return this.known.value;
      if (size > MAX_BYTES) throw new RangeError("too large");
      const value = (await file.text()).trim();
      if (value === "") throw new RangeError("empty");
      this.known = { value, mark };
      return value;
    } catch (cause) {
      throw new CredentialFailure("The file of the key cannot be read, is empty, or is too large.", { cause });
    }
  }
}
