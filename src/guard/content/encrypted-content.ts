import { parseJson } from "#core/json/json";
import { Shape } from "#core/schema";
import { contentPurpose, type KeptContent, KeptTexts } from "#model/kept-content";
import { type Report, reportPurpose } from "#model/report";
import { type Sealing, UnsealFailed } from "#platform/sealing";

/** Opens what is kept of calls and reports. Null for what does not open: the master key was replaced, or the row changed. */
export class EncryptedContent {
  private readonly shape = new Shape(KeptTexts);

  constructor(private readonly unseal: Sealing["unseal"]) {}

  ofContent({ id, sealed }: Pick<KeptContent, "id" | "sealed">): KeptTexts | null {
    return this.opened(contentPurpose(id), sealed);
  }

  /** Null also for a report that came without. */
  ofReport({ id, sealed_content }: Pick<Report, "id" | "sealed_content">): KeptTexts | null {
    return sealed_content === null ? null : this.opened(reportPurpose(id), sealed_content);
  }

  private opened(purpose: string, sealed: string): KeptTexts | null {
    try {
      const texts = parseJson(this.unseal(purpose, sealed));
      return this.shape.fits(texts) ? texts : null;
    } catch (error) {
      if (error instanceof UnsealFailed) return null;
      throw error;
    }
  }
}
