import type { Fields, ReportDraft } from "./model.ts";

/** The props of a part of the builder: the draft and its update function. */
export interface PartProps {
  readonly draft: ReportDraft;
  readonly fields: Fields;
  readonly onChange: (draft: ReportDraft) => void;
}
