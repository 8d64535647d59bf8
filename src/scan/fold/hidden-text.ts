/** Text that people cannot see but models can: tag characters, and bytes in variation selectors. */
export const HIDDEN_TEXT = {
  type: "injection.evasion",
  category: "injection",
  detector: "injection.hidden_text",
  score: 0.95,
} as const;

/** Cheap test for a text that may hold any: the plane-14 surrogate, or two selectors in a row. */
const SUSPECT = /\udb40|[\ufe00-\ufe0f]{2}/;

const BLACK_FLAG = 0x1f3f4;
/** A flag of a country's part is a black flag, up to six tags and the cancel tag. UTS #51, annex C. */
const FLAG_TAGS = 7;
/** Fewer characters than this carry nothing. */
const MIN_RUN = 4;

export type HiddenRun = { readonly start: number; end: number; open: boolean };

type Kind = "tag" | "selector" | "other";

/** Finds runs of hidden characters in text that comes in pieces, in offsets of the original text. */
export class HiddenText {
  private offset = 0;
  private kind: Kind = "other";
  private start = 0;
  private count = 0;
  private needed = MIN_RUN;
  private last = 0;
  private run: HiddenRun | undefined;

  constructor(private readonly emit: (run: HiddenRun) => void) {}

  /** What came last is neither hidden nor may become so. */
  get isIdle(): boolean {
    return this.kind === "other";
  }

  /** What puts it back to where it is now; it must be idle. */
  mark(): () => void {
    const { offset, last } = this;
    return () => {
      Object.assign(this, { offset, last, kind: "other", run: undefined });
    };
  }

  /** A piece must not end between two surrogates. `isUnfolded`: the fold leaves it as it is, so that it hides nothing. */
  push(piece: string, isUnfolded = false): void {
    const isPlain = isUnfolded || (!SUSPECT.test(piece) && !isSelector(piece.charCodeAt(piece.length - 1)));
    if (isPlain && this.kind === "other") {
      this.last = lastCodePoint(piece) ?? this.last;
      this.offset += piece.length;
      return;
    }
    for (const char of piece) {
      const code = char.codePointAt(0) ?? 0;
      this.accept(code, kindOf(code));
      this.offset += char.length;
    }
  }

  end(): void {
    this.close();
  }

  /** Before this offset nothing can turn out to be hidden text. */
  decidedTo(): number {
    return this.kind !== "other" && !this.run ? this.start : this.offset;
  }

  private accept(code: number, kind: Kind): void {
    if (kind !== this.kind) {
      this.close();
      this.kind = kind;
      this.start = this.offset;
      this.count = 0;
      this.needed = kind === "tag" && this.last === BLACK_FLAG ? FLAG_TAGS + 1 : MIN_RUN;
    }
    this.last = code;
    if (kind === "other") return;
    this.count++;
    const end = this.offset + (code > 0xffff ? 2 : 1);
    if (this.run) this.run.end = end;
    else if (this.count === this.needed) {
      this.run = { start: this.start, end, open: true };
      this.emit(this.run);
    }
  }

  private close(): void {
    if (this.run) this.run.open = false;
    this.run = undefined;
    this.kind = "other";
  }
}

/** What a run of tag characters says. */
export function decodeTags(text: string): string {
  return Array.from(text, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code >= 0xe0020 && code <= 0xe007e ? String.fromCharCode(code - 0xe0000) : "";
  }).join("");
}

function kindOf(code: number): Kind {
  if (code >= 0xe0000 && code <= 0xe007f) return "tag";
  if (isSelector(code) || (code >= 0xe0100 && code <= 0xe01ef)) return "selector";
  return "other";
}

/** One of the first sixteen, which are one unit each. */
function isSelector(code: number): boolean {
  return code >= 0xfe00 && code <= 0xfe0f;
}

function lastCodePoint(text: string): number | undefined {
  const code = text.charCodeAt(text.length - 1);
  const pair = code >= 0xdc00 && code <= 0xdfff ? text.codePointAt(text.length - 2) : undefined;
  return text === "" ? undefined : (pair ?? code);
}

/** Controls other than tab and line ends: terminal escapes among them. */
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
/** Zero-width characters, direction overrides, tags, fillers: what Unicode says is not to be shown (UAX 44). */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/*
 * What of it good texts need: tags in flags of a country's part (UTS #51, annex C), a selector behind a character,
 * joiners between letters that are not ASCII, direction marks where text runs from right to left.
 */
const TAGGED_FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;
const LONE_SELECTOR = /(?<![\x00-\x1f]|[\ufe00-\ufe0f])[\ufe00-\ufe0f](?![\ufe00-\ufe0f])/gu;
const JOINER = /(?<=[^\x00-\x7f\u200c\u200d])[\u200c\u200d](?=[^\x00-\x7f\u200c\u200d])/gu;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const MARK = /[\u200e\u200f\u061c]/g;

/**
 * Whether a text has characters that people do not see and models read. In a tool's definition nothing good needs
 * them ("ASCII smuggling").
 */
export const hasHiddenCharacters = (text: string): boolean => {
  if (CONTROL.test(text)) return true;
  if (!UNSEEN.test(text)) return false;
  const rest = text.replace(TAGGED_FLAG, "").replace(LONE_SELECTOR, "").replace(JOINER, "");
  return UNSEEN.test(RIGHT_TO_LEFT.test(rest) ? rest.replace(MARK, "") : rest);
};
