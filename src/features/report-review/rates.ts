import type { Dispute } from "#store/loop-port";
import type { DisputeRate } from "./schema";

/** Of each flag type that was disputed, most disputes first. A person's word counts more than the model's. */
export const ratesOf = (disputes: readonly Dispute[]): DisputeRate[] => {
  const byType = Map.groupBy(
    disputes
      .filter(({ status }) => status !== "withdrawn")
      .flatMap((report) => report.flag_types.map((type) => ({ type, word: report.decision ?? report.llm_verdict }))),
    ({ type }) => type,
  );
  const rates = [...byType].map(([flag_type, all]): DisputeRate => {
    const of = (word: string | null) => all.filter((one) => one.word === word).length;
    const [wrong, right] = [of("false_positive"), of("true_positive")];
    return {
      flag_type,
      disputes: all.length,
      false_positive: wrong,
      true_positive: right,
      inconclusive: of("inconclusive"),
      open: of(null),
      rate: wrong + right === 0 ? null : wrong / (wrong + right),
    };
  });
  return rates.toSorted((one, other) => other.disputes - one.disputes || (one.flag_type < other.flag_type ? -1 : 1));
};
