import { parseJson } from "#core/json";
import { KeptTexts } from "#core/kept-content";
import type { Report } from "#core/report";
import { reportPurpose } from "#core/report-content";
import { Shape } from "#core/shape";
import { type Sealing, UnsealFailed } from "#platform/sealing";

/** Opens what is kept of reports. */
export class ReportContent {
  private readonly shape = new Shape(KeptTexts);

  constructor(private readonly unseal: Sealing["unseal"]) {}

  /** Null where there is none, and for what does not open: the master key was replaced since, or the row was changed. */
  of({ id, sealed_content }: Pick<Report, "id" | "sealed_content">): KeptTexts | null {
    if (sealed_content === null) return null;
    try {
      const texts = parseJson(this.unseal(reportPurpose(id), sealed_content));
      return this.shape.fits(texts) ? texts : null;
    } catch (error) {
      if (error instanceof UnsealFailed) return null;
      throw error;
    }
  }
}
