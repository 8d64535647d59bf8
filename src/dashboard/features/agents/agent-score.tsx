import { Chip, spoken, type Tone } from "#dashboard/parts/chip";

const TONES: Readonly<Record<string, Tone>> = { healthy: "ok", watch: "warn", degraded: "warn", critical: "bad" };

export const toneOfBand = (band: string): Tone => TONES[band] ?? "idle";

/** How an agent fares, in a number and a word. */
export const ScoreChip = ({ score, band }: { readonly score: number | null; readonly band: string }) =>
  score === null ? (
    <Chip>too few calls</Chip>
  ) : (
    <Chip tone={toneOfBand(band)}>
      {score} {spoken(band)}
    </Chip>
  );
