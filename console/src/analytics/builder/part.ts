import type { Fields, ReportDraft } from "./model.ts";

/** A part of the builder: it gets the draft, and makes the next one. */
export interface PartProps {
  readonly draft: ReportDraft;
  readonly fields: Fields;
  readonly onChange: (draft: ReportDraft) => void;
}
