import { parseJson } from "#core/json";
import { KeptTexts } from "#core/kept-content";
import type { Report } from "#core/report";
import { reportPurpose } from "#core/report-content";
import { TypeCompiler } from "#core/schema";
import { UnsealFailed } from "#platform/sealing";

type Deps = {
  /** Both with the master key, bound to a purpose. */
  readonly seal: (purpose: string, secret: string) => string;
  readonly unseal: (purpose: string, sealed: string) => string;
};

/** What was sent or shared with reports: sealed while it is kept. */
export class ReportContents {
  private readonly shape = TypeCompiler.Compile(KeptTexts);

  constructor(private readonly deps: Deps) {}

  seal(reportId: string, content: KeptTexts): string {
    return this.deps.seal(reportPurpose(reportId), JSON.stringify(content));
  }

  /** Null when there is none, and for what does not open: the master key was replaced since, or the row was changed. */
  of({ id, sealed_content }: Pick<Report, "id" | "sealed_content">): KeptTexts | null {
    if (sealed_content === null) return null;
    try {
      const content = parseJson(this.deps.unseal(reportPurpose(id), sealed_content));
      return this.shape.Check(content) ? content : null;
    } catch (error) {
      if (error instanceof UnsealFailed) return null;
      throw error;
    }
  }
}
