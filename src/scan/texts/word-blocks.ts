/** Units after which a text is cut where it can be: some tenths of a millisecond of folding. */
const BLOCK_UNITS = 8_192;

/**
 * A text in blocks that can be folded and unescaped one by one, with the same outcome as in one piece: cut only after
 * white space or an ideograph, which no escape, no run of removed marks and no word goes across. What has neither stays
 * in one piece.
 */
export function* blocksOf(text: string, units = BLOCK_UNITS): Generator<string> {
  let from = 0;
  while (from < text.length) {
    let to = Math.min(from + units, text.length);
    while (to < text.length && !isBoundary(text.charCodeAt(to - 1))) to += 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** ASCII space and line feed, unified ideographs, Hangul syllables: the fold leaves them as they are. */
const isBoundary = (code: number): boolean =>
  code === 0x20 || code === 0x0a || (code >= 0x4e00 && code < 0xa000) || (code >= 0xac00 && code < 0xd7a4);
